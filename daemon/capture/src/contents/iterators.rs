//! Reads where iterators of maps and array deques stand: how many items lie before the next one. Those of sets go
//! through a map that the set hides: who reads them has to know whose it is.

use jdwp::{ObjectId, ReferenceTypeId, Value};
use jhyde_trace::{Given, Part};

use super::read::{ReadError, Reader, Told, count, gone, unknown, view};
use super::shapes::Walk;

const CHANGED: &str = "what it goes through was changed behind it";

impl Reader<'_> {
    /// What an iterator still gives, as a part of what it goes through.
    pub(super) fn rest(
        &mut self,
        object: ObjectId,
        class: ReferenceTypeId,
        walk: Walk,
    ) -> Result<Told, ReadError> {
        let name = self.program.name(self.link, class)?;
        let simple = name.rsplit('$').next().unwrap_or_default();
        let backwards = simple.starts_with("Descending");
        let given = match () {
            () if simple.contains("Key") => Given::Key,
            () if simple.contains("Value") => Given::Value,
            () => Given::Item,
        };
        let owner = match walk {
            Walk::Concurrent => "map",
            _ => "this$0",
        };
        let [owner] = self.some(object, class, [owner])?;
        let Some(whole) = owner.object() else {
            return gone();
        };
        let index = match walk {
            Walk::Deque => self.place_in_ring(object, class, whole.id, backwards)?,
            Walk::Concurrent | Walk::SkipList => {
                self.place_in_concurrent(object, class, whole.id, walk)?
            }
            Walk::Hash | Walk::Linked | Walk::Tree => {
                self.place_in_map(object, class, whole.id, walk, backwards)?
            }
        };
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        let part = Part::Rest {
            given,
            index,
            backwards,
        };
        view(&owner, part)
    }

    fn place_in_ring(
        &mut self,
        object: ObjectId,
        class: ReferenceTypeId,
        deque: ObjectId,
        backwards: bool,
    ) -> Result<usize, ReadError> {
        let [cursor, left] = self.some(object, class, ["cursor", "remaining"])?;
        let (cursor, left) = (count(&cursor)?, count(&left)?);
        let class = self.class_of(deque)?;
        let [array, head, tail] = self.some(deque, class, ["elements", "head", "tail"])?;
        let length = self.length(&array)?.max(1);
        let (head, tail) = (count(&head)?, count(&tail)?);
        let behind_head = |at: usize| (at + length - head % length) % length;
        let size = behind_head(tail);
        // An element was added or taken out where these contradict each other.
        let index = match (left, backwards) {
            (0, true) => return Ok(0),
            (0, false) => return Ok(size),
            (_, true) if behind_head(cursor) + 1 == left => left,
            (_, false) if behind_head(cursor) + left == size => size - left,
            _ => return unknown(CHANGED),
        };
        Ok(index)
    }

    /// Such maps may change under their iterators, which then go on with what they had chosen as the next one.
    fn place_in_concurrent(
        &mut self,
        object: ObjectId,
        class: ReferenceTypeId,
        map: ObjectId,
        walk: Walk,
    ) -> Result<usize, ReadError> {
        let [next] = self.some(object, class, ["next"])?;
        let map_class = self.class_of(map)?;
        let nodes = match walk {
            Walk::SkipList => self.skip_list_nodes(map, map_class)?,
            _ => self.concurrent_nodes(map, map_class)?,
        };
        let Some(next) = next.object() else {
            return Ok(nodes.len());
        };
        match nodes.iter().position(|node| node.0 == next.id) {
            Some(place) => Ok(place),
            None => unknown(CHANGED),
        }
    }

    fn place_in_map(
        &mut self,
        object: ObjectId,
        class: ReferenceTypeId,
        map: ObjectId,
        walk: Walk,
        backwards: bool,
    ) -> Result<usize, ReadError> {
        let [next, expected] = self.some(object, class, ["next", "expectedModCount"])?;
        let map_class = self.class_of(map)?;
        let [changes, size] = self.some(map, map_class, ["modCount", "size"])?;
        if changes != expected {
            return unknown(CHANGED);
        }
        let Some(next) = next.object().map(|next| next.id) else {
            return Ok(if backwards { 0 } else { count(&size)? });
        };
        match walk {
            Walk::Hash => self.before_in_table(object, class, map, next),
            Walk::Linked => self.before_in_line(class, object, next),
            _ => {
                let nodes = self.tree_nodes(map, map_class)?;
                let place = nodes.iter().position(|node| node.0 == next);
                match place {
                    Some(place) => Ok(place + usize::from(backwards)),
                    None => gone(),
                }
            }
        }
    }

    /// Nodes of a hash table that lie before one: those in the buckets before its own, and in its chain.
    fn before_in_table(
        &mut self,
        object: ObjectId,
        class: ReferenceTypeId,
        map: ObjectId,
        next: ObjectId,
    ) -> Result<usize, ReadError> {
        let [index] = self.some(object, class, ["index"])?;
        let map_class = self.class_of(map)?;
        let [table] = self.some(map, map_class, ["table"])?;
        let heads = self.elements(&table, count(&index)?)?;
        let id = |value: &Value| value.object().map(|object| object.id);
        let Some((own, before)) = heads.split_last() else {
            return gone();
        };
        let node = self.class("java.util.HashMap$Node")?;
        let mut open: Vec<ObjectId> = before.iter().filter_map(id).collect();
        let mut found = 0;
        while !open.is_empty() {
            found += open.len();
            let read = self.of_all(&open, node, ["next"])?;
            open = read.iter().filter_map(|[next]| id(next)).collect();
        }
        let mut at = id(own);
        while let Some(here) = at.filter(|here| *here != next) {
            found += 1;
            let [behind] = self.some(here, node, ["next"])?;
            at = id(&behind);
        }
        at.map_or_else(gone, |_| Ok(found))
    }

    /// Nodes of a linked map that came before one.
    fn before_in_line(
        &mut self,
        class: ReferenceTypeId,
        object: ObjectId,
        next: ObjectId,
    ) -> Result<usize, ReadError> {
        // Newer JDKs go through linked maps in both directions.
        let directed = self.layouts.fields(self.link, class, &["reversed"])?;
        if directed.is_some() {
            let [reversed] = self.some(object, class, ["reversed"])?;
            if reversed != Value::Boolean(false) {
                return unknown("it goes backwards through a linked map");
            }
        }
        let node = self.class("java.util.LinkedHashMap$Entry")?;
        let (mut found, mut at) = (0, next);
        loop {
            let [before] = self.some(at, node, ["before"])?;
            match before.object() {
                Some(before) => at = before.id,
                None => return Ok(found),
            }
            found += 1;
            if found > super::read::MOST_READ {
                return super::read::more_than_can_be_read(found);
            }
        }
    }
}
