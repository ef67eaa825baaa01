//! From the words of `jhyde-history` and `jhyde-debugging` to the messages of `jhyde.v1`.

mod slice;

pub use slice::slice_step;

use jhyde_debugging::session::Progress;
use jhyde_debugging::{Answer, Classification};
use jhyde_history::escapes::FailedTest;
use jhyde_history::events::{EventRow, EventRowKind, Mark};
use jhyde_history::exceptions::{Fate, UncaughtView};
use jhyde_history::exits::ProgramExit;
use jhyde_history::gap_list::GapRow;
use jhyde_history::reach::ReachableObject;
use jhyde_history::state::{NodeState, RowKind, StateRow};
use jhyde_history::tables::{ClassView, MethodView};
use jhyde_history::view::{
    CallView, EventKindView, EventView, HeldKind, HeldView, ObjectView, OutcomeView, PlaceView,
    ThreadView, ValueView, WriteView,
};
use jhyde_history::writes::WriteRow;
use jhyde_proto::v1::{self, event, value};
use jhyde_trace::{Content, MonitorAction, Text, Units, Value};

/// A value, with the text that people read.
pub fn value(view: &ValueView) -> v1::Value {
    let kind = match view {
        ValueView::Void => value::Kind::Void(true),
        ValueView::Null => value::Kind::Null(true),
        ValueView::Gone => value::Kind::Removed(true),
        ValueView::NotRecorded(reason) => value::Kind::NotRecorded(reason.clone()),
        ValueView::Object(view) => value::Kind::Object(Box::new(object(view))),
        ValueView::Primitive(primitive) => primitive_kind(*primitive),
    };
    v1::Value {
        kind: Some(kind),
        display: view.to_string(),
        compact: view.compact(),
        r#type: view.type_name().to_owned(),
    }
}

fn primitive_kind(primitive: Value) -> value::Kind {
    match primitive {
        Value::Boolean(value) => value::Kind::Boolean(value),
        Value::Byte(value) => value::Kind::Int(value.into()),
        Value::Short(value) => value::Kind::Int(value.into()),
        Value::Int(value) => value::Kind::Int(value),
        Value::Long(value) => value::Kind::Long(value),
        Value::Char(value) => value::Kind::Char(value.into()),
        Value::Float(bits) => value::Kind::Float(f32::from_bits(bits)),
        Value::Double(bits) => value::Kind::Double(f64::from_bits(bits)),
        // A view holds these as kinds of their own.
        Value::Null => value::Kind::Null(true),
        Value::Object(id) => value::Kind::Object(Box::new(v1::Object {
            id: id.0,
            ..v1::Object::default()
        })),
        Value::Missing(_) => value::Kind::NotRecorded("it is not known".to_owned()),
    }
}

fn object(view: &ObjectView) -> v1::Object {
    let mut object = v1::Object {
        id: view.id.0,
        class: view.class.clone(),
        shown: view.shown.clone().unwrap_or_default(),
        held: view.held.as_deref().map(held),
        made_at: view.made_at.iter().map(place).collect(),
        ..v1::Object::default()
    };
    match &view.content {
        Content::None => {}
        Content::Class(_) => object.shown = view.to_string(),
        Content::String(text) => {
            object.text = Some(text.prefix.to_text_lossy());
            object.units = exact_units(&text.prefix);
            object.length = Some(text.length);
        }
        Content::Array(length) => object.length = Some(*length),
        Content::Box(content) => {
            object.content = Some(Box::new(value(&ValueView::Primitive(*content))));
        }
        Content::Throwable(thrown) => {
            let message = thrown.message.as_ref();
            object.content = message.map(|message| Box::new(message_of(message)));
        }
        Content::Thread(name) => object.content = Some(Box::new(message_of(name))),
        Content::Lambda { .. } => object.runs = view.runs().unwrap_or_default(),
        Content::Enum(_) | Content::Shown(_) => {}
    }
    object
}

/// What an object held.
fn held(view: &HeldView) -> v1::Held {
    let mut message = v1::Held::default();
    match view {
        HeldView::Unknown(reason) => message.not_recorded.clone_from(reason),
        HeldView::Text(text) => {
            message.kind = v1::HeldKind::Text.into();
            message.length = text.length.into();
            message.text = text.prefix.to_text_lossy();
            message.units = exact_units(&text.prefix);
        }
        HeldView::Items {
            kind,
            items,
            length,
        } => {
            message.kind = match kind {
                HeldKind::List => v1::HeldKind::List,
                HeldKind::Set => v1::HeldKind::Set,
                HeldKind::Map => v1::HeldKind::Map,
                HeldKind::Single => v1::HeldKind::Single,
                HeldKind::Named => v1::HeldKind::Named,
                HeldKind::Next => v1::HeldKind::Next,
            }
            .into();
            message.length = *length as u64;
            let items = items.iter().map(|item| v1::HeldItem {
                name: item.name.clone(),
                key: item.key.as_ref().map(value),
                value: Some(value(&item.value)),
            });
            message.items = items.collect();
        }
    }
    message
}

/// The UTF-16 units of a text that no string of the API can hold.
fn exact_units(units: &Units) -> Vec<u32> {
    match units.to_text() {
        Some(_) => Vec::new(),
        None => units.iter().map(|&unit| unit.into()).collect(),
    }
}

/// The message of an exception. It is kept by content; the String object's id is not known.
fn message_of(message: &Text) -> v1::Value {
    value(&ValueView::Object(ObjectView {
        id: jhyde_trace::ObjectId(0),
        class: "java.lang.String".to_owned(),
        content: Content::String(message.clone()),
        shown: None,
        held: None,
        made_at: Vec::new(),
    }))
}

/// A place.
pub fn place(view: &PlaceView) -> v1::Place {
    v1::Place {
        class: view.class.clone(),
        method: view.method.clone(),
        descriptor: view.descriptor.clone(),
        index: view.index,
        line: view.line,
        source_file: view.source_file.clone(),
    }
}

/// A call.
pub fn call(view: &CallView) -> v1::Call {
    let record = &view.record;
    let mut call = v1::Call {
        id: record.id.to_string(),
        class: view.class.clone(),
        method: view.method.clone(),
        descriptor: view.descriptor.clone(),
        invocation: record.invocation,
        enter: record.enter.0,
        exit: record.exit.map(|exit| exit.0),
        parent: record.parent.to_string(),
        depth: record.depth.saturating_sub(1),
        boundary: record.boundary,
        descendants: record.descendants(),
        line: view.line,
        source_file: view.source_file.clone(),
        call_site: view.call_site.as_ref().map(place),
        incomplete: record.exit.is_none(),
        already_running: record.already_running,
        thread_name: view.thread_name.clone(),
        recording_ended: view.recording_ended,
        changed: view.changed.iter().map(write).collect(),
        lowered: view.lowered.clone(),
        ..v1::Call::default()
    };
    if let Some(values) = &view.values {
        call.receiver = values.receiver.as_ref().map(value);
        call.arguments = values
            .arguments
            .iter()
            .map(|argument| v1::Argument {
                name: argument.name.clone(),
                r#type: argument.type_name.clone(),
                value: Some(value(&argument.value)),
            })
            .collect();
        match &values.outcome {
            OutcomeView::Returned(result) => call.result = Some(value(result)),
            OutcomeView::Threw(exception) => call.exception = Some(value(exception)),
            OutcomeView::None => {}
        }
    }
    call
}

/// A gap.
pub fn gap(row: &GapRow) -> v1::Gap {
    v1::Gap {
        timestamp: row.timestamp.0,
        reason: row.reason.clone(),
        call: row.call.as_ref().map(call),
        place: row.place.as_ref().map(place),
        thread_name: row.thread_name.clone(),
    }
}

/// An event. Snapshots are hidden from lists; where one is told all the same, it is as the write that starts
/// the variable's history.
pub fn event(view: &EventView) -> v1::Event {
    let kind = match &view.kind {
        EventKindView::Enter(view) => event::Kind::Enter(call(view)),
        EventKindView::Exit(view) => event::Kind::Exit(call(view)),
        EventKindView::Created(view) => event::Kind::Created(value(view)),
        EventKindView::Write(view) | EventKindView::Snapshot(view) => {
            event::Kind::Write(write(view))
        }
        EventKindView::Content(view) => event::Kind::Content(value(view)),
        EventKindView::Use(variable) => event::Kind::Use(variable.clone()),
        EventKindView::Edge { from, to } => event::Kind::Edge(v1::Edge {
            from: *from,
            to: *to,
        }),
        EventKindView::Thrown(view) => event::Kind::Thrown(value(view)),
        EventKindView::Caught(view) => event::Kind::Caught(value(view)),
        EventKindView::Uncaught(view) => event::Kind::Uncaught(value(view)),
        EventKindView::ThreadStart(name) => event::Kind::ThreadStart(name.clone()),
        EventKindView::ThreadEnd(name) => event::Kind::ThreadEnd(name.clone()),
        EventKindView::ClassPrepared(name) => event::Kind::ClassPrepared(name.clone()),
        EventKindView::Gap(reason) | EventKindView::Unreadable(reason) => {
            event::Kind::Gap(reason.clone())
        }
        EventKindView::Monitor(action, object) => event::Kind::Monitor(v1::Monitor {
            action: match action {
                MonitorAction::Enter => "enter",
                MonitorAction::Exit => "exit",
                MonitorAction::Wait => "wait",
                MonitorAction::Notified => "notified",
            }
            .to_owned(),
            object: Some(value(object)),
        }),
    };
    v1::Event {
        timestamp: view.timestamp.0,
        call: view.call.map(|call| call.to_string()).unwrap_or_default(),
        place: view.place.as_ref().map(place),
        kind: Some(kind),
        notes: view.notes.clone(),
    }
}

fn write(view: &WriteView) -> v1::Write {
    v1::Write {
        variable: view.variable.clone(),
        name: view.name.clone(),
        value: Some(value(&view.value)),
    }
}

/// A row of an event list.
pub fn event_row(row: &EventRow) -> v1::EventRow {
    let mark = match row.mark {
        None => v1::Mark::Unspecified,
        Some(Mark::Direct) => v1::Mark::Direct,
        Some(Mark::Inside) => v1::Mark::Inside,
    };
    let mut message = v1::EventRow {
        mark: mark.into(),
        level: row.level,
        ..v1::EventRow::default()
    };
    match &row.kind {
        EventRowKind::Event(view) => message.event = Some(event(view)),
        EventRowKind::Loop(view) => {
            message.r#loop = Some(v1::LoopRow {
                row: view.row.to_string(),
                iterations: view.iterations,
                from: view.from.0,
                to: view.to.0,
                place: view.place.as_ref().map(place),
                running: view.running,
            });
        }
        EventRowKind::Iteration(view) => {
            message.iteration = Some(v1::IterationRow {
                row: view.row.to_string(),
                number: view.number,
                from: view.from.0,
                to: view.to.0,
                place: view.place.as_ref().map(place),
            });
        }
    }
    message
}

/// A row of a state.
pub fn state_row(row: &StateRow) -> v1::StateRow {
    let kind = match row.kind {
        RowKind::Return => v1::RowKind::Return,
        RowKind::Exception => v1::RowKind::Exception,
        RowKind::This => v1::RowKind::This,
        RowKind::Local => v1::RowKind::Local,
        RowKind::Static => v1::RowKind::Static,
        RowKind::Field => v1::RowKind::Field,
        RowKind::Element => v1::RowKind::Element,
        RowKind::Content => v1::RowKind::Content,
    };
    v1::StateRow {
        kind: kind.into(),
        name: row.name.clone(),
        variable: row.variable.clone(),
        r#type: row.type_name.clone(),
        start: row.start.as_ref().map(value),
        end: row.end.as_ref().map(value),
        changed: row.changed,
        changed_below: row.changed_below,
        budget_ended: row.budget_ended,
        not_recorded: row.not_recorded,
        constant: row.constant,
    }
}

/// A call's state.
pub fn node_state(state: &NodeState) -> v1::NodeState {
    v1::NodeState {
        call: Some(call(&state.call)),
        from: state.from.0,
        to: state.to.0,
        rows: state.rows.iter().map(state_row).collect(),
        notes: state.notes.clone(),
        statics: state.statics,
    }
}

/// An object with its variables.
pub fn reachable(object: &ReachableObject) -> v1::ReachableObject {
    v1::ReachableObject {
        object: Some(value(&object.object)),
        path: object.path.clone(),
        rows: object.rows.iter().map(state_row).collect(),
        start: object.start.as_ref().map(value),
        taken_away: object.taken_away,
    }
}

/// A write in a variable's history.
pub fn variable_write(row: &WriteRow) -> v1::VariableWrite {
    v1::VariableWrite {
        timestamp: row.timestamp.0,
        value: Some(value(&row.value)),
        call: row.call.as_ref().map(call),
        place: row.place.as_ref().map(place),
    }
}

/// A thread.
pub fn thread(view: &ThreadView) -> v1::Thread {
    v1::Thread {
        id: view.id.0,
        name: view.name.clone(),
        group: view.group.clone(),
        calls: view.calls,
        start: view.start.map(|at| at.0),
        end: view.end.map(|at| at.0),
        recording_ended: view.recording_ended,
    }
}

/// A class.
pub fn class(view: &ClassView) -> v1::Class {
    v1::Class {
        name: view.name.clone(),
        source_file: view.source_file.clone(),
        in_scope: view.in_scope,
        methods: view.methods.iter().map(method).collect(),
    }
}

/// A method of a class.
pub fn method(view: &MethodView) -> v1::ClassMethod {
    v1::ClassMethod {
        name: view.name.clone(),
        descriptor: view.descriptor.clone(),
        first_line: view.lines.map(|(first, _)| first),
        last_line: view.lines.map(|(_, last)| last),
        calls: view.calls,
    }
}

/// An exception that nobody caught.
pub fn uncaught(view: &UncaughtView) -> v1::UncaughtException {
    v1::UncaughtException {
        exception: Some(value(&view.exception)),
        timestamp: view.timestamp.0,
        call: view.call.as_ref().map(call),
        place: view.place.as_ref().map(place),
        thread_name: view.thread_name.clone(),
        ended: view.ended.iter().map(call).collect(),
        fate: match view.fate {
            Fate::EndedThread => v1::ExceptionFate::EndedThread,
            Fate::LeftScope => v1::ExceptionFate::LeftScope,
            Fate::Caught => v1::ExceptionFate::CaughtByFramework,
        }
        .into(),
        caught_by: view.caught_by.as_ref().map(call),
        test: view.test.as_ref().map(failed_test),
    }
}

fn failed_test(test: &FailedTest) -> v1::FailedTest {
    v1::FailedTest {
        test: Some(call(&test.test)),
        assertion: test.assertion.as_ref().map(call),
        under_test: test.under_test.as_ref().map(call),
    }
}

/// A call that ended the program.
pub fn program_exit(exit: &ProgramExit) -> v1::ProgramExit {
    v1::ProgramExit {
        timestamp: exit.timestamp.0,
        exit_code: exit.code,
        call: exit.call.as_ref().map(call),
        caller: exit.caller.as_ref().map(call),
        place: exit.place.as_ref().map(place),
    }
}

/// How a call stands.
pub fn classification(classification: Classification) -> v1::Classification {
    match classification {
        Classification::Unclassified => v1::Classification::Unspecified,
        Classification::Valid => v1::Classification::Valid,
        Classification::Invalid => v1::Classification::Invalid,
        Classification::Trusted => v1::Classification::Trusted,
        Classification::Unknown => v1::Classification::Unknown,
        Classification::Buggy => v1::Classification::Buggy,
        Classification::Inadmissible => v1::Classification::Inadmissible,
    }
}

/// An answer.
pub fn answer(answer: Answer) -> v1::AnswerKind {
    match answer {
        Answer::Valid => v1::AnswerKind::Valid,
        Answer::Invalid => v1::AnswerKind::Invalid,
        Answer::Trusted => v1::AnswerKind::Trusted,
        Answer::Unknown => v1::AnswerKind::Unknown,
        Answer::Inadmissible => v1::AnswerKind::Inadmissible,
        Answer::RightValue => v1::AnswerKind::Right,
        Answer::OpenValue => v1::AnswerKind::Unknown,
    }
}

/// How far a search is.
pub fn progress(progress: &Progress) -> v1::Progress {
    match progress {
        Progress::Asking(_) => v1::Progress::Asking,
        Progress::Found(_) => v1::Progress::Found,
        Progress::Undecided => v1::Progress::Undecided,
        Progress::None => v1::Progress::None,
        Progress::Waiting => v1::Progress::Waiting,
    }
}
