//! A JVM that goes wrong after the connection is made: dies, hangs, breaks the protocol. And a good
//! one that answers in an order of its own.

mod support;

use std::time::{Duration, Instant};

use jdwp::commands::virtual_machine::{AllThreads, CreateString, Version};
use jdwp::{
    Client, Composite, ConnectionEnd, DecodeErrorKind, ErrorCode, Event, Options, PacketId,
    PacketKind, ProtocolError, ReplyError, RequestError, RequestId, StringId, SuspendPolicy,
    ThreadId,
};
use support::jdks;
use support::jvm::{Fixture, Jvm, PATIENCE};
use support::peer::{self, Peer, serve};

const SHORT: Duration = Duration::from_millis(300);

/// What the peer says, and how to know the error that it must give.
type Case = (Vec<u8>, fn(&ProtocolError) -> bool);

/// A client of a peer that behaves at first and then follows the script.
async fn client<F>(options: Options, script: impl FnOnce(Peer) -> F + Send + 'static) -> Client
where
    F: Future<Output = ()> + Send,
{
    let addr = serve(|mut peer: Peer| async move {
        peer.begin().await;
        script(peer).await;
    })
    .await;
    Client::connect(addr, options.timeout(PATIENCE))
        .await
        .expect("a good peer so far")
}

fn patient() -> Options {
    Options::default().request_timeout(Some(PATIENCE))
}

fn death() -> Composite {
    let events = vec![Event::VmDeath {
        request: RequestId::NONE,
    }];
    Composite {
        suspend_policy: SuspendPolicy::NONE,
        events,
    }
}

#[tokio::test]
async fn replies_find_their_requests_in_any_order() {
    let client = client(patient(), |mut peer: Peer| async move {
        let mut asked = Vec::new();
        for _ in 0..50 {
            let (id, numbers, body) = peer.command().await;
            assert_eq!(numbers, (1, 11));
            asked.push((id, body));
        }
        asked.reverse();
        for (id, body) in asked {
            // The number that the string says.
            let text = str::from_utf8(&body[4..]).expect("digits");
            peer.reply(id, &StringId(text.parse().expect("a number")))
                .await;
            peer.event(&death()).await;
        }
        peer.until_closed().await;
    })
    .await;
    let mut events = client.events().expect("not taken yet");
    assert!(client.events().is_none(), "taken only once");
    let mut asked = tokio::task::JoinSet::new();
    for number in 0..50u64 {
        let client = client.clone();
        asked.spawn(async move {
            let utf = number.to_string().into();
            (number, client.request(&CreateString { utf }).await)
        });
    }
    while let Some(answer) = asked.join_next().await {
        let (number, answer) = answer.expect("no panic");
        assert_eq!(answer.expect("an answer"), StringId(number));
    }
    for _ in 0..50 {
        assert_eq!(events.next().await, Some(death()));
    }
}

/// Nobody takes the events, and replies come all the same.
#[tokio::test]
async fn events_never_hold_up_replies() {
    let count = 20_000;
    let client = client(patient(), move |mut peer: Peer| async move {
        let (id, _, _) = peer.command().await;
        let event = peer::event_packet(&death());
        for _ in 0..count / 100 {
            peer.say(&event.repeat(100)).await;
        }
        peer.reply(id, &vec![ThreadId(1)]).await;
        peer.until_closed().await;
    })
    .await;
    assert_eq!(
        client.request(&AllThreads).await.expect("an answer"),
        [ThreadId(1)]
    );
    assert_eq!(client.events().expect("not taken yet").waiting(), count);
}

#[tokio::test]
async fn an_error_code_ends_only_its_request() {
    let client = client(patient(), |mut peer: Peer| async move {
        for code in [ErrorCode::VM_DEAD, ErrorCode(999)] {
            let (id, _, _) = peer.command().await;
            peer.fail(id, code).await;
        }
        let (id, _, _) = peer.command().await;
        peer.reply(id, &vec![ThreadId(3)]).await;
        peer.until_closed().await;
    })
    .await;
    let error = client.request(&AllThreads).await.expect_err("refused");
    assert_eq!(error.code(), Some(ErrorCode::VM_DEAD));
    let text = error.to_string();
    assert!(
        text.contains("VirtualMachine.AllThreads") && text.contains("VM_DEAD"),
        "{text}"
    );
    let error = client.request(&AllThreads).await.expect_err("refused");
    assert_eq!(
        error.code(),
        Some(ErrorCode(999)),
        "a code without a name is kept"
    );
    assert_eq!(
        client.request(&AllThreads).await.expect("an answer"),
        [ThreadId(3)]
    );
}

#[tokio::test]
async fn a_malformed_reply_ends_only_its_request() {
    let client = client(patient(), |mut peer: Peer| async move {
        let (id, _, _) = peer.command().await;
        // A million threads in four bytes.
        peer.reply(id, &1_000_000i32).await;
        let (id, _, _) = peer.command().await;
        peer.reply(id, &vec![ThreadId(3)]).await;
        peer.until_closed().await;
    })
    .await;
    let error = client.request(&AllThreads).await.expect_err("malformed");
    let RequestError::Reply(ReplyError::Malformed { command, source }) = error else {
        panic!("{error:?}");
    };
    assert_eq!(command, "VirtualMachine.AllThreads");
    assert_eq!(
        source.kind,
        DecodeErrorKind::Count {
            count: 1_000_000,
            min_len: 8,
            left: 0
        }
    );
    assert_eq!(
        client.request(&AllThreads).await.expect("an answer"),
        [ThreadId(3)]
    );
}

#[tokio::test]
async fn a_jvm_that_hangs_in_the_middle_of_a_reply() {
    let client = client(
        Options::default().request_timeout(Some(SHORT)),
        |mut peer: Peer| async move {
            let (id, _, _) = peer.command().await;
            let reply = PacketKind::Reply {
                error: ErrorCode::NONE,
            };
            peer.say(&peer::packet(id, reply, &[0; 100])[..50]).await;
            peer.until_closed().await;
        },
    )
    .await;
    let started = Instant::now();
    let error = client.request(&AllThreads).await.expect_err("no answer");
    assert!(
        matches!(error, RequestError::Timeout { after: SHORT, .. }),
        "{error:?}"
    );
    // Closing does not wait for it either, and tells all.
    assert!(matches!(*client.close().await, ConnectionEnd::ClosedHere));
    let error = client.request(&AllThreads).await.expect_err("closed");
    assert!(matches!(error, RequestError::Ended { .. }), "{error:?}");
    assert!(started.elapsed() < PATIENCE);
}

/// The reply that comes after its request was given up is dropped; others find theirs.
#[tokio::test]
async fn a_late_reply_disturbs_nobody() {
    let (go, gate) = tokio::sync::oneshot::channel();
    let client = client(patient(), |mut peer: Peer| async move {
        let (late, _, _) = peer.command().await;
        gate.await.expect("the test goes on");
        peer.reply(late, &vec![ThreadId(1)]).await;
        let (id, _, _) = peer.command().await;
        peer.reply(id, &vec![ThreadId(2)]).await;
        peer.until_closed().await;
    })
    .await;
    let error = client
        .request_within(&AllThreads, Some(SHORT))
        .await
        .expect_err("no answer yet");
    assert!(matches!(error, RequestError::Timeout { .. }), "{error:?}");
    go.send(()).expect("the peer waits");
    assert_eq!(
        client.request(&AllThreads).await.expect("an answer"),
        [ThreadId(2)]
    );
}

#[tokio::test]
async fn a_jvm_that_dies() {
    // In the middle of a reply, in the middle of a header, between packets, with a reset.
    for said in [50, 6, 2, 0] {
        let client = client(patient(), move |mut peer: Peer| async move {
            let (id, _, _) = peer.command().await;
            let reply = PacketKind::Reply {
                error: ErrorCode::NONE,
            };
            peer.say(&peer::packet(id, reply, &[0; 89])[..said]).await;
        })
        .await;
        let mut events = client.events().expect("not taken yet");
        let error = client.request(&AllThreads).await.expect_err("no answer");
        let RequestError::Ended { end, .. } = error else {
            panic!("{error:?}")
        };
        let expected = match said {
            0 => matches!(*end, ConnectionEnd::ClosedByPeer),
            2 => matches!(
                *end,
                ConnectionEnd::ClosedMidPacket {
                    arrived: 2,
                    expected: None
                }
            ),
            _ => {
                matches!(*end, ConnectionEnd::ClosedMidPacket { arrived, expected: Some(100) } if arrived == said)
            }
        };
        assert!(expected, "{said}: {end:?}");
        assert_eq!(events.next().await, None);
        assert_eq!(
            client.end().expect("it is over").to_string(),
            end.to_string()
        );
    }
    let client = client(patient(), |mut peer: Peer| async move {
        peer.command().await;
        peer.reset();
    })
    .await;
    let error = client.request(&AllThreads).await.expect_err("no answer");
    let RequestError::Ended { end, .. } = error else {
        panic!("{error:?}")
    };
    assert!(matches!(*end, ConnectionEnd::ClosedByPeer), "{end:?}");
}

#[tokio::test]
async fn a_jvm_that_breaks_the_protocol() {
    let reply = PacketKind::Reply {
        error: ErrorCode::NONE,
    };
    let event = PacketKind::Command {
        set: 64,
        command: 100,
    };
    let cases: Vec<Case> = vec![
        (peer::packet(PacketId(77), reply, &[]), |e| {
            *e == ProtocolError::UnexpectedReply(PacketId(77))
        }),
        (
            peer::packet(PacketId(1), event, &[2, 0, 0, 0, 1, 90, 0]),
            |e| matches!(e, ProtocolError::Event(_)),
        ),
        (
            peer::packet(PacketId(1), event, &[2, 0x7F, 0xFF, 0xFF, 0xFF]),
            |e| matches!(e, ProtocolError::Event(_)),
        ),
        (vec![0xFF; 11], |e| matches!(e, ProtocolError::Frame(_))),
        (vec![0, 0, 0, 3, 0, 0, 0, 0, 0x80, 0, 0], |e| {
            matches!(e, ProtocolError::Frame(_))
        }),
        (vec![0, 0, 0, 11, 0, 0, 0, 0, 0x81, 0, 0], |e| {
            matches!(e, ProtocolError::Frame(_))
        }),
    ];
    for (said, expected) in cases {
        let bytes = said.clone();
        let client = client(patient(), |mut peer: Peer| async move {
            peer.command().await;
            peer.say(&bytes).await;
            peer.until_closed().await;
        })
        .await;
        let error = client.request(&AllThreads).await.expect_err("no answer");
        let RequestError::Ended { end, .. } = &error else {
            panic!("{error:?}")
        };
        let ConnectionEnd::Protocol(cause) = &**end else {
            panic!("{end:?}")
        };
        assert!(expected(cause), "{} gives {error}", said.escape_ascii());
    }
}

/// The bound on packets is the one that was asked for, also for packets that are well-formed.
#[tokio::test]
async fn a_packet_above_the_bound_is_refused() {
    let client = client(patient().max_packet(4096), |mut peer: Peer| async move {
        for length in [500, 512] {
            let (id, _, _) = peer.command().await;
            peer.reply(id, &vec![ThreadId(1); length]).await;
        }
        peer.until_closed().await;
    })
    .await;
    assert_eq!(
        client
            .request(&AllThreads)
            .await
            .expect("within the bound")
            .len(),
        500
    );
    let error = client.request(&AllThreads).await.expect_err("too long");
    let RequestError::Ended { end, .. } = &error else {
        panic!("{error:?}")
    };
    assert!(
        matches!(&**end, ConnectionEnd::Protocol(ProtocolError::Frame(_))),
        "{end:?}"
    );
    assert!(error.to_string().contains("4096"), "{error}");
}

/// A peer that never reads: commands pile up in the system's buffers, and closing is bounded.
#[tokio::test]
async fn a_jvm_that_never_reads_does_not_hold_up_closing() {
    let (done, wait) = tokio::sync::oneshot::channel::<()>();
    let client = client(
        Options::default().request_timeout(Some(SHORT)),
        |peer: Peer| async move {
            let _ = wait.await;
            drop(peer);
        },
    )
    .await;
    let utf = jdwp::JdwpString::from("x".repeat(16 << 20));
    let error = client
        .request(&CreateString { utf })
        .await
        .expect_err("no answer");
    assert!(matches!(error, RequestError::Timeout { .. }), "{error:?}");
    let started = Instant::now();
    client.close().await;
    assert!(started.elapsed() < Duration::from_secs(20));
    drop(done);
}

/// A real JVM that is killed with requests in flight.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_real_jvm_that_is_killed() {
    for jdk in jdks::all() {
        let fixture = Fixture::compile(&jdk);
        let (mut jvm, addr) = Jvm::start_server(&jdk, &fixture, &["wait"]);
        let client = Client::connect(addr, patient())
            .await
            .expect("the JVM listens");
        let mut events = client.events().expect("not taken yet");
        events.next().await.expect("VM_START");
        let asking = tokio::spawn({
            let client = client.clone();
            async move {
                loop {
                    if let Err(error) = client.request(&Version).await {
                        return error;
                    }
                }
            }
        });
        jvm.child.kill().expect("it runs");
        let error = tokio::time::timeout(PATIENCE, asking)
            .await
            .expect("in time");
        let error = error.expect("no panic");
        assert!(matches!(error, RequestError::Ended { .. }), "{error:?}");
        assert_eq!(events.next().await, None);
        let end = client.closed().await;
        let lost = matches!(
            *end,
            ConnectionEnd::ClosedByPeer | ConnectionEnd::ClosedMidPacket { .. }
        );
        assert!(lost, "{end:?}");
    }
}
