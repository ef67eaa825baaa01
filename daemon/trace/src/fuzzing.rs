//! Entry points for fuzzers and property tests: one function per decoder, and a way to turn any
//! bytes into events that nest well.

use crate::block::{Block, BlockBuilder, FORMAT_VERSION};
use crate::content::{Change, Given, Held, Items, Looked, Part};
use crate::event::{Event, EventKind, MonitorAction, Outcome};
use crate::ids::{CallId, ClassId, FieldId, MethodId, ObjectId, ThreadId, Timestamp};
use crate::text::Units;
use crate::value::{Missing, Value};
use crate::variable::{ContentKey, Local, Variable};

/// Decodes hostile bytes; what decodes must be readable everywhere.
pub fn decode_block(bytes: &[u8]) {
    if let Ok(block) = Block::decode(bytes) {
        read_everything(&block);
    }
    // Without magic, version and checksum, which a fuzzer would hardly guess.
    for version in 1..=FORMAT_VERSION {
        if let Ok(block) = Block::decode_body(bytes, version) {
            read_everything(&block);
        }
    }
}

fn read_everything(block: &Block) {
    let mut held = Held::default();
    for position in 0..=block.len() {
        let _ = (
            block.event(position),
            block.index(position),
            block.enter(position),
        );
        let _ = (
            block.write(position),
            block.created(position),
            block.is_exit(position),
        );
        let _ = block.innermost_after(position);
        if let Some(content) = block.content(position) {
            held.apply(content.change);
        }
    }
    for thread in block.threads() {
        let _ = (
            thread.next_call(),
            thread.innermost_at_end(),
            thread.depth_at_end(),
        );
        assert!(
            thread.open_rows().count() <= thread.rows.len(),
            "open rows are rows"
        );
    }
    assert!(block.memory() > 0, "a block takes memory");
}

/// Builds events from any bytes, encodes them in blocks of `capacity`, and compares what comes back.
pub fn encode_and_decode(bytes: &[u8], capacity: usize) {
    let events = events_from(bytes);
    let mut builder = BlockBuilder::new(capacity);
    let mut blocks = Vec::new();
    for event in &events {
        if builder.is_full() {
            blocks.push(builder.take());
        }
        builder.append(event).expect("events of a script nest");
    }
    blocks.push(builder.take());
    let mut read = Vec::new();
    for block in &blocks {
        let decoded = Block::decode(&block.encode()).expect("what was encoded decodes");
        assert_eq!(
            decoded.threads(),
            block.threads(),
            "calls are worked out alike"
        );
        assert_eq!(decoded.wall_ms(), block.wall_ms(), "the clock comes back");
        assert!(
            decoded.methods().eq(block.methods()),
            "invocations come back"
        );
        assert_eq!(
            decoded.first().0,
            read.len() as u64,
            "blocks follow one another"
        );
        read.extend((0..decoded.len()).filter_map(|position| decoded.event(position)));
    }
    assert_eq!(read, events, "the events come back");
}

/// Turns bytes into events: each byte, with a few that follow as parameters, adds an event to one
/// of a few threads; calls nest, objects and arrays have variables of every kind.
pub fn events_from(bytes: &[u8]) -> Vec<Event> {
    let mut script = Script {
        bytes: bytes.iter(),
        threads: Default::default(),
        objects: 0,
    };
    let mut events = Vec::new();
    let mut thread = 0;
    while let Some(&byte) = script.bytes.next() {
        if byte >= 240 {
            thread = usize::from(byte - 240) % script.threads.len();
        } else {
            events.push(script.event(thread, byte));
        }
    }
    events
}

struct Script<'a> {
    bytes: std::slice::Iter<'a, u8>,
    /// Per thread its running calls, and the number of its calls so far.
    threads: [(Vec<u64>, u64); 4],
    objects: u64,
}

impl Script<'_> {
    fn byte(&mut self) -> u8 {
        self.bytes.next().copied().unwrap_or(0)
    }

    fn object(&mut self) -> ObjectId {
        // Old objects are met again, and now and then an id far away.
        let byte = self.byte();
        ObjectId(match byte {
            0..=250 => 1 + u64::from(byte) % (self.objects + 1),
            _ => u64::MAX - u64::from(byte),
        })
    }

    fn value(&mut self) -> Value {
        let byte = self.byte();
        match byte % 16 {
            0 => Value::Boolean(byte >= 128),
            1 => Value::Byte(self.byte() as i8),
            2 => Value::Char(u16::from(self.byte()) << 4),
            3 => Value::Short(-i16::from(self.byte())),
            4..=6 => Value::Int(i32::from(self.byte() as i8) << (byte >> 4)),
            7 => Value::Long(i64::from(self.byte() as i8).wrapping_mul(0x0123_4567_89AB_CDEF)),
            8 => Value::float(f32::from(self.byte()) / 3.0),
            9 => Value::double(f64::from(self.byte()) * 0.5),
            10 => Value::Null,
            11 => Value::Missing(
                [
                    Missing::Level,
                    Missing::Native,
                    Missing::BeforeRecording,
                    Missing::Unreadable,
                    Missing::Doubted,
                    Missing::Unseen,
                ][usize::from(byte >> 4) % 6],
            ),
            _ => Value::Object(self.object()),
        }
    }

    fn variable(&mut self, call: CallId) -> Variable {
        let byte = self.byte();
        let number = u32::from(byte >> 4) % 6;
        match byte % 9 {
            0 | 1 => Variable::Local {
                call,
                local: Local::Named(number as u16),
            },
            2 => Variable::Local {
                call,
                local: Local::Slot(number as u16),
            },
            // No object has both fields and elements: those with odd ids are arrays.
            3 | 4 => {
                let object = ObjectId(self.object().0 & !1);
                let field = FieldId(number);
                Variable::Field { object, field }
            }
            5 => Variable::Static {
                field: FieldId(100 + number),
            },
            6 | 7 => {
                let array = ObjectId(self.object().0 | 1);
                let index = u32::from(self.byte());
                Variable::Element { array, index }
            }
            _ => match number {
                0 => Variable::Return { call },
                1 => Variable::Exception { call },
                2 => Variable::Content {
                    object: self.object(),
                    key: match self.byte() % 3 {
                        0 => ContentKey::All,
                        1 => ContentKey::Index(self.byte().into()),
                        _ => ContentKey::Key(self.value()),
                    },
                },
                _ => Variable::Local {
                    call: CallId::root(call.thread),
                    local: Local::Slot(number as u16),
                },
            },
        }
    }

    fn items(&mut self) -> Items {
        let byte = self.byte();
        let length = byte >> 4;
        match byte % 6 {
            0 => Items::Elements((0..length).map(|_| self.value()).collect()),
            1 => Items::Entries((0..length).map(|_| (self.value(), self.value())).collect()),
            2 => {
                let unit = |_| u16::from(self.byte()) << 8 | u16::from(self.byte());
                Items::Text(Units::from((0..length).map(unit).collect::<Vec<_>>()))
            }
            3 => Items::Value(self.value()),
            4 => {
                let name = |byte: u8| format!("part {}", byte % 3);
                let part = |_| (name(self.byte()), self.value());
                Items::Named((0..length).map(part).collect())
            }
            _ => Items::View {
                of: self.object(),
                part: self.part(),
            },
        }
    }

    fn part(&mut self) -> Part {
        let mut number = || u32::from(self.byte());
        match number() % 9 {
            0 => Part::Same,
            1 => Part::Keys,
            2 => Part::Values,
            3 => Part::Entries,
            4 => Part::Reversed,
            5 => Part::Range {
                from: number(),
                to: u32::MAX - number(),
            },
            6 => Part::At { index: number() },
            7 => Part::Rest {
                given: match number() % 3 {
                    0 => Given::Item,
                    1 => Given::Key,
                    _ => Given::Value,
                },
                index: number(),
                backwards: number() % 2 == 0,
            },
            _ => Part::Buffer {
                from: number(),
                to: number(),
                position: number(),
                limit: number(),
            },
        }
    }

    fn change(&mut self) -> Change {
        match self.byte() % 9 {
            0 | 1 => Change::Whole(self.items()),
            8 => {
                let objects = (0..self.byte() % 5).map(|_| {
                    let what = match self.byte() {
                        0 => Looked::Fields,
                        1 => Looked::Held,
                        byte => Looked::Elements(u32::from(byte) << (byte % 24)),
                    };
                    (self.object(), what)
                });
                Change::AsTold(objects.collect())
            }
            2 => Change::First {
                items: self.items(),
                length: self.byte().into(),
            },
            3 => Change::More(self.items()),
            5 => Change::Gone {
                since: Timestamp(self.byte().into()),
            },
            4 => Change::Unknown {
                since: match self.byte() % 4 {
                    0 => Some(Timestamp(self.byte().into())),
                    _ => None,
                },
                reason: format!("reason {}", self.byte() % 4),
            },
            _ => Change::Splice {
                at: self.byte().into(),
                removed: u32::from(self.byte()) % 4,
                inserted: self.items(),
            },
        }
    }

    fn event(&mut self, thread: usize, byte: u8) -> Event {
        let id = ThreadId(thread as u32 + 1);
        let innermost = self.threads[thread].0.last().copied().unwrap_or(0);
        let mut call = CallId::new(id, innermost);
        let index = match self.byte() {
            255 => Event::NO_INDEX,
            byte => u32::from(byte % 24) * 3,
        };
        let kind = match byte % 40 {
            0 => EventKind::ThreadStart,
            1 => EventKind::ThreadEnd,
            2 => EventKind::ClassPrepared {
                class: ClassId(u32::from(byte)),
            },
            3..=12 => {
                let (stack, calls) = &mut self.threads[thread];
                *calls += 1;
                stack.push(*calls);
                call = CallId::new(id, *calls);
                let shape = self.byte();
                let receiver = (shape & 1 == 1).then(|| self.value());
                EventKind::Enter {
                    method: MethodId(u32::from(shape >> 4)),
                    receiver,
                    arguments: (0..shape / 2 % 5).map(|_| self.value()).collect(),
                    call_site: if shape > 200 {
                        Event::NO_INDEX
                    } else {
                        u32::from(shape) * 2
                    },
                    boundary: shape.is_multiple_of(7),
                    already_running: shape.is_multiple_of(11),
                }
            }
            13..=21 if innermost != 0 => {
                self.threads[thread].0.pop();
                let outcome = match byte % 5 {
                    0 => Outcome::Returned(None),
                    1 => Outcome::Threw(self.value()),
                    2 if byte > 200 => Outcome::Unknown,
                    _ => Outcome::Returned(Some(self.value())),
                };
                EventKind::Exit { outcome }
            }
            22 | 23 => {
                self.objects += 1;
                let length = (byte >= 120).then(|| u32::from(self.byte()));
                EventKind::New {
                    object: ObjectId(self.objects),
                    class: ClassId(3),
                    length,
                }
            }
            24 => EventKind::Thrown {
                exception: self.value(),
            },
            25 => EventKind::Caught {
                exception: self.value(),
            },
            26 => EventKind::Uncaught {
                exception: self.value(),
            },
            27 => {
                let actions = [
                    MonitorAction::Enter,
                    MonitorAction::Exit,
                    MonitorAction::Wait,
                    MonitorAction::Notified,
                ];
                let action = actions[usize::from(byte / 40) % 4];
                EventKind::Monitor {
                    action,
                    object: self.object(),
                }
            }
            28 => EventKind::Edge {
                from: index,
                to: u32::from(byte),
            },
            29 => EventKind::Use {
                variable: self.variable(call),
            },
            30 => EventKind::Snapshot {
                variable: self.variable(call),
                value: self.value(),
            },
            31 if byte > 100 => EventKind::Content {
                object: self.object(),
                snapshot: byte > 150,
                change: self.change(),
            },
            39 if byte > 200 => EventKind::Gap {
                back: self.byte().is_multiple_of(4),
                reason: format!("gap {byte} \u{1F573}"),
            },
            _ => EventKind::Write {
                variable: self.variable(call),
                value: self.value(),
            },
        };
        Event { call, index, kind }
    }
}
