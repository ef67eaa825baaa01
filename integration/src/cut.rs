//! Recordings whose daemon was killed while their program ran.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::Stdio;
use std::time::Duration;

use crate::{Folder, Jdk};

/// Records the fixture `fx.Steady`, of so many rounds, by a daemon that is killed while the program runs; that goes on to its end.
///
/// # Panics
/// When the daemon cannot be started, or the program prints nothing.
pub fn cut(folder: &Folder, jdk: &Jdk, name: &str, rounds: &str) {
    let mut launched = folder
        .jhyded(&["launch", "--name", name, "--include", "fx.*", "--"])
        .arg(jdk.java())
        .arg("-cp")
        .arg(jdk.classes("fixtures"))
        .args(["fx.Steady", rounds])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("jhyded can be started");
    let mut output = BufReader::new(launched.stdout.take().expect("an output"));
    let mut line = String::new();
    output.read_line(&mut line).expect("the program begins");
    // What was recorded so far is due on the disk.
    std::thread::sleep(Duration::from_millis(600));
    launched.kill().expect("it can be killed");
    launched.wait().expect("it is dead");
    let mut rest = String::new();
    output.read_to_string(&mut rest).expect("the program ends");
}
