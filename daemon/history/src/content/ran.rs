//! Which code ran in a call: its digest, and whether all of it was the program's own.

use std::collections::BTreeSet;

use jhyde_store::records::{CallRecord, MethodRef};
use jhyde_trace::MethodId;

use super::digest::{Digest, Sink};
use super::{Comparer, Stop, code, outside};
use crate::history::History;

impl Comparer {
    /// The digests of the call's own code and of all that ran in it, if that was nothing but the program.
    pub(super) fn bodies(&mut self, record: &CallRecord) -> Result<(Digest, Digest), Stop> {
        let of = record.id;
        let range = of.preorder..of.preorder.saturating_add(record.size);
        let mut ran = BTreeSet::new();
        for inner in self.history.recording.preorder(of.thread, range) {
            let inner = inner?;
            ran.insert((inner.method, inner.boundary));
        }
        self.history.check()?;
        let mut names = BTreeSet::new();
        for (id, boundary) in ran {
            let method = self.history.method(id)?;
            let method = method
                .ok_or_else(|| Stop::Not("a method that ran in it was not recorded".to_owned()))?;
            if let Some(why) = self.world_in(id, &method, boundary) {
                return Err(Stop::Not(why));
            }
            let code = match boundary {
                true => String::new(),
                false => self.code(id, &method).to_string(),
            };
            let info = method.method();
            let name = format!("{}.{}{}", method.class.name, info.name, info.descriptor);
            names.insert((name, code));
        }
        let mut sink = Sink::default();
        for (name, code) in names {
            sink.text(&name);
            sink.text(&code);
        }
        let Some(method) = self.history.method(record.method)? else {
            return Err(Stop::Not("its method was not recorded".to_owned()));
        };
        Ok((self.code(record.method, &method), sink.digest()))
    }

    fn code(&mut self, id: MethodId, method: &MethodRef) -> Digest {
        *self
            .codes
            .entry(id)
            .or_insert_with(|| code::digest(&method.method().code))
    }

    fn world_in(&mut self, id: MethodId, method: &MethodRef, boundary: bool) -> Option<String> {
        let world = &mut self.world;
        let found = world
            .entry(id)
            .or_insert_with(|| world_in(method, boundary));
        found.clone()
    }
}

impl History {
    /// Refused where a call ran something that may depend on something else, or change it.
    pub(crate) fn is_closed(&self, record: &CallRecord) -> Result<(), Stop> {
        let of = record.id;
        let range = of.preorder..of.preorder.saturating_add(record.size);
        for inner in self.recording.preorder(of.thread, range) {
            let inner = inner?;
            let method = self.method(inner.method)?;
            let why = method.map_or_else(
                || Some("a method that ran in it was not recorded".to_owned()),
                |method| world_in(&method, inner.boundary),
            );
            if let Some(why) = why {
                return Err(Stop::Not(why));
            }
        }
        Ok(())
    }
}

/// Why a method may depend on something else, or change it.
fn world_in(method: &MethodRef, boundary: bool) -> Option<String> {
    const NATIVE: u32 = 0x0100;
    let info = method.method();
    let name = format!(
        "{}.{}",
        crate::text::simple_name(&method.class.name),
        info.name
    );
    if !boundary {
        let native = info.modifiers & NATIVE != 0;
        return native.then(|| format!("{name} ran in it, which is native code"));
    }
    let closed = outside::is_closed(&method.class.name, &info.name);
    (!closed).then(|| format!("{name} ran in it, which may look at something else, or change it"))
}
