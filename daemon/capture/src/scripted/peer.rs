//! The peer: what it answers, and when it tells the next event.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread::{JoinHandle, spawn};

use jdwp::codec::{IdSizes, decode, encode};
use jdwp::commands::{
    class_type, event_request, method, reference_type, stack_frame, thread_group_reference,
    thread_reference, virtual_machine,
};
use jdwp::types::{
    ClassLoaderId, FrameId, ReferenceTypeId, RequestId, SuspendPolicy, ThreadGroupId,
};
use jdwp::{Command, Composite, Event};

use super::{Class, Frame, MAIN, Script, Step};

/// All events are of this request, which is what every request gets as its number.
pub(super) const REQUEST: RequestId = RequestId(1);

const HANDSHAKE: &[u8; 14] = b"JDWP-Handshake";
const HEADER: usize = 11;
const SIZES: IdSizes = IdSizes::EIGHT;
/// `NOT_IMPLEMENTED`, `ABSENT_INFORMATION` and `INVALID_FRAMEID`.
const REFUSED: u16 = 99;
const ABSENT: u16 = 101;
const NO_FRAME: u16 = 30;
const STATIC: i32 = 8;

/// What the peer refused; how often the thread was resumed, and how often it was suspended.
type Served = (Vec<String>, (usize, usize));

/// A command as numbers.
const fn number<C: Command>() -> (u8, u8) {
    (C::SET, C::COMMAND)
}

/// Listens for one debugger.
pub(super) fn listen(script: Script) -> (String, JoinHandle<Served>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("its address").to_string();
    let serve = move || {
        let stream = listener.accept().expect("somebody comes").0;
        let mut peer = Peer {
            stream,
            classes: script.classes,
            stack: Vec::new(),
            refused: Vec::new(),
            generation: 0,
            frames_from: script.frames_from,
            resumed: 0,
            suspended: 0,
            dying: false,
        };
        peer.serve(script.steps);
        (peer.refused, (peer.resumed, peer.suspended))
    };
    (address, spawn(serve))
}

struct Peer {
    stream: TcpStream,
    classes: Vec<Class>,
    stack: Vec<Frame>,
    refused: Vec<String>,
    /// HotSpot names a frame by how often its thread was resumed, and by its place from the innermost one.
    generation: u64,
    frames_from: u64,
    resumed: usize,
    suspended: usize,
    /// It has told its end.
    dying: bool,
}

impl Peer {
    fn serve(&mut self, steps: Vec<Step>) {
        let mut hello = [0; HANDSHAKE.len()];
        self.stream.read_exact(&mut hello).expect("a handshake");
        assert_eq!(&hello, HANDSHAKE);
        self.stream.write_all(HANDSHAKE).expect("it listens");
        let all_resume = number::<virtual_machine::Resume>();
        let mut goes_on = self.answer_until(all_resume);
        for step in steps {
            if !goes_on {
                return;
            }
            self.stack = step.stack;
            let mut told = step.told.events.iter();
            self.dying = told.any(|event| matches!(event, Event::VmDeath { .. }));
            self.tell(&step.told);
            let wanted = match step.told.suspend_policy {
                SuspendPolicy::EVENT_THREAD => number::<thread_reference::Resume>(),
                SuspendPolicy::ALL => all_resume,
                _ => continue,
            };
            self.suspended += 1;
            goes_on = self.answer_until(wanted);
            self.resumed += usize::from(goes_on);
            self.generation += 1;
        }
    }

    /// What is said to somebody who has gone is lost, as it is in a JVM.
    fn say(&mut self, id: u32, [flags, a, b]: [u8; 3], body: &[u8]) {
        let length = u32::try_from(HEADER + body.len()).expect("a short packet");
        let mut packet = length.to_be_bytes().to_vec();
        packet.extend(id.to_be_bytes());
        packet.extend([flags, a, b]);
        packet.extend(body);
        let _ = self.stream.write_all(&packet);
    }

    fn tell(&mut self, composite: &Composite) {
        let (set, command) = number::<Composite>();
        self.say(1, [0, set, command], &encode(composite, &SIZES));
    }

    /// Answers up to the first such command. False if the debugger goes before.
    fn answer_until(&mut self, wanted: (u8, u8)) -> bool {
        loop {
            let mut header = [0; HEADER];
            if self.stream.read_exact(&mut header).is_err() {
                return false;
            }
            let [a, b, c, d, w, x, y, z, _, set, command] = header;
            let length = u32::from_be_bytes([a, b, c, d]) as usize;
            let mut body = vec![0; length - HEADER];
            self.stream.read_exact(&mut body).expect("a whole packet");
            let id = u32::from_be_bytes([w, x, y, z]);
            match self.answer((set, command), &body) {
                Ok(reply) => self.say(id, [0x80, 0, 0], &reply),
                Err(error) => {
                    let [high, low] = error.to_be_bytes();
                    self.say(id, [0x80, high, low], &[]);
                }
            }
            if (set, command) == wanted {
                return true;
            }
        }
    }

    fn answer(&mut self, command: (u8, u8), body: &[u8]) -> Result<Vec<u8>, u16> {
        /// Finds the command, decodes it, encodes the reply.
        macro_rules! answers {
            ($($name:ty = $answer:expr,)*) => {
                match command {
                    $(wanted if wanted == number::<$name>() => {
                        let asked: $name = decode(body, &SIZES).expect("a command");
                        let reply: Result<<$name as Command>::Reply, u16> = $answer(asked);
                        reply.map(|reply| encode(&reply, &SIZES))
                    })*
                    (set, command) => {
                        self.refused.push(jdwp::commands::name(set, command));
                        Err(REFUSED)
                    }
                }
            };
        }
        if self.dying && command == number::<virtual_machine::Dispose>() {
            // HotSpot's agent aborts the JVM then, or lets it stand for ever.
            self.refused
                .push("to be disposed of while it ends".to_owned());
        }
        let stack = &self.stack;
        let generation = (self.generation << 16) + self.frames_from;
        let classes = &self.classes;
        let class = |id: ReferenceTypeId| classes.get(id.0 as usize - 1).ok_or(REFUSED);
        let method_of = |id: ReferenceTypeId, method: jdwp::types::MethodId| {
            class(id)?.methods.get(method.0 as usize).ok_or(REFUSED)
        };
        answers! {
            virtual_machine::IDSizes = |_| Ok(virtual_machine::IdSizesReply {
                field: 8, method: 8, object: 8, reference_type: 8, frame: 8,
            }),
            virtual_machine::Version = |_| Ok(virtual_machine::VersionReply {
                description: "a script".into(),
                jdwp_major: 17,
                jdwp_minor: 0,
                vm_version: "17".into(),
                vm_name: "scripted".into(),
            }),
            virtual_machine::Suspend = |_| Ok(()),
            virtual_machine::Resume = |_| Ok(()),
            virtual_machine::Dispose = |_| Ok(()),
            virtual_machine::AllClasses = |_| Ok(Vec::new()),
            virtual_machine::AllThreads = |_| Ok(vec![MAIN]),
            virtual_machine::ClassesBySignature = |_| Ok(Vec::new()),
            event_request::Set = |_| Ok(REQUEST),
            event_request::Clear = |_| Ok(()),
            thread_reference::Name = |_| Ok("main".into()),
            thread_reference::ThreadGroup = |_| Ok(ThreadGroupId(9)),
            thread_group_reference::Name = |_| Ok("group".into()),
            thread_reference::Resume = |_| Ok(()),
            thread_reference::FrameCount = |_| Ok(i32::try_from(stack.len()).unwrap_or(i32::MAX)),
            thread_reference::Frames = |asked: thread_reference::Frames| {
                let frames = stack.iter().enumerate().rev();
                let frames = frames.skip(usize::try_from(asked.start_frame).unwrap_or(0));
                let most = usize::try_from(asked.length).unwrap_or(usize::MAX);
                let frames = frames.take(most).map(|(height, frame)| thread_reference::Frame {
                    frame: FrameId(generation + (stack.len() - 1 - height) as u64),
                    location: frame.location(),
                });
                Ok(frames.collect())
            },
            stack_frame::GetValues = |asked: stack_frame::GetValues| {
                let depth = asked.frame.0.checked_sub(generation).ok_or(NO_FRAME)?;
                let frame = stack.iter().rev().nth(depth as usize).ok_or(NO_FRAME)?;
                let slots = asked.slots.iter();
                slots.map(|slot| frame.slots.get(slot.slot as usize).copied().ok_or(REFUSED)).collect()
            },
            reference_type::Signature = |asked: reference_type::Signature| {
                let name = class(asked.ref_type)?.name.replace('.', "/");
                Ok(format!("L{name};").as_str().into())
            },
            class_type::Superclass = |_| Ok(ReferenceTypeId::NULL),
            reference_type::ConstantPool = |_| Ok(reference_type::ConstantPoolReply {
                count: 1,
                bytes: Vec::new(),
            }),
            reference_type::ClassLoader = |_| Ok(ClassLoaderId(77)),
            reference_type::Modifiers = |_| Ok(1),
            reference_type::Fields = |_| Ok(Vec::new()),
            reference_type::Interfaces = |_| Ok(Vec::new()),
            reference_type::SourceFile = |_| Ok("Scripted.java".into()),
            reference_type::Methods = |asked: reference_type::Methods| {
                let all = class(asked.ref_type)?.methods.iter().enumerate();
                let all = all.map(|(at, method)| reference_type::MethodInfo {
                    method: jdwp::types::MethodId(at as u64),
                    name: method.name.into(),
                    signature: method.descriptor.into(),
                    mod_bits: STATIC,
                });
                Ok(all.collect())
            },
            method::LineTable = |asked: method::LineTable| {
                let known = method_of(asked.ref_type, asked.method)?;
                let lines = known.lines.iter();
                Ok(method::LineTableReply {
                    start: 0,
                    end: i64::try_from(known.code.len()).unwrap_or(0) - 1,
                    lines: lines.map(|&(code_index, line)| method::LineInfo { code_index, line }).collect(),
                })
            },
            method::VariableTable = |_| Err(ABSENT),
            method::Bytecodes = |asked: method::Bytecodes| {
                Ok(method_of(asked.ref_type, asked.method)?.code.clone())
            },
        }
    }
}
