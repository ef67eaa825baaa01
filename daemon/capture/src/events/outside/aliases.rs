//! What code out of the scope can still change after a call has ended: arrays behind an object that it made
//! of them (`Arrays.asList`, `ByteBuffer.wrap`, a wrapper's constructor), and static fields, which it writes by
//! reflection and handles without a watch being hit. Both are compared behind the calls that can do so.

use jdwp::commands::reference_type;
use jhyde_bytecode::InvokeKind;
use jhyde_trace::{CallId, ObjectId, Sink, Value, Variable};

use crate::arrivals::Ticket;
use crate::error::CaptureError;
use crate::events::Engine;
use crate::events::thread::Thread;
use crate::program::Named;

/// The longest array that is remembered behind another object, in elements: it is read at each call that is
/// shown that object.
const LONGEST_VIEWED: usize = 1 << 16;

/// Can a call, of what an instruction names, write a static field that it was given a handle of? A field's
/// setter is shown no object then.
pub(crate) fn writes_static_by_handle(named: &Named, arguments: &[Value]) -> bool {
    let reads = named.name.starts_with("get") && !named.name.starts_with("getAnd");
    match named.class.as_str() {
        "java.lang.reflect.Field" => {
            named.name.starts_with("set") && arguments.first().is_some_and(|o| o.object().is_none())
        }
        "java.lang.invoke.VarHandle" | "sun.misc.Unsafe" => !reads,
        _ => false,
    }
}

/// May a call, or what it made, have kept an array that it was shown, to write it later? Those that only read it or
/// write it at once are known.
pub(in crate::events) fn keeps(named: &Named) -> bool {
    if named.kind == InvokeKind::Dynamic {
        return false;
    }
    match named.class.as_str() {
        "java.util.Arrays" => named.name == "asList",
        "java.lang.System"
        | "java.lang.String"
        | "java.lang.StringBuilder"
        | "java.lang.StringBuffer" => false,
        class => named.name == "<init>" || !class.starts_with("java.io."),
    }
}

/// May a call write fields by reflection: of a library, or of reflection itself?
pub(crate) fn reflects(named: &Named) -> bool {
    let class = named.class.as_str();
    named.kind != InvokeKind::Dynamic
        && (!is_of_the_jdk(class)
            || class.starts_with("java.lang.reflect.")
            || class.starts_with("java.lang.invoke.")
            || (class.starts_with("java.util.concurrent.atomic.")
                && class.ends_with("FieldUpdater"))
            || class == "java.io.ObjectInputStream")
}

/// Is a class the JDK's own, by its name?
pub(in crate::events) fn is_of_the_jdk(class: &str) -> bool {
    let jdk = ["java.", "javax.", "jdk.", "com.sun.net.httpserver."];
    jdk.iter().any(|jdk| class.starts_with(jdk))
}

impl<S: Sink> Engine<S> {
    /// The arrays behind these objects that are not among them.
    pub(in crate::events) fn aliased(&self, shown: &[ObjectId]) -> Vec<ObjectId> {
        let mut all = Vec::new();
        for &object in shown {
            for array in self.recorder.known.heap.aliased(object) {
                if !all.contains(array) && !shown.contains(array) {
                    all.push(*array);
                }
            }
        }
        all
    }

    /// A call out of the scope made an object, and was shown these: arrays among them may lie behind it.
    pub(in crate::events) fn keep_aliases(
        &mut self,
        thread: &mut Thread,
        made: Option<ObjectId>,
        shown: &[ObjectId],
    ) -> Result<(), CaptureError> {
        let Some(made) = made.filter(|&made| self.recorder.known.heap.elements(made).is_none())
        else {
            // It made nothing, or an array, which is compared itself.
            return Ok(());
        };
        let behind = self.aliased(shown);
        for array in shown.iter().copied().chain(behind) {
            let elements = self.recorder.known.heap.elements(array);
            if elements.is_some_and(|elements| elements.len() <= LONGEST_VIEWED) {
                self.recorder.known.heap.alias(made, array);
                self.name_elements(thread, Value::Object(array))?;
            }
        }
        Ok(())
    }

    /// What a boundary call did to the static fields of the scope.
    pub(in crate::events) fn compare_statics(
        &mut self,
        ticket: Ticket,
        thread: &mut Thread,
        call: CallId,
    ) -> Result<(), CaptureError> {
        let mut asked = Vec::new();
        for (class, known) in self.recorder.known.program.classes_in_scope() {
            let statics = known.fields.iter().filter(|field| field.is_static);
            let (names, fields): (Vec<_>, Vec<_>) = statics.map(|f| (f.id, f.jdwp)).unzip();
            if !fields.is_empty() {
                let ref_type = class;
                let values = reference_type::GetValues { ref_type, fields };
                asked.push((names, self.recorder.jvm.link.ask(&values)));
            }
        }
        let others = self.others();
        for (names, id) in asked {
            let told = self
                .recorder
                .jvm
                .link
                .reply::<reference_type::GetValues>(id)?;
            let told = told.unwrap_or_default();
            for (&field, value) in names.iter().zip(&told) {
                let before = self.recorder.known.heap.static_field(field);
                let variable = Variable::Static { field };
                self.compare_field(thread, (ticket, call), &others, variable, before, value)?;
            }
        }
        Ok(())
    }
}
