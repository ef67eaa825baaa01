//! What is recorded may be secret: all that this process makes is its user's alone, whatever its umask was. The programs
//! that it starts have theirs as ever.

use std::io;
use std::sync::OnceLock;

use rustix::fs::Mode;
use rustix::process::umask;
use tokio::process::Command;

/// What the process was started with.
static BEFORE: OnceLock<Mode> = OnceLock::new();

/// From now on folders that are made have mode 0700, files 0600: RocksDB's, too, which asks for more.
pub fn begin() {
    BEFORE.get_or_init(|| umask(Mode::RWXG | Mode::RWXO));
}

/// Gives a program the umask that this process had.
#[allow(unsafe_code)]
pub fn as_before(program: &mut Command) {
    let Some(before) = BEFORE.get().copied() else {
        return;
    };
    let restore = move || -> io::Result<()> {
        umask(before);
        Ok(())
    };
    // SAFETY: runs in the forked child before exec; umask is one system call, which allocates nothing and cannot fail.
    unsafe {
        program.pre_exec(restore);
    }
}
