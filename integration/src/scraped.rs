//! A daemon that serves metrics as well, and what it says of them.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::Folder;

/// A folder's daemon that serves metrics. Killed when it is dropped.
#[derive(Debug)]
pub struct Scraped {
    daemon: Child,
    address: String,
}

impl Scraped {
    /// Starts it, and waits until it serves.
    ///
    /// # Panics
    /// When it does not.
    pub fn serve(folder: &Folder) -> Self {
        Self::serve_with(folder, &[])
    }

    /// The same with settings in the environment.
    ///
    /// # Panics
    /// When it does not serve.
    pub fn serve_with(folder: &Folder, settings: &[(&str, &str)]) -> Self {
        let mut command = folder.jhyded(&["serve", "--log", "info"]);
        command.env("JHYDED_LISTEN_METRICS", "127.0.0.1:0");
        command.envs(settings.iter().copied());
        let mut daemon = command
            .stderr(Stdio::piped())
            .spawn()
            .expect("jhyded can be started");
        let mut lines = BufReader::new(daemon.stderr.take().expect("its log")).lines();
        let mut said = lines.by_ref().map_while(Result::ok);
        let address = said.find_map(|line| {
            let (_, address) = line.split_once("scraped address=")?;
            Some(address.trim().to_owned())
        });
        assert!(said.any(|line| line.contains("serving")), "it serves");
        std::thread::spawn(move || lines.for_each(drop));
        Self {
            daemon,
            address: address.expect("metrics are served"),
        }
    }

    /// All of them, as text.
    ///
    /// # Panics
    /// When there is no answer.
    pub fn text(&self) -> String {
        let mut stream = TcpStream::connect(&self.address).expect("metrics are served");
        stream
            .write_all(b"GET /metrics HTTP/1.0\r\n\r\n")
            .expect("a request");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer
    }

    /// One that has no labels.
    ///
    /// # Panics
    /// When there is none of this name.
    pub fn value(&self, name: &str) -> f64 {
        let text = self.text();
        let mut found = text.lines().filter_map(|line| line.split_once(' '));
        let value = found.find(|(metric, _)| *metric == name);
        let value = value.and_then(|(_, value)| value.trim().parse().ok());
        value.unwrap_or_else(|| panic!("{name}: {text}"))
    }
}

impl Scraped {
    /// Waits until one that has no labels is this. How long that took.
    ///
    /// # Panics
    /// When it is not within a minute.
    pub fn until(&self, name: &str, wanted: u32) -> Duration {
        let begun = Instant::now();
        loop {
            let now = self.value(name);
            if now == f64::from(wanted) {
                return begun.elapsed();
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "{name} is {now}");
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for Scraped {
    fn drop(&mut self) {
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
    }
}
