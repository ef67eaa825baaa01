//! A recorded program that waits in its middle until it is let go on.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdout, Stdio};

use crate::{Folder, Jdk};

/// The gauges, which have been read once and wait for a line.
#[derive(Debug)]
pub struct Waits {
    daemon: Child,
    output: BufReader<ChildStdout>,
}

impl Waits {
    /// Starts it, recorded at level full as `run`.
    ///
    /// # Panics
    /// When it cannot be started, or prints something else.
    pub fn begin(folder: &Folder, jdk: &Jdk) -> Self {
        let mut daemon = folder
            .jhyded(&["launch", "--name", "run", "--level", "full"])
            .args(["--include", "Gauges*", "--"])
            .arg(jdk.java())
            .arg("-cp")
            .arg(jdk.classes("slices"))
            .args(["Gauges", "wait"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("jhyded can be started");
        let mut output = BufReader::new(daemon.stdout.take().expect("an output"));
        let mut line = String::new();
        output.read_line(&mut line).expect("the program begins");
        assert_eq!(line.trim(), "122");
        Self { daemon, output }
    }

    /// Lets the program read the gauges again, and end.
    ///
    /// # Panics
    /// When it has gone.
    pub fn go_on(&mut self) {
        let mut input = self.daemon.stdin.take().expect("an input");
        writeln!(input).expect("it is read");
        let mut line = String::new();
        self.output
            .read_line(&mut line)
            .expect("the program goes on");
        assert_eq!(line.trim(), "122");
    }

    /// Kills the daemon that records it, which is its parent.
    ///
    /// # Panics
    /// When it has ended.
    pub fn kill(&mut self) {
        self.daemon.kill().expect("it can be killed");
        self.daemon.wait().expect("it is dead");
    }

    /// Waits until program and daemon have ended.
    ///
    /// # Panics
    /// When it cannot be waited for.
    pub fn end(mut self) {
        self.daemon.wait().expect("it ends");
    }
}

impl Drop for Waits {
    fn drop(&mut self) {
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
    }
}
