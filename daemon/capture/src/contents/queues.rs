//! Reads queues: rings in arrays, chains of nodes.

use jdwp::{ObjectId, ReferenceTypeId, Value};
use rustc_hash::FxHashSet;

use super::read::{MOST_READ, ReadError, Reader, Told, count, gone, more_than_can_be_read, values};

impl Reader<'_> {
    pub(super) fn ring(
        &mut self,
        object: ObjectId,
        class: ReferenceTypeId,
    ) -> Result<Told, ReadError> {
        let [array, head, tail] = self.some(object, class, ["elements", "head", "tail"])?;
        let (head, tail) = (count(&head)?, count(&tail)?);
        if head <= tail {
            let held = self.wanted(tail - head)?;
            return Ok(Told::Elements(self.stretch(&array, head, held)?));
        }
        let length = self.length(&array)?;
        let to_end = length.saturating_sub(head);
        let held = self.wanted(to_end + tail)?;
        let first = held.min(to_end);
        let mut all = self.stretch(&array, head, first)?;
        all.extend(self.stretch(&array, 0, held - first)?);
        Ok(Told::Elements(all))
    }

    pub(super) fn counted_ring(
        &mut self,
        object: ObjectId,
        class: ReferenceTypeId,
    ) -> Result<Told, ReadError> {
        let [array, head, held] = self.some(object, class, ["items", "takeIndex", "count"])?;
        let (head, held) = (count(&head)?, count(&held)?);
        let held = self.wanted(held)?;
        let length = self.length(&array)?;
        let first = held.min(length.saturating_sub(head));
        let mut all = self.stretch(&array, head, first)?;
        all.extend(self.stretch(&array, 0, held - first)?);
        Ok(Told::Elements(all))
    }

    fn stretch(
        &mut self,
        array: &Value,
        first: usize,
        length: usize,
    ) -> Result<Vec<Value>, ReadError> {
        if length > MOST_READ {
            return more_than_can_be_read(length);
        }
        let region = self.region(array, first, length)?;
        Ok(region.map_or_else(Vec::new, |region| values(&region)))
    }

    pub(super) fn chain(
        &mut self,
        object: ObjectId,
        class: ReferenceTypeId,
        first: &str,
        node: &str,
    ) -> Result<Told, ReadError> {
        let [mut at] = self.some(object, class, [first])?;
        let mut all = Vec::new();
        if at.object().is_none() {
            return Ok(Told::Elements(all));
        }
        let node = self.class(node)?;
        // Nodes of a queue that were taken point to themselves.
        let mut last = None;
        // Elements of lists may be null; those of queues never are, and a node without one was taken.
        let is_list = first == "first" && self.program.name(self.link, class)?.ends_with("List");
        while let Some(here) = at.object().filter(|here| last != Some(here.id)) {
            let [item, next] = self.some(here.id, node, ["item", "next"])?;
            if is_list || item.object().is_some() {
                all.push(item);
            }
            if is_list && self.most == Some(all.len()) && next.object().is_some() {
                let [size] = self.some(object, class, ["size"])?;
                self.total = Some(count(&size)?);
                break;
            }
            self.not_more_than(all.len())?;
            last = Some(here.id);
            at = next;
        }
        Ok(Told::Elements(all))
    }

    /// A deque whose head may lie behind its first node: back to the beginning, then forward.
    pub(super) fn concurrent_deque(
        &mut self,
        object: ObjectId,
        class: ReferenceTypeId,
    ) -> Result<Told, ReadError> {
        let [head] = self.some(object, class, ["head"])?;
        let Some(mut first) = head.object().map(|head| head.id) else {
            return gone();
        };
        let node = self.class_of(first)?;
        let mut seen = FxHashSet::default();
        loop {
            let [before] = self.some(first, node, ["prev"])?;
            match before.object() {
                // One that was taken out points to itself.
                Some(before) if before.id == first || !seen.insert(first.0) => return gone(),
                Some(before) => first = before.id,
                None => break,
            }
        }
        self.nodes_of_queue(first, |_| true, &["item", "next"])
    }

    /// A queue of items that wait for who takes them; who waits for an item has a node, too.
    pub(super) fn transfers(
        &mut self,
        object: ObjectId,
        class: ReferenceTypeId,
    ) -> Result<Told, ReadError> {
        let [head] = self.some(object, class, ["head"])?;
        let Some(head) = head.object() else {
            return Ok(Told::Elements(Vec::new()));
        };
        let is_data = |fields: &[Value]| fields.get(2) == Some(&Value::Boolean(true));
        self.nodes_of_queue(head.id, is_data, &["item", "next", "isData"])
    }

    /// The items of nodes from one on: those that hold one still. A node that was taken refers to itself.
    fn nodes_of_queue(
        &mut self,
        first: ObjectId,
        counts: impl Fn(&[Value]) -> bool,
        names: &[&str],
    ) -> Result<Told, ReadError> {
        let node = self.class_of(first)?;
        let (mut all, mut seen) = (Vec::new(), FxHashSet::default());
        let mut at = Some(first);
        while let Some(here) = at {
            if !seen.insert(here.0) {
                return gone();
            }
            self.not_more_than(seen.len())?;
            let fields = self.values(here, node, names)?;
            let [item, next, ..] = fields[..] else {
                return gone();
            };
            let holds = item.object().is_some_and(|item| item.id != here);
            if holds && counts(&fields) {
                all.push(item);
            }
            at = next.object().map(|next| next.id);
        }
        Ok(Told::Elements(all))
    }
}
