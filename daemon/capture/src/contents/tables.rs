//! Reads hash tables and trees: their entries in the order in which the program's iterators give them.

use jdwp::{ObjectId, ReferenceTypeId, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use super::read::{ReadError, Reader, Told, count, gone, renamed};
use super::shapes::Table;

/// A node with its key and value.
pub(super) type Found = (ObjectId, Value, Value);

/// A node of a chain.
#[derive(Clone, Copy, Debug)]
struct Node {
    key: Value,
    value: Value,
    next: Option<ObjectId>,
    /// Who came after it, in a linked map.
    after: Option<ObjectId>,
}

impl Reader<'_> {
    pub(super) fn table(
        &mut self,
        object: ObjectId,
        class: ReferenceTypeId,
        table: Table,
    ) -> Result<Told, ReadError> {
        match table {
            Table::Hash => self.chains(object, class, "java.util.HashMap$Node", false),
            Table::Backwards => self.chains(object, class, "java.util.Hashtable$Entry", true),
            Table::Linked => self.linked(object, class),
            Table::Weak => self.weak(object, class),
            Table::Concurrent => Ok(entries(self.concurrent_nodes(object, class)?)),
            Table::Identity => self.identity(object, class),
            Table::ImmutableSet => self.immutable(object, class, "elements", 1),
            Table::ImmutableMap => self.immutable(object, class, "table", 2),
        }
    }

    /// Does a linked map put what was looked up last to its end?
    pub(crate) fn is_in_order_of_access(
        &mut self,
        object: ObjectId,
        class: ReferenceTypeId,
    ) -> Result<bool, ReadError> {
        let [by_access] = self.some(object, class, ["accessOrder"])?;
        Ok(by_access == Value::Boolean(true))
    }

    /// The heads of a table's chains.
    fn heads(
        &mut self,
        object: ObjectId,
        class: ReferenceTypeId,
    ) -> Result<Vec<ObjectId>, ReadError> {
        let [table] = self.some(object, class, ["table"])?;
        let length = self.length(&table)?;
        let heads = self.elements(&table, length)?;
        self.buckets = length;
        Ok(heads.iter().filter_map(id).collect())
    }

    fn chains(
        &mut self,
        object: ObjectId,
        class: ReferenceTypeId,
        node: &str,
        backwards: bool,
    ) -> Result<Told, ReadError> {
        let mut heads = self.heads(object, class)?;
        if backwards {
            heads.reverse();
        }
        if heads.is_empty() {
            return Ok(Told::Entries(Vec::new()));
        }
        if let Some(most) = self.most {
            // Each chain has an entry at least: so many chains have the first entries.
            let [size] = self.some(object, class, [if backwards { "count" } else { "size" }])?;
            if self.wanted(count(&size)?)? == most {
                heads.truncate(most);
            }
        }
        let node = self.class(node)?;
        let nodes = self.nodes(&heads, |reader, some| {
            let all = reader.of_all(some, node, ["key", "value", "next"])?;
            let node = |[key, value, next]: [Value; 3]| Node {
                key,
                value,
                next: id(&next),
                after: None,
            };
            Ok(all.into_iter().map(node).collect())
        })?;
        Ok(entries(in_chains(&heads, &nodes)?))
    }

    /// Entries whose keys are still there, as far as the collector has told.
    fn weak(&mut self, object: ObjectId, class: ReferenceTypeId) -> Result<Told, ReadError> {
        let mut heads = self.heads(object, class)?;
        heads.reverse();
        if heads.is_empty() {
            return Ok(Told::Entries(Vec::new()));
        }
        let named = self.class("java.util.WeakHashMap")?;
        let null = self.layouts.constant(self.link, named, "NULL_KEY")?;
        let Some(null) = null.as_ref().and_then(id) else {
            return renamed();
        };
        let node = self.class("java.util.WeakHashMap$Entry")?;
        let nodes = self.nodes(&heads, |reader, some| {
            let all = reader.of_all(some, node, ["referent", "value", "next"])?;
            let node = |[key, value, next]: [Value; 3]| Node {
                key,
                value,
                next: id(&next),
                after: None,
            };
            Ok(all.into_iter().map(node).collect())
        })?;
        let mut all = in_chains(&heads, &nodes)?;
        all.retain(|(_, key, _)| id(key).is_some());
        for (_, key, _) in &mut all {
            if id(key) == Some(null) {
                *key = NULL;
            }
        }
        Ok(entries(all))
    }

    fn linked(&mut self, object: ObjectId, class: ReferenceTypeId) -> Result<Told, ReadError> {
        let [first, size] = self.some(object, class, ["head", "size"])?;
        self.all_of(count(&size)?)?;
        let heads = self.heads(object, class)?;
        if heads.is_empty() {
            return Ok(Told::Entries(Vec::new()));
        }
        let node = self.class("java.util.LinkedHashMap$Entry")?;
        let nodes = self.nodes(&heads, |reader, some| {
            let all = reader.of_all(some, node, ["key", "value", "next", "after"])?;
            let node = |[key, value, next, after]: [Value; 4]| Node {
                key,
                value,
                next: id(&next),
                after: id(&after),
            };
            Ok(all.into_iter().map(node).collect())
        })?;
        let mut all = Vec::with_capacity(nodes.len());
        let mut at = id(&first);
        while let Some(here) = at {
            let Some(node) = nodes.get(&here.0).filter(|_| all.len() < nodes.len()) else {
                return gone();
            };
            all.push((node.key, node.value));
            at = node.after;
        }
        if all.len() != nodes.len() {
            return gone();
        }
        Ok(Told::Entries(all))
    }

    /// The nodes of a concurrent table, in the order in which they are gone through.
    pub(super) fn concurrent_nodes(
        &mut self,
        object: ObjectId,
        class: ReferenceTypeId,
    ) -> Result<Vec<Found>, ReadError> {
        let [moving] = self.some(object, class, ["nextTable"])?;
        if moving.object().is_some() {
            return gone();
        }
        let mut heads = self.heads(object, class)?;
        if heads.is_empty() {
            return Ok(Vec::new());
        }
        let plain = self.class("java.util.concurrent.ConcurrentHashMap$Node")?;
        let hashes = self.of_all(&heads, plain, ["hash"])?;
        for (head, [hash]) in heads.iter_mut().zip(hashes) {
            match hash {
                Value::Int(0..) => {}
                // The head of a tree, whose nodes form a chain, too.
                Value::Int(-2) => {
                    let tree = self.class("java.util.concurrent.ConcurrentHashMap$TreeBin")?;
                    let [first] = self.some(*head, tree, ["first"])?;
                    match id(&first) {
                        Some(first) => *head = first,
                        None => return gone(),
                    }
                }
                _ => return gone(),
            }
        }
        let nodes = self.nodes(&heads, |reader, some| {
            let all = reader.of_all(some, plain, ["key", "val", "next"])?;
            let node = |[key, value, next]: [Value; 3]| Node {
                key,
                value,
                next: id(&next),
                after: None,
            };
            Ok(all.into_iter().map(node).collect())
        })?;
        in_chains(&heads, &nodes)
    }

    /// All nodes of chains, by their ids.
    fn nodes(
        &mut self,
        heads: &[ObjectId],
        mut read: impl FnMut(&mut Self, &[ObjectId]) -> Result<Vec<Node>, ReadError>,
    ) -> Result<FxHashMap<u64, Node>, ReadError> {
        let mut all = FxHashMap::default();
        let mut open = heads.to_vec();
        while !open.is_empty() {
            self.all_of(all.len() + open.len())?;
            let nodes = read(self, &open)?;
            let next = nodes.iter().filter_map(|node| node.next).collect();
            for (at, node) in open.iter().zip(nodes) {
                if all.insert(at.0, node).is_some() {
                    return gone();
                }
            }
            open = next;
        }
        Ok(all)
    }

    fn identity(&mut self, object: ObjectId, class: ReferenceTypeId) -> Result<Told, ReadError> {
        let [table] = self.some(object, class, ["table"])?;
        let length = self.length(&table)?;
        let all = self.elements(&table, length)?;
        let named = self.class("java.util.IdentityHashMap")?;
        let null = self.layouts.constant(self.link, named, "NULL_KEY")?;
        let Some(null) = null.as_ref().and_then(id) else {
            return renamed();
        };
        let entries = all.chunks_exact(2).filter(|pair| id(&pair[0]).is_some());
        let unmask = |value: Value| {
            if id(&value) == Some(null) {
                NULL
            } else {
                value
            }
        };
        let entries = entries.map(|pair| (unmask(pair[0]), pair[1]));
        Ok(Told::Entries(entries.collect()))
    }

    /// Tables of immutable sets and maps: iterators begin where a number says that each JVM draws, and go up or down.
    fn immutable(
        &mut self,
        object: ObjectId,
        class: ReferenceTypeId,
        field: &str,
        step: usize,
    ) -> Result<Told, ReadError> {
        let [table] = self.some(object, class, [field])?;
        let length = self.length(&table)?;
        let all = self.elements(&table, length)?;
        let immutables = self.class("java.util.ImmutableCollections")?;
        let upwards = self.is_reverse(immutables)?;
        let salt = self.layouts.constant(self.link, immutables, "SALT32L")?;
        let Some(Value::Long(salt)) = salt else {
            return renamed();
        };
        let places = length / step;
        // `(int) ((SALT32L * places) >>> 32)`
        let start = (salt.wrapping_mul(places as i64) as u64 >> 32) as usize;
        let order = (1..=places).map(|nth| match upwards {
            true => (start + nth) % places,
            false => (start + places - nth) % places,
        });
        let held = order.filter(|&at| id(&all[at * step]).is_some());
        Ok(match step {
            1 => Told::Elements(held.map(|at| all[at]).collect()),
            _ => Told::Entries(held.map(|at| (all[2 * at], all[2 * at + 1])).collect()),
        })
    }

    pub(super) fn tree(
        &mut self,
        object: ObjectId,
        class: ReferenceTypeId,
    ) -> Result<Told, ReadError> {
        Ok(entries(self.tree_nodes(object, class)?))
    }

    /// The nodes of a tree, in order.
    pub(super) fn tree_nodes(
        &mut self,
        object: ObjectId,
        class: ReferenceTypeId,
    ) -> Result<Vec<Found>, ReadError> {
        let [root, size] = self.some(object, class, ["root", "size"])?;
        let size = count(&size)?;
        self.all_of(size)?;
        let Some(root) = id(&root) else {
            return Ok(Vec::new());
        };
        let entry = self.class("java.util.TreeMap$Entry")?;
        let mut nodes: FxHashMap<u64, [Value; 4]> = FxHashMap::default();
        let mut open = vec![root];
        while !open.is_empty() {
            let read = self.of_all(&open, entry, ["left", "key", "value", "right"])?;
            let below = read.iter().flat_map(|node| [id(&node[0]), id(&node[3])]);
            let below = below.flatten().collect();
            for (at, node) in open.iter().zip(read) {
                if nodes.insert(at.0, node).is_some() || nodes.len() > size {
                    return gone();
                }
            }
            open = below;
        }
        // In order: what lies to the left, the entry, what lies to the right.
        let mut all = Vec::with_capacity(nodes.len());
        let (mut above, mut at) = (Vec::new(), Some(root));
        while at.is_some() || !above.is_empty() {
            while let Some(here) = at {
                let Some(node) = nodes.get(&here.0) else {
                    return gone();
                };
                above.push((here, node));
                at = id(&node[0]);
            }
            if let Some((here, node)) = above.pop() {
                all.push((here, node[1], node[2]));
                at = id(&node[3]);
            }
        }
        if all.len() != size {
            return gone();
        }
        Ok(all)
    }

    pub(super) fn skip_list(
        &mut self,
        object: ObjectId,
        class: ReferenceTypeId,
    ) -> Result<Told, ReadError> {
        Ok(entries(self.skip_list_nodes(object, class)?))
    }

    /// The nodes of a skip list, in order.
    pub(super) fn skip_list_nodes(
        &mut self,
        object: ObjectId,
        class: ReferenceTypeId,
    ) -> Result<Vec<Found>, ReadError> {
        let [head] = self.some(object, class, ["head"])?;
        let mut all = Vec::new();
        let Some(mut level) = id(&head) else {
            return Ok(all);
        };
        let index = self.class("java.util.concurrent.ConcurrentSkipListMap$Index")?;
        let node = self.class("java.util.concurrent.ConcurrentSkipListMap$Node")?;
        let mut at = loop {
            let [below, node] = self.some(level, index, ["down", "node"])?;
            match id(&below) {
                Some(below) => level = below,
                None => break id(&node),
            }
        };
        let mut seen = FxHashSet::default();
        while let Some(here) = at {
            let [key, value, next] = self.some(here, node, ["key", "val", "next"])?;
            // The first node has no key, one that is being taken out no value.
            if id(&key).is_some() && id(&value).is_some() {
                all.push((here, key, value));
            }
            if !seen.insert(here.0) {
                return gone();
            }
            self.all_of(all.len())?;
            at = id(&next);
        }
        Ok(all)
    }
}

const NULL: Value = Value::Object {
    tag: jdwp::Tag::OBJECT,
    id: ObjectId(0),
};

fn id(value: &Value) -> Option<ObjectId> {
    value.object().map(|object| object.id)
}

fn entries(all: Vec<Found>) -> Told {
    Told::Entries(
        all.into_iter()
            .map(|(_, key, value)| (key, value))
            .collect(),
    )
}

fn in_chains(heads: &[ObjectId], nodes: &FxHashMap<u64, Node>) -> Result<Vec<Found>, ReadError> {
    let mut all = Vec::with_capacity(nodes.len());
    for &head in heads {
        let mut at = Some(head);
        while let Some(here) = at {
            let Some(node) = nodes.get(&here.0).filter(|_| all.len() < nodes.len()) else {
                return gone();
            };
            all.push((here, node.key, node.value));
            at = node.next;
        }
    }
    Ok(all)
}
