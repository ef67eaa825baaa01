//! What of an event the program's text decides: the shape; and how the rest is laid out as payload.

use crate::content::Change;
use crate::event::{Event, EventKind, MonitorAction, Outcome};
use crate::ids::{CallId, ClassId, FieldId, MethodId, ObjectId};
use crate::value::{Missing, Value};
use crate::variable::{ContentKey, Local, Variable};

/// The static part of an event. What `a`, `b`, `flags` and `tags` mean depends on `op`: see the
/// constants of [`op`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) op: u8,
    /// Kind of variable, for writes, uses and snapshots.
    pub(crate) var: u8,
    pub(crate) flags: u8,
    /// Bytecode index.
    pub(crate) index: u32,
    pub(crate) a: u32,
    pub(crate) b: u32,
    /// Number of a tag list; for `ENTER` only.
    pub(crate) tags: u32,
}

impl std::hash::Hash for Shape {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        let head = u64::from(self.op) | (u64::from(self.var) << 8) | (u64::from(self.flags) << 16);
        state.write_u64(head | (u64::from(self.index) << 32));
        state.write_u64(u64::from(self.a) | (u64::from(self.b) << 32));
        state.write_u32(self.tags);
    }
}

/// Kinds of events. Numbers once given keep their meaning for ever.
pub(crate) mod op {
    pub(crate) const THREAD_START: u8 = 0;
    pub(crate) const THREAD_END: u8 = 1;
    /// a: class.
    pub(crate) const CLASS_PREPARED: u8 = 2;
    /// a: method, b: call site, flags: `BOUNDARY`, `ALREADY_RUNNING`, `RECEIVER`, tags: list of the
    /// receiver's and the arguments' tags. Payload: their values.
    pub(crate) const ENTER: u8 = 3;
    /// flags: `VALUE`, b: its tag. Payload: the value.
    pub(crate) const RETURNED: u8 = 4;
    /// b: the exception's tag. Payload: the exception.
    pub(crate) const THREW: u8 = 5;
    pub(crate) const EXIT_UNKNOWN: u8 = 6;
    /// a: class, flags: `VALUE` when there is a length. Payload: object, length.
    pub(crate) const NEW: u8 = 7;
    /// var, a: local or field, b: the value's tag. Payload: the variable's parts, the value.
    pub(crate) const WRITE: u8 = 8;
    /// As `WRITE`, without a value.
    pub(crate) const USE: u8 = 9;
    /// As `WRITE`.
    pub(crate) const SNAPSHOT: u8 = 10;
    /// a: from, b: to.
    pub(crate) const EDGE: u8 = 11;
    /// b: the exception's tag. Payload: the exception. So are `CAUGHT` and `UNCAUGHT`.
    pub(crate) const THROWN: u8 = 12;
    pub(crate) const CAUGHT: u8 = 13;
    pub(crate) const UNCAUGHT: u8 = 14;
    /// a: action. Payload: object.
    pub(crate) const MONITOR: u8 = 15;
    /// Payload: number of a text.
    pub(crate) const GAP: u8 = 16;
    /// flags: `SNAPSHOT`. Payload: object, number of a change.
    pub(crate) const CONTENT: u8 = 17;
    pub(crate) const LAST: u8 = CONTENT;
}

/// Kinds of variables.
pub(crate) mod var {
    /// a: position in the method's variable table.
    pub(crate) const NAMED: u8 = 0;
    /// a: slot.
    pub(crate) const SLOT: u8 = 1;
    /// a: field. Payload: object.
    pub(crate) const FIELD: u8 = 2;
    /// a: field.
    pub(crate) const STATIC: u8 = 3;
    /// Payload: array, index.
    pub(crate) const ELEMENT: u8 = 4;
    pub(crate) const RETURN: u8 = 5;
    pub(crate) const EXCEPTION: u8 = 6;
    /// a: `key`, b is the value's tag. Payload: object, the key.
    pub(crate) const CONTENT: u8 = 7;
    pub(crate) const LAST: u8 = CONTENT;
    /// Added to locals, return and exception of another call than the event's. Payload: the call.
    pub(crate) const OTHER_CALL: u8 = 8;
}

/// Keys of contents; a value's tag is added to `VALUE`.
pub(crate) mod key {
    pub(crate) const ALL: u32 = 0;
    pub(crate) const INDEX: u32 = 1;
    pub(crate) const VALUE: u32 = 2;
}

pub(crate) mod flag {
    pub(crate) const BOUNDARY: u8 = 1;
    pub(crate) const ALREADY_RUNNING: u8 = 2;
    pub(crate) const RECEIVER: u8 = 4;
    pub(crate) const VALUE: u8 = 1;
    pub(crate) const SNAPSHOT: u8 = 1;
    pub(crate) const BACK: u8 = 1;
}

/// Types of values. `false` and `true` are two tags, so that a boolean costs no payload.
pub(crate) mod tag {
    pub(crate) const FALSE: u8 = 0;
    pub(crate) const TRUE: u8 = 1;
    pub(crate) const BYTE: u8 = 2;
    pub(crate) const CHAR: u8 = 3;
    pub(crate) const SHORT: u8 = 4;
    pub(crate) const INT: u8 = 5;
    pub(crate) const LONG: u8 = 6;
    pub(crate) const FLOAT: u8 = 7;
    pub(crate) const DOUBLE: u8 = 8;
    pub(crate) const NULL: u8 = 9;
    pub(crate) const OBJECT: u8 = 10;
    pub(crate) const MISSING: u8 = 11;
    pub(crate) const LAST: u8 = 16;
}

pub(crate) mod category;

/// A value as tag and payload.
pub(crate) fn split(value: Value) -> (u8, Option<u64>) {
    match value {
        Value::Boolean(false) => (tag::FALSE, None),
        Value::Boolean(true) => (tag::TRUE, None),
        Value::Byte(v) => (tag::BYTE, Some(i64::from(v) as u64)),
        Value::Char(v) => (tag::CHAR, Some(u64::from(v))),
        Value::Short(v) => (tag::SHORT, Some(i64::from(v) as u64)),
        Value::Int(v) => (tag::INT, Some(i64::from(v) as u64)),
        Value::Long(v) => (tag::LONG, Some(v as u64)),
        Value::Float(v) => (tag::FLOAT, Some(u64::from(v))),
        Value::Double(v) => (tag::DOUBLE, Some(v)),
        Value::Null => (tag::NULL, None),
        Value::Object(v) => (tag::OBJECT, Some(v.0)),
        Value::Missing(why) => (tag::MISSING + missing_code(why), None),
    }
}

fn missing_code(why: Missing) -> u8 {
    match why {
        Missing::Level => 0,
        Missing::Native => 1,
        Missing::BeforeRecording => 2,
        Missing::Unreadable => 3,
        Missing::Doubted => 4,
        Missing::Unseen => 5,
    }
}

/// The inverse of [`split`]. Payload is taken from the iterator only where the tag has some.
pub(crate) fn join(value_tag: u8, payload: &mut impl Iterator<Item = u64>) -> Value {
    let mut next = || payload.next().unwrap_or(0);
    match value_tag {
        tag::FALSE => Value::Boolean(false),
        tag::TRUE => Value::Boolean(true),
        tag::BYTE => Value::Byte(next() as i8),
        tag::CHAR => Value::Char(next() as u16),
        tag::SHORT => Value::Short(next() as i16),
        tag::INT => Value::Int(next() as i32),
        tag::LONG => Value::Long(next() as i64),
        tag::FLOAT => Value::Float(next() as u32),
        tag::DOUBLE => Value::Double(next()),
        tag::NULL => Value::Null,
        tag::OBJECT => Value::Object(ObjectId(next())),
        _ => Value::Missing(match value_tag - tag::MISSING {
            0 => Missing::Level,
            1 => Missing::Native,
            2 => Missing::BeforeRecording,
            3 => Missing::Unreadable,
            4 => Missing::Doubted,
            _ => Missing::Unseen,
        }),
    }
}

/// The payload categories of a shape, in order; `tags` are those of its tag list.
pub(crate) fn lay_out(shape: &Shape, tags: &[u8], mut push: impl FnMut(u8)) {
    let value = |role: u8, value_tag: u32, push: &mut dyn FnMut(u8)| {
        if let Some(column) = category::of_value(role, value_tag as u8) {
            push(column);
        }
    };
    match shape.op {
        op::ENTER => {
            let receivers = usize::from(shape.flags & flag::RECEIVER != 0);
            for (at, &value_tag) in tags.iter().enumerate() {
                if at < receivers && value_tag == tag::OBJECT {
                    push(category::RECEIVER);
                } else {
                    value(category::ROLE_ARGUMENT, value_tag.into(), &mut push);
                }
            }
        }
        op::RETURNED if shape.flags & flag::VALUE != 0 => {
            value(category::ROLE_RESULT, shape.b, &mut push);
        }
        op::NEW => {
            push(category::NEW_OBJECT);
            if shape.flags & flag::VALUE != 0 {
                push(category::LENGTH);
            }
        }
        op::WRITE | op::USE | op::SNAPSHOT => {
            if shape.var & var::OTHER_CALL != 0 {
                push(category::CALL);
            }
            let role = match shape.var {
                var::FIELD => {
                    push(category::OWNER);
                    category::ROLE_FIELD
                }
                var::STATIC => category::ROLE_FIELD,
                var::ELEMENT => {
                    push(category::ARRAY);
                    push(category::INDEX);
                    category::ROLE_ELEMENT
                }
                var::CONTENT => {
                    push(category::HOLDER);
                    match shape.a {
                        key::ALL => {}
                        key::INDEX => push(category::INDEX),
                        other => {
                            value(category::ROLE_ELEMENT, other - key::VALUE, &mut push);
                        }
                    }
                    category::ROLE_ELEMENT
                }
                _ => category::ROLE_LOCAL,
            };
            match shape.op {
                op::WRITE => value(role, shape.b, &mut push),
                op::SNAPSHOT => value(category::ROLE_SNAPSHOT, shape.b, &mut push),
                _ => {}
            }
        }
        op::THREW | op::THROWN | op::CAUGHT | op::UNCAUGHT => {
            if shape.b as u8 == tag::OBJECT {
                push(category::EXCEPTION);
            } else {
                value(category::ROLE_RESULT, shape.b, &mut push);
            }
        }
        op::MONITOR => push(category::MONITOR),
        op::GAP => push(category::TEXT),
        op::CONTENT => {
            push(category::HOLDER);
            push(category::CHANGE);
        }
        _ => {}
    }
}

/// Does every part of the shape mean something? `n_tags` is the number of tag lists.
pub(crate) fn is_valid(shape: &Shape, n_tags: usize) -> bool {
    let tag_ok = shape.b <= u32::from(tag::LAST);
    match shape.op {
        op::ENTER => (shape.tags as usize) < n_tags && shape.flags < 8,
        op::RETURNED | op::THREW | op::THROWN | op::CAUGHT | op::UNCAUGHT => tag_ok,
        op::WRITE | op::USE | op::SNAPSHOT => {
            let kind = shape.var & !var::OTHER_CALL;
            let local = matches!(kind, var::NAMED | var::SLOT);
            let owned = matches!(kind, var::FIELD | var::STATIC | var::ELEMENT | var::CONTENT);
            tag_ok
                && (kind != var::CONTENT || shape.a <= key::VALUE + u32::from(tag::LAST))
                && kind <= var::LAST
                && !(owned && shape.var & var::OTHER_CALL != 0)
                && (!local || shape.a <= u32::from(u16::MAX))
        }
        op::MONITOR => shape.a < 4,
        op::CONTENT => shape.flags <= flag::SNAPSHOT,
        other => other <= op::LAST,
    }
}

/// Splits a variable: kind and number to the shape, the rest to the payload.
fn split_variable(variable: Variable, own: CallId, shape: &mut Shape, payload: &mut Vec<u64>) {
    let mut of_call = |call: CallId, kind: u8| {
        if call == own {
            kind
        } else {
            payload.push(call.pack());
            kind | var::OTHER_CALL
        }
    };
    match variable {
        Variable::Local {
            call,
            local: Local::Named(at),
        } => {
            shape.var = of_call(call, var::NAMED);
            shape.a = at.into();
        }
        Variable::Local {
            call,
            local: Local::Slot(slot),
        } => {
            shape.var = of_call(call, var::SLOT);
            shape.a = slot.into();
        }
        Variable::Return { call } => shape.var = of_call(call, var::RETURN),
        Variable::Exception { call } => shape.var = of_call(call, var::EXCEPTION),
        Variable::Static { field } => (shape.var, shape.a) = (var::STATIC, field.0),
        Variable::Field { object, field } => {
            (shape.var, shape.a) = (var::FIELD, field.0);
            payload.push(object.0);
        }
        Variable::Element { array, index } => {
            shape.var = var::ELEMENT;
            payload.extend([array.0, u64::from(index)]);
        }
        Variable::Content { object, key: of } => {
            shape.var = var::CONTENT;
            payload.push(object.0);
            shape.a = match of {
                ContentKey::All => key::ALL,
                ContentKey::Index(index) => {
                    payload.push(u64::from(index));
                    key::INDEX
                }
                ContentKey::Key(value) => {
                    let (value_tag, bits) = split(value);
                    payload.extend(bits);
                    key::VALUE + u32::from(value_tag)
                }
            };
        }
    }
}

/// The inverse of `split_variable`.
pub(crate) fn join_variable(
    shape: &Shape,
    own: CallId,
    payload: &mut impl Iterator<Item = u64>,
) -> Variable {
    let mut next = || payload.next().unwrap_or(0);
    let call = if shape.var & var::OTHER_CALL != 0 {
        CallId::unpack(next())
    } else {
        own
    };
    match shape.var & !var::OTHER_CALL {
        var::NAMED => Variable::Local {
            call,
            local: Local::Named(shape.a as u16),
        },
        var::SLOT => Variable::Local {
            call,
            local: Local::Slot(shape.a as u16),
        },
        var::FIELD => Variable::Field {
            object: ObjectId(next()),
            field: FieldId(shape.a),
        },
        var::STATIC => Variable::Static {
            field: FieldId(shape.a),
        },
        var::ELEMENT => {
            let array = ObjectId(next());
            Variable::Element {
                array,
                index: next() as u32,
            }
        }
        var::RETURN => Variable::Return { call },
        var::CONTENT => Variable::Content {
            object: ObjectId(next()),
            key: match shape.a {
                key::ALL => ContentKey::All,
                key::INDEX => ContentKey::Index(next() as u32),
                other => ContentKey::Key(join((other - key::VALUE) as u8, payload)),
            },
        },
        _ => Variable::Exception { call },
    }
}

/// Splits an event. For an `Enter` the tags of receiver and arguments go to `tags`; the caller
/// interns them and sets [`Shape::tags`]. For a `Gap` the caller pushes the text's number, for a
/// `Content` the change's.
pub(crate) fn split_event(event: &Event, payload: &mut Vec<u64>, tags: &mut Vec<u8>) -> Shape {
    let mut shape = Shape {
        index: event.index,
        ..Shape::default()
    };
    let value = |shape: &mut Shape, value: Value, payload: &mut Vec<u64>| {
        let (value_tag, bits) = split(value);
        shape.b = value_tag.into();
        payload.extend(bits);
    };
    match &event.kind {
        EventKind::ThreadStart => shape.op = op::THREAD_START,
        EventKind::ThreadEnd => shape.op = op::THREAD_END,
        EventKind::ClassPrepared { class } => (shape.op, shape.a) = (op::CLASS_PREPARED, class.0),
        EventKind::Enter {
            method,
            receiver,
            arguments,
            call_site,
            boundary,
            already_running,
        } => {
            (shape.op, shape.a, shape.b) = (op::ENTER, method.0, *call_site);
            shape.flags = (u8::from(*boundary) * flag::BOUNDARY)
                | (u8::from(*already_running) * flag::ALREADY_RUNNING)
                | (u8::from(receiver.is_some()) * flag::RECEIVER);
            tags.clear();
            for value in receiver.iter().chain(arguments) {
                let (value_tag, bits) = split(*value);
                tags.push(value_tag);
                payload.extend(bits);
            }
        }
        EventKind::Exit {
            outcome: Outcome::Returned(result),
        } => {
            shape.op = op::RETURNED;
            if let Some(result) = result {
                shape.flags = flag::VALUE;
                value(&mut shape, *result, payload);
            }
        }
        EventKind::Exit {
            outcome: Outcome::Threw(exception),
        } => {
            shape.op = op::THREW;
            value(&mut shape, *exception, payload);
        }
        EventKind::Exit {
            outcome: Outcome::Unknown,
        } => shape.op = op::EXIT_UNKNOWN,
        EventKind::New {
            object,
            class,
            length,
        } => {
            (shape.op, shape.a) = (op::NEW, class.0);
            payload.push(object.0);
            if let Some(length) = length {
                shape.flags = flag::VALUE;
                payload.push(u64::from(*length));
            }
        }
        EventKind::Write {
            variable,
            value: written,
        } => {
            shape.op = op::WRITE;
            split_variable(*variable, event.call, &mut shape, payload);
            value(&mut shape, *written, payload);
        }
        EventKind::Snapshot {
            variable,
            value: found,
        } => {
            shape.op = op::SNAPSHOT;
            split_variable(*variable, event.call, &mut shape, payload);
            value(&mut shape, *found, payload);
        }
        EventKind::Use { variable } => {
            shape.op = op::USE;
            split_variable(*variable, event.call, &mut shape, payload);
        }
        EventKind::Edge { from, to } => (shape.op, shape.a, shape.b) = (op::EDGE, *from, *to),
        EventKind::Thrown { exception } => {
            shape.op = op::THROWN;
            value(&mut shape, *exception, payload);
        }
        EventKind::Caught { exception } => {
            shape.op = op::CAUGHT;
            value(&mut shape, *exception, payload);
        }
        EventKind::Uncaught { exception } => {
            shape.op = op::UNCAUGHT;
            value(&mut shape, *exception, payload);
        }
        EventKind::Monitor { action, object } => {
            shape.op = op::MONITOR;
            shape.a = match action {
                MonitorAction::Enter => 0,
                MonitorAction::Exit => 1,
                MonitorAction::Wait => 2,
                MonitorAction::Notified => 3,
            };
            payload.push(object.0);
        }
        EventKind::Content {
            object, snapshot, ..
        } => {
            (shape.op, shape.flags) = (op::CONTENT, u8::from(*snapshot) * flag::SNAPSHOT);
            payload.push(object.0);
        }
        EventKind::Gap { back, .. } => {
            (shape.op, shape.flags) = (op::GAP, u8::from(*back) * flag::BACK);
        }
    }
    shape
}

/// The inverse of [`split_event`].
pub(crate) fn join_event(
    shape: &Shape,
    call: CallId,
    tags: &[u8],
    (texts, changes): (&[String], &[Change]),
    payload: &mut impl Iterator<Item = u64>,
) -> Event {
    let kind = match shape.op {
        op::THREAD_START => EventKind::ThreadStart,
        op::THREAD_END => EventKind::ThreadEnd,
        op::CLASS_PREPARED => EventKind::ClassPrepared {
            class: ClassId(shape.a),
        },
        op::ENTER => {
            let mut values = tags.iter().map(|&value_tag| join(value_tag, payload));
            let receiver = if shape.flags & flag::RECEIVER != 0 {
                values.next()
            } else {
                None
            };
            EventKind::Enter {
                method: MethodId(shape.a),
                receiver,
                arguments: values.collect(),
                call_site: shape.b,
                boundary: shape.flags & flag::BOUNDARY != 0,
                already_running: shape.flags & flag::ALREADY_RUNNING != 0,
            }
        }
        op::RETURNED => {
            let has_value = shape.flags & flag::VALUE != 0;
            let result = has_value.then(|| join(shape.b as u8, payload));
            EventKind::Exit {
                outcome: Outcome::Returned(result),
            }
        }
        op::THREW => EventKind::Exit {
            outcome: Outcome::Threw(join(shape.b as u8, payload)),
        },
        op::EXIT_UNKNOWN => EventKind::Exit {
            outcome: Outcome::Unknown,
        },
        op::NEW => {
            let object = ObjectId(payload.next().unwrap_or(0));
            let has_length = shape.flags & flag::VALUE != 0;
            let length = has_length.then(|| payload.next().unwrap_or(0) as u32);
            EventKind::New {
                object,
                class: ClassId(shape.a),
                length,
            }
        }
        op::WRITE => {
            let variable = join_variable(shape, call, payload);
            EventKind::Write {
                variable,
                value: join(shape.b as u8, payload),
            }
        }
        op::SNAPSHOT => {
            let variable = join_variable(shape, call, payload);
            EventKind::Snapshot {
                variable,
                value: join(shape.b as u8, payload),
            }
        }
        op::USE => EventKind::Use {
            variable: join_variable(shape, call, payload),
        },
        op::EDGE => EventKind::Edge {
            from: shape.a,
            to: shape.b,
        },
        op::THROWN => EventKind::Thrown {
            exception: join(shape.b as u8, payload),
        },
        op::CAUGHT => EventKind::Caught {
            exception: join(shape.b as u8, payload),
        },
        op::UNCAUGHT => EventKind::Uncaught {
            exception: join(shape.b as u8, payload),
        },
        op::MONITOR => EventKind::Monitor {
            action: match shape.a {
                0 => MonitorAction::Enter,
                1 => MonitorAction::Exit,
                2 => MonitorAction::Wait,
                _ => MonitorAction::Notified,
            },
            object: ObjectId(payload.next().unwrap_or(0)),
        },
        op::CONTENT => {
            let object = ObjectId(payload.next().unwrap_or(0));
            let change = payload
                .next()
                .and_then(|at| changes.get(usize::try_from(at).ok()?));
            EventKind::Content {
                object,
                snapshot: shape.flags & flag::SNAPSHOT != 0,
                change: change.cloned().unwrap_or_else(|| Change::Unknown {
                    since: None,
                    reason: "the recording does not say it".to_owned(),
                }),
            }
        }
        _ => {
            let text = payload
                .next()
                .and_then(|at| texts.get(usize::try_from(at).ok()?));
            EventKind::Gap {
                back: shape.flags & flag::BACK != 0,
                reason: text.cloned().unwrap_or_default(),
            }
        }
    };
    Event {
        call,
        index: shape.index,
        kind,
    }
}
