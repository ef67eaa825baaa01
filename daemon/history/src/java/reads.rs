//! Which static fields a call read: a test finds them as the class initialises them, and cannot set them.

use jhyde_store::records::CallRecord;
use jhyde_trace::{CallId, EventKind, FieldId, Level, ObjectId, Timestamp, Variable};
use rustc_hash::{FxHashMap, FxHashSet};

use super::build::Reached;
use super::not;
use crate::content::Stop;
use crate::history::History;
use crate::objects::Held;

impl History {
    /// The objects that a call reached by static fields. Refused where a field that it or a call in it read can hold
    /// something else in another run.
    pub(super) fn statics_read(
        &self,
        record: &CallRecord,
        exit: Timestamp,
    ) -> Result<FxHashSet<ObjectId>, Stop> {
        if self.recording.meta().options.level < Level::Full {
            return Err(not(
                "only level full tells whether it read static fields, which a test cannot set",
            ));
        }
        let mut met: FxHashMap<FieldId, bool> = FxHashMap::default();
        let is_in = |call: CallId| record.contains(call);
        let end = Timestamp(exit.0.saturating_add(1));
        for block in self.recording.blocks(record.enter..end) {
            self.check()?;
            let block = block?;
            for at in 0..block.len() {
                let when = block.timestamp(at);
                if when < record.enter || when > exit || !is_in(block.call(at)) {
                    continue;
                }
                match block.event(at).map(|event| event.kind) {
                    Some(EventKind::Use {
                        variable: Variable::Static { field },
                    }) => {
                        met.entry(field).or_insert(false);
                    }
                    Some(EventKind::Write {
                        variable: Variable::Static { field },
                        ..
                    }) => {
                        met.insert(field, true);
                    }
                    _ => {}
                }
            }
        }
        let mut reached = FxHashSet::default();
        for (field, written) in met {
            self.is_settled(field, written, exit, &mut reached)?;
        }
        Ok(reached)
    }

    /// Does a static field hold the same in every run, once its class is initialised?
    fn is_settled(
        &self,
        field: FieldId,
        written: bool,
        exit: Timestamp,
        reached: &mut FxHashSet<ObjectId>,
    ) -> Result<(), Stop> {
        let Some(found) = self.recording.field(field)? else {
            return Err(not("it read a static field that was not recorded"));
        };
        let name = format!(
            "{}.{}",
            crate::text::simple_name(&found.class.name),
            found.field().name
        );
        let is_final = found.field().is_final();
        if !is_final {
            let what = if written { "wrote" } else { "read" };
            return Err(Stop::Not(format!(
                "it {what} the static field {name}, which a test cannot set"
            )));
        }
        let initialised = self.initialised(&found.class, self.last_event())?;
        let held = self.static_value(found.field(), initialised, exit)?;
        let Held::Value(value) = held else {
            return Ok(());
        };
        let Some(object) = value.object() else {
            return Ok(());
        };
        // What it reaches must be as the initialiser left it.
        let mut since = Timestamp(0);
        for method in found
            .class
            .methods
            .iter()
            .filter(|method| method.name == "<clinit>")
        {
            if let Some(call) = self.recording.call_by_invocation(method.id, 0)? {
                since = call.exit.unwrap_or(since);
            }
        }
        let mut all = Reached::new(self, since, exit.max(since));
        all.add(object)?;
        if all.changed {
            return Err(Stop::Not(format!(
                "it read the static field {name}, and what that holds was changed since its class was initialised"
            )));
        }
        reached.extend(all.objects);
        Ok(())
    }
}
