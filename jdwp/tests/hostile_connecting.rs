//! Connecting to what is no JVM, or none that can be debugged now: each a typed error of its own,
//! within the time limit.

mod support;

use std::time::{Duration, Instant};

use jdwp::commands::virtual_machine::{AllThreads, IdSizesReply};
use jdwp::{
    Client, Composite, ConnectError, ConnectStage, Connection, DecodeErrorKind, ErrorCode, Event,
    HANDSHAKE, Incoming, Listener, Options, PacketId, PacketKind, ProtocolError, RequestId,
    SuspendPolicy, ThreadId,
};
use support::jdks;
use support::jvm::{Fixture, Jvm, PATIENCE};
use support::peer::{self, Peer, serve};
use tokio::net::TcpListener;

/// Short, for peers that never answer.
const SHORT: Duration = Duration::from_millis(300);

/// What the peer says, and how to know the error that it must give.
type Case = (Vec<u8>, fn(&ProtocolError) -> bool);

fn patient() -> Options {
    Options::default()
        .timeout(PATIENCE)
        .request_timeout(Some(PATIENCE))
}

fn impatient() -> Options {
    Options::default().timeout(SHORT)
}

async fn refused(addr: impl ToString, options: Options) -> ConnectError {
    let started = Instant::now();
    let error = Connection::connect(addr.to_string(), options)
        .await
        .expect_err("no JVM");
    assert!(started.elapsed() < PATIENCE, "{error}");
    error
}

#[tokio::test]
async fn nothing_listens() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let addr = listener.local_addr().expect("bound");
    drop(listener);
    let error = refused(addr, patient()).await;
    assert!(matches!(&error, ConnectError::Refused { addr: a } if *a == addr.to_string()));
    let text = error.to_string();
    assert!(
        text.contains("server=y") && text.contains("other debugger"),
        "{text}"
    );
}

#[tokio::test]
async fn an_address_that_is_none() {
    for addr in ["nonsense", "127.0.0.1", "127.0.0.1:99999", ""] {
        let error = refused(addr, patient()).await;
        assert!(
            matches!(error, ConnectError::Address { .. }),
            "{addr:?}: {error:?}"
        );
        assert!(error.to_string().contains("HOST:PORT"), "{error}");
    }
}

#[tokio::test]
async fn a_port_that_speaks_something_else() {
    for greeting in [
        &b"SSH-2.0-OpenSSH_9.2\r\n"[..],
        b"HTTP/1.1 400 Bad Request\r\n",
        b"JDWP-Hand\0",
    ] {
        let addr = serve(move |mut peer: Peer| async move {
            peer.say(greeting).await;
            peer.until_closed().await;
        })
        .await;
        let error = refused(addr, patient()).await;
        let ConnectError::NotJdwp { source, .. } = &error else {
            panic!("{error:?}")
        };
        assert_eq!(source.first_bytes, greeting);
        let shown = greeting[..8].escape_ascii().to_string();
        assert!(error.to_string().contains(&shown), "{error}");
    }
}

#[tokio::test]
async fn a_peer_that_closes_in_the_handshake() {
    for said in [0, 5, 13] {
        let addr = serve(move |mut peer: Peer| async move {
            let mut hello = [0; 14];
            let _ = tokio::io::AsyncReadExt::read_exact(&mut peer.stream, &mut hello).await;
            peer.say(&HANDSHAKE[..said]).await;
        })
        .await;
        let error = refused(addr, patient()).await;
        let ConnectError::ClosedInHandshake { received, .. } = error else {
            panic!("{error:?}")
        };
        assert_eq!(received, said);
    }
    // With a reset: what HotSpot's kernel sends to who waits behind an attached debugger.
    let addr = serve(|peer: Peer| async move { peer.reset() }).await;
    let error = refused(addr, patient()).await;
    assert!(
        matches!(error, ConnectError::ClosedInHandshake { received: 0, .. }),
        "{error:?}"
    );
    assert!(error.to_string().contains("another debugger"), "{error}");
}

#[tokio::test]
async fn a_peer_that_hangs_is_left_in_time() {
    for said in [0, 5] {
        let addr = serve(move |mut peer: Peer| async move {
            peer.say(&HANDSHAKE[..said]).await;
            peer.until_closed().await;
        })
        .await;
        let error = refused(addr, impatient()).await;
        let ConnectError::Timeout { stage, after, .. } = error else {
            panic!("{error:?}")
        };
        assert_eq!(
            (stage, after),
            (ConnectStage::Handshake { received: said }, SHORT)
        );
    }
    let addr = serve(|mut peer: Peer| async move {
        peer.greet().await;
        // Half of an answer.
        peer.say(&[0, 0, 0, 31, 0, 0, 0, 1]).await;
        peer.until_closed().await;
    })
    .await;
    let error = refused(addr, impatient()).await;
    let ConnectError::Timeout { stage, .. } = error else {
        panic!("{error:?}")
    };
    assert_eq!(stage, ConnectStage::IdSizes);
}

#[tokio::test]
async fn a_peer_that_dies_after_the_handshake() {
    let addr = serve(|mut peer: Peer| async move {
        peer.greet().await;
        peer.command().await;
    })
    .await;
    let error = refused(addr, patient()).await;
    assert!(
        matches!(error, ConnectError::ClosedAfterHandshake { .. }),
        "{error:?}"
    );
}

/// The first answer, wrong in every way.
#[tokio::test]
async fn a_first_answer_that_is_malformed() {
    let reply = PacketKind::Reply {
        error: ErrorCode::NONE,
    };
    let sizes = |object: i32| {
        let sizes = IdSizesReply {
            field: 8,
            method: 8,
            object,
            reference_type: 8,
            frame: 8,
        };
        peer::packet(
            PacketId(1),
            reply,
            &jdwp::codec::encode(&sizes, &jdwp::IdSizes::EIGHT),
        )
    };
    let answers: Vec<Case> = vec![
        (
            sizes(9),
            |e| matches!(e, ProtocolError::InvalidIdSizes(bad) if bad.what == "object"),
        ),
        (
            sizes(0),
            |e| matches!(e, ProtocolError::InvalidIdSizes(bad) if bad.size == 0),
        ),
        (peer::packet(PacketId(1), reply, &[0; 19]), |e| {
            matches!(e, ProtocolError::IdSizes(cause)
                if matches!(cause.kind, DecodeErrorKind::Truncated { needed: 4, left: 3 }))
        }),
        (
            peer::packet(PacketId(1), reply, &[0, 0, 0, 8].repeat(6)),
            |e| {
                matches!(e, ProtocolError::IdSizes(cause)
                if matches!(cause.kind, DecodeErrorKind::Trailing { left: 4 }))
            },
        ),
        (
            peer::packet(
                PacketId(1),
                PacketKind::Reply {
                    error: ErrorCode::VM_DEAD,
                },
                &[],
            ),
            |e| matches!(e, ProtocolError::NoIdSizes(ErrorCode::VM_DEAD)),
        ),
        (vec![0xFF; 64], |e| matches!(e, ProtocolError::Frame(_))),
        (vec![0; 64], |e| matches!(e, ProtocolError::Frame(_))),
        (vec![0x7F, 0xFF, 0xFF, 0xFF, 0, 0, 0, 1, 0x80, 0, 0], |e| {
            matches!(e, ProtocolError::Frame(jdwp::FrameError::TooLong { .. }))
        }),
    ];
    for (answer, expected) in answers {
        let said = answer.clone();
        let addr = serve(|mut peer: Peer| async move {
            peer.greet().await;
            peer.command().await;
            peer.say(&said).await;
            peer.until_closed().await;
        })
        .await;
        let error = refused(addr, patient()).await;
        let ConnectError::Protocol { source, .. } = &error else {
            panic!("{error:?}")
        };
        assert!(expected(source), "{} gives {error}", answer.escape_ascii());
    }
}

/// Packets without end before the first answer do not fill the memory.
#[tokio::test]
async fn a_peer_that_floods_before_its_first_answer() {
    let addr = serve(|mut peer: Peer| async move {
        peer.greet().await;
        let kind = PacketKind::Command {
            set: 64,
            command: 100,
        };
        let event = peer::packet(PacketId(1), kind, &[0; 1000]);
        while tokio::io::AsyncWriteExt::write_all(&mut peer.stream, &event)
            .await
            .is_ok()
        {}
    })
    .await;
    let error = refused(addr, patient().max_packet(1 << 20)).await;
    let ConnectError::Protocol { source, .. } = &error else {
        panic!("{error:?}")
    };
    assert!(
        matches!(source, ProtocolError::TooMuchBeforeIdSizes { .. }),
        "{error}"
    );
}

/// Events before the first answer are kept, and what arrives with it stays in the session.
#[tokio::test]
async fn events_around_the_first_answer_are_kept_in_order() {
    let start = |request| Composite {
        suspend_policy: SuspendPolicy::ALL,
        events: vec![Event::VmStart {
            request: RequestId(request),
            thread: ThreadId(7),
        }],
    };
    let addr = serve(move |mut peer: Peer| async move {
        let mut hello = [0; 14];
        let _ = tokio::io::AsyncReadExt::read_exact(&mut peer.stream, &mut hello).await;
        // The handshake and an event in one piece; then another, the answer and a third.
        peer.say(&[&HANDSHAKE[..], &peer::event_packet(&start(1))].concat())
            .await;
        peer.event(&start(2)).await;
        let (id, _, _) = peer.command().await;
        let sizes = jdwp::codec::encode(
            &IdSizesReply {
                field: 8,
                method: 8,
                object: 8,
                reference_type: 8,
                frame: 8,
            },
            &jdwp::IdSizes::EIGHT,
        );
        let reply = PacketKind::Reply {
            error: ErrorCode::NONE,
        };
        let answer = peer::packet(id, reply, &sizes);
        peer.say(&[answer, peer::event_packet(&start(3))].concat())
            .await;
        peer.until_closed().await;
    })
    .await;
    let connection = Connection::connect(addr, patient())
        .await
        .expect("a good peer");
    let (mut stream, mut session) = connection.into_parts();
    for request in 1..=3 {
        let incoming = loop {
            match session.poll().expect("nothing is malformed") {
                Some(incoming) => break incoming,
                None => {
                    let read =
                        tokio::io::AsyncReadExt::read_buf(&mut stream, session.receive_buffer());
                    read.await.expect("the peer is there");
                }
            }
        };
        assert_eq!(incoming, Incoming::Event(start(request)));
    }
}

/// A JVM lets one debugger in and stops listening; the next one is told so.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_jvm_that_has_a_debugger_already() {
    for jdk in jdks::all() {
        let fixture = Fixture::compile(&jdk);
        let (_jvm, addr) = Jvm::start_server(&jdk, &fixture, &["wait"]);
        let first = Client::connect(addr, patient())
            .await
            .expect("the JVM listens");
        for _ in 0..3 {
            let error = refused(addr, patient()).await;
            let told = matches!(
                error,
                ConnectError::Refused { .. } | ConnectError::ClosedInHandshake { .. }
            );
            assert!(
                told && error.to_string().contains("other debugger"),
                "{error}"
            );
        }
        // The first is not disturbed.
        assert!(
            !first
                .request(&AllThreads)
                .await
                .expect("an answer")
                .is_empty()
        );
    }
}

/// A JVM that is stopped: its kernel accepts, the JVM does not answer.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_jvm_that_is_frozen() {
    let jdk = jdks::all().remove(0);
    let fixture = Fixture::compile(&jdk);
    let (jvm, addr) = Jvm::start_server(&jdk, &fixture, &["wait"]);
    let pid = jvm.child.id().to_string();
    let frozen = std::process::Command::new("kill")
        .args(["-STOP", &pid])
        .status();
    assert!(frozen.expect("kill runs").success());
    // The signal stops one thread after the other.
    let tasks = format!("/proc/{pid}/task");
    let stopped = |task: std::io::Result<std::fs::DirEntry>| {
        let stat = task.and_then(|task| std::fs::read_to_string(task.path().join("stat")));
        stat.is_ok_and(|stat| stat.contains(") T "))
    };
    let deadline = Instant::now() + PATIENCE;
    while !std::fs::read_dir(&tasks)
        .expect("the process is there")
        .all(stopped)
    {
        assert!(Instant::now() < deadline, "the JVM does not stop");
        tokio::task::yield_now().await;
    }
    let error = refused(addr, impatient()).await;
    let ConnectError::Timeout { stage, .. } = error else {
        panic!("{error:?}")
    };
    assert_eq!(stage, ConnectStage::Handshake { received: 0 });
}

/// Whoever connects to a listener by mistake does not keep the JVM out.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_listener_survives_who_is_no_jvm() {
    let listener = Listener::bind("127.0.0.1:0").await.expect("a free port");
    let addr = listener.local_addr().expect("bound");
    let mut stranger = tokio::net::TcpStream::connect(addr)
        .await
        .expect("it listens");
    tokio::io::AsyncWriteExt::write_all(&mut stranger, b"GET / HTTP/1.1\r\n\r\n")
        .await
        .expect("it reads");
    let error = listener.accept(patient()).await.expect_err("no JVM");
    assert!(matches!(error, ConnectError::NotJdwp { .. }), "{error:?}");
    let silent = tokio::net::TcpStream::connect(addr)
        .await
        .expect("it listens");
    let error = listener.accept(impatient()).await.expect_err("no JVM");
    assert!(matches!(error, ConnectError::Timeout { .. }), "{error:?}");
    drop(silent);

    let jdk = jdks::all().remove(0);
    let fixture = Fixture::compile(&jdk);
    let _jvm = Jvm::start_client(&jdk, &fixture, addr);
    let client = listener
        .accept(patient())
        .await
        .expect("a JVM")
        .into_client();
    assert!(client.request(&AllThreads).await.is_ok());
}
