//! Writes that tell their values, before they are done: for who wants to see that what is derived is what happens.
//!
//! Written values say nothing that does not follow. Told, they show in the log where what was derived is another, at the very write.

use jhyde_bytecode::patch::{Place, Snippet};
use jhyde_bytecode::{Code, Instruction, LocalType, Opcode, Operands};

use super::{Done, ELEMENTS, Inserter, InstrumentError, OBJECT, kind_of};

/// Has it subroutines? What they return to lies in locals, and is no object (JVMS 4.10.2.5).
pub(super) fn has_subroutines(code: &Code) -> bool {
    let mut all = code.instructions().iter();
    all.any(|instruction| matches!(instruction.opcode, Opcode::Jsr | Opcode::JsrW))
}

impl Inserter<'_, '_, '_> {
    /// An instruction tells what it is about to write, if it writes.
    pub(super) fn write(&mut self, instruction: &Instruction) -> Done {
        let told = match instruction.opcode {
            // What the local is going to hold.
            Opcode::Iinc => {
                let Operands::Increment { slot, by } = instruction.operands else {
                    return Ok(());
                };
                let sum = Snippet::new()
                    .load(LocalType::Int, slot)
                    .short(by)
                    .op(Opcode::Iadd);
                self.tell_of(sum, "read", "I", None)?
            }
            Opcode::PutField | Opcode::PutStatic => {
                let at = instruction.constant().ok_or(InstrumentError::Pool)?;
                let named = self.pool().field(at).map_err(|_| InstrumentError::Pool)?;
                let kind = kind_of(named.descriptor);
                self.tell("read", kind, None)?
            }
            opcode => {
                let store = instruction.local_store();
                let kind = match (store, (opcode as u8).checked_sub(Opcode::Iastore as u8)) {
                    (Some(store), _) => kind_of_local(store.kind),
                    (None, Some(of)) if usize::from(of) < ELEMENTS.len() => {
                        ELEMENTS[usize::from(of)]
                    }
                    _ => return Ok(()),
                };
                self.tell("read", kind, None)?
            }
        };
        self.wanted.insert(Place::Before(instruction.index), told);
        Ok(())
    }
}

/// The type that the probe class has for what lies in a local.
fn kind_of_local(kind: LocalType) -> &'static str {
    match kind {
        LocalType::Int => "I",
        LocalType::Long => "J",
        LocalType::Float => "F",
        LocalType::Double => "D",
        LocalType::Reference => OBJECT,
    }
}
