//! What a launched program writes when the daemon, to which it writes, is no more.
//!
//! A pipe that nobody reads breaks: what the program prints would fail from then on, and its behaviour change. So a small process of
//! the daemon's holds the same ends of the pipes: it does nothing as long as its input is open, which the daemon's end closes,
//! whatever kind of end that is; then it reads on, and drops what it reads, until nobody writes there any more.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread;

/// The daemon's side: dropped when the daemon reads no more.
#[derive(Debug)]
pub struct Drain {
    /// Until it is let go.
    process: Option<(ChildStdin, Child)>,
}

impl Drain {
    /// Starts `program drain`, which is to call [`drain`], for the ends of pipes that a program's output and error go to.
    ///
    /// # Errors
    /// There is no such program, or no process more.
    pub fn start(program: &Path, stdout: impl AsFd, stderr: impl AsFd) -> io::Result<Self> {
        let end = |pipe: BorrowedFd<'_>| pipe.try_clone_to_owned().map(Stdio::from);
        let mut process = Command::new(program)
            .arg("drain")
            .stdin(Stdio::piped())
            // Ends to read from, in spite of their names: what a new process gets without unsafe code are these three.
            .stdout(end(stdout.as_fd())?)
            .stderr(end(stderr.as_fd())?)
            // Not in the terminal's group: Ctrl-C is for the daemon.
            .process_group(0)
            .spawn()?;
        let alive = process.stdin.take();
        Ok(Self {
            process: alive.map(|alive| (alive, process)),
        })
    }
}

impl Drop for Drain {
    fn drop(&mut self) {
        let Some((alive, mut process)) = self.process.take() else {
            return;
        };
        drop(alive);
        // It ends with the last process that writes there, which may run for long; without a thread it is waited for when the daemon
        // has ended.
        let reap = move || drop(process.wait());
        let _ = thread::Builder::new().name("drain".into()).spawn(reap);
    }
}

/// The life of such a process: standard input is the daemon's, standard output and error are what it reads.
///
/// # Errors
/// The pipes cannot be read.
pub fn drain() -> io::Result<()> {
    // Nothing comes; an error of it is an end, too.
    let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
    let stdout = io::stdout().as_fd().try_clone_to_owned()?;
    let stderr = io::stderr().as_fd().try_clone_to_owned()?;
    let other = thread::spawn(move || read_on(stderr));
    let read = read_on(stdout);
    other.join().unwrap_or(Ok(())).and(read)
}

fn read_on(pipe: OwnedFd) -> io::Result<()> {
    // The daemon read it without waiting, which goes for all who share it.
    rustix::io::ioctl_fionbio(&pipe, false)?;
    io::copy(&mut File::from(pipe), &mut io::sink()).map(drop)
}
