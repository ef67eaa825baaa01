//! Sockets that were open before the daemon began (sd_listen_fds(3)). Who connects while there is no daemon waits for the next
//! one, and is answered by it.

use std::io;
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;

use listenfd::ListenFd;

use crate::serve::ServeError;

/// The number of the first file that is given.
const FIRST: usize = 3;

/// See the module.
#[derive(Debug, Default)]
pub struct Given {
    /// With their paths; one without any is reached by none.
    pub(crate) unix: Vec<(UnixListener, PathBuf)>,
    pub(crate) tcp: Vec<TcpListener>,
}

impl Given {
    /// Those that this process was given; they belong to it then, and programs that it starts do not get them. To be called
    /// once, before any thread is started: it changes the environment.
    ///
    /// # Errors
    /// Something else than a listening socket was given.
    pub fn take() -> Result<Self, ServeError> {
        let mut given = ListenFd::from_env();
        let mut taken = Self::default();
        for nth in 0..given.len() {
            if let Ok(Some(listener)) = given.take_unix_listener(nth) {
                let address = listener.local_addr();
                let path = address.ok().and_then(|it| it.as_pathname().map(Into::into));
                taken.unix.push((listener, path.unwrap_or_default()));
            } else {
                match given.take_tcp_listener(nth) {
                    Ok(Some(listener)) => taken.tcp.push(listener),
                    Ok(None) => {}
                    Err(source) => {
                        return Err(ServeError::Given {
                            number: FIRST + nth,
                            source,
                        });
                    }
                }
            }
        }
        Ok(taken)
    }

    /// Nothing blocks on them any more: they are the runtime's.
    pub(crate) fn unblocked(self) -> io::Result<Self> {
        for (listener, _) in &self.unix {
            listener.set_nonblocking(true)?;
        }
        for listener in &self.tcp {
            listener.set_nonblocking(true)?;
        }
        Ok(self)
    }
}
