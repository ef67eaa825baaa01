//! A wire tap: passes the bytes between a debugger and a JVM on and keeps them, packet by packet.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Who sent a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Debugger,
    Jvm,
}

/// What passed, in the order in which the tap saw it: the handshakes, then whole packets.
pub type Tape = Arc<Mutex<Vec<(Side, Vec<u8>)>>>;

/// Listens on a free port for one debugger and connects it to the JVM.
pub async fn tap(jvm: SocketAddr) -> (SocketAddr, Tape) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let addr = listener.local_addr().expect("bound");
    let tape = Tape::default();
    let kept = tape.clone();
    tokio::spawn(async move {
        let (debugger, _) = listener.accept().await.expect("the debugger connects");
        let jvm = TcpStream::connect(jvm).await.expect("the JVM listens");
        let (debugger_in, debugger_out) = debugger.into_split();
        let (jvm_in, jvm_out) = jvm.into_split();
        tokio::join!(
            pass(debugger_in, jvm_out, Side::Debugger, kept.clone()),
            pass(jvm_in, debugger_out, Side::Jvm, kept.clone()),
        );
    });
    (addr, tape)
}

async fn pass(
    mut from: tokio::net::tcp::OwnedReadHalf,
    mut to: tokio::net::tcp::OwnedWriteHalf,
    side: Side,
    tape: Tape,
) {
    let mut bytes = vec![0; 14];
    // A side that closes ends its direction; the other one ends in turn.
    while from.read_exact(&mut bytes).await.is_ok() {
        if bytes.len() == 4 {
            let length = u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as usize;
            bytes.resize(length, 0);
            if from.read_exact(&mut bytes[4..]).await.is_err() {
                break;
            }
        }
        // Kept before it is passed on: an answer can only be kept after it.
        tape.lock()
            .expect("no tap panics")
            .push((side, bytes.clone()));
        if to.write_all(&bytes).await.is_err() {
            break;
        }
        bytes = vec![0; 4];
    }
}
