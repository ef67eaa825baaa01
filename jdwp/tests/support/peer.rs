//! Scripted peers: a TCP server that plays the JVM's side by hand, rightly or wrongly.

use std::future::Future;
use std::net::SocketAddr;

use jdwp::codec::encode;
use jdwp::commands::virtual_machine::IdSizesReply;
use jdwp::{Composite, ErrorCode, HANDSHAKE, Header, IdSizes, PacketId, PacketKind, Wire};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Serves one connection with a script, and keeps it open until the script ends.
pub async fn serve<F>(script: impl FnOnce(Peer) -> F + Send + 'static) -> SocketAddr
where
    F: Future<Output = ()> + Send,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let addr = listener.local_addr().expect("bound");
    tokio::spawn(async move {
        let (stream, _) = listener.accept().await.expect("a connection");
        script(Peer { stream }).await;
    });
    addr
}

/// The JVM's side of a connection.
pub struct Peer {
    pub stream: TcpStream,
}

impl Peer {
    pub async fn say(&mut self, bytes: &[u8]) {
        self.stream
            .write_all(bytes)
            .await
            .expect("the debugger reads");
    }

    /// Reads and answers the handshake.
    pub async fn greet(&mut self) {
        let mut hello = [0; 14];
        self.stream
            .read_exact(&mut hello)
            .await
            .expect("a handshake");
        assert_eq!(&hello, HANDSHAKE);
        self.say(HANDSHAKE).await;
    }

    /// Greets, and answers the first command, `IDSizes`.
    pub async fn begin(&mut self) {
        self.greet().await;
        let (id, numbers, _) = self.command().await;
        assert_eq!(numbers, (1, 7));
        let sizes = IdSizesReply {
            field: 8,
            method: 8,
            object: 8,
            reference_type: 8,
            frame: 8,
        };
        self.reply(id, &sizes).await;
    }

    /// Reads a command: its number, set and command, and out data.
    pub async fn command(&mut self) -> (PacketId, (u8, u8), Vec<u8>) {
        let mut header = [0; 11];
        self.stream
            .read_exact(&mut header)
            .await
            .expect("a command");
        let header = Header::decode(&header).expect("a header");
        let mut body = vec![0; header.length as usize - 11];
        self.stream
            .read_exact(&mut body)
            .await
            .expect("a whole command");
        let PacketKind::Command { set, command } = header.kind else {
            panic!("the debugger only asks: {header:?}");
        };
        (header.id, (set, command), body)
    }

    pub async fn reply<T: Wire>(&mut self, id: PacketId, value: &T) {
        let body = encode(value, &IdSizes::EIGHT);
        self.say(&packet(
            id,
            PacketKind::Reply {
                error: ErrorCode::NONE,
            },
            &body,
        ))
        .await;
    }

    pub async fn fail(&mut self, id: PacketId, error: ErrorCode) {
        self.say(&packet(id, PacketKind::Reply { error }, &[]))
            .await;
    }

    pub async fn event(&mut self, composite: &Composite) {
        self.say(&event_packet(composite)).await;
    }

    /// Waits until the debugger closes; what it still says is dropped.
    pub async fn until_closed(mut self) {
        let mut bytes = [0; 1024];
        while self
            .stream
            .read(&mut bytes)
            .await
            .is_ok_and(|count| count > 0)
        {}
    }

    /// Closes with a reset instead of an end.
    pub fn reset(self) {
        self.stream.set_zero_linger().expect("the option exists");
    }
}

pub fn event_packet(composite: &Composite) -> Vec<u8> {
    let kind = PacketKind::Command {
        set: 64,
        command: 100,
    };
    packet(PacketId(1), kind, &encode(composite, &IdSizes::EIGHT))
}

pub fn packet(id: PacketId, kind: PacketKind, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len() + 11).expect("small");
    let mut bytes = Header { length, id, kind }.encode().to_vec();
    bytes.extend_from_slice(body);
    bytes
}
