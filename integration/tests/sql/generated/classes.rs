//! The classes of a program: what their files tell, and which of them ran.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use serde_json::Value as Json;

use super::class_file::{self, ClassFile};

/// See the module.
#[derive(Debug)]
pub(super) struct Classes {
    files: HashMap<String, ClassFile>,
    /// The classes of objects, by their numbers.
    objects: HashMap<i64, String>,
    /// Those that the recording met, by name.
    prepared: BTreeSet<String>,
}

impl Classes {
    /// Those whose files are in a folder, and whose names the events tell.
    pub(super) fn of(folder: &Path, events: &[Json]) -> Self {
        let mut objects = HashMap::new();
        for event in events {
            look(event, &mut objects);
        }
        let prepared = events.iter().filter_map(|event| event["prepared"].as_str());
        Self {
            files: class_file::all(folder),
            objects,
            prepared: prepared.map(str::to_owned).collect(),
        }
    }

    /// Those that ran, in the order of their names.
    pub(super) fn ran(&self) -> impl Iterator<Item = &ClassFile> {
        let names = self.prepared.iter();
        names.map(|name| {
            let file = self.files.get(name);
            file.unwrap_or_else(|| panic!("{name} has no file"))
        })
    }

    /// The class that declares a field of an object, by their written form without `object#`: `3.size`, or `3.pkg.Base.size` where
    /// that is said because another field hides it.
    pub(super) fn declaring(&self, written: &str) -> Option<String> {
        let (object, field) = written.split_once('.')?;
        if let Some((class, _)) = field.rsplit_once('.') {
            return Some(class.to_owned());
        }
        let of = self.objects.get(&object.parse().ok()?);
        let mut class = of.and_then(|name| self.files.get(name));
        while let Some(file) = class {
            if file.fields.iter().any(|known| known.name == field) {
                return Some(file.name.clone());
            }
            class = file.above.as_ref().and_then(|name| self.files.get(name));
        }
        panic!("no class of the program declares {field} of object {object}: {of:?}");
    }
}

/// Takes in what some JSON tells of the classes of objects.
fn look(json: &Json, objects: &mut HashMap<i64, String>) {
    match json {
        Json::Object(map) => {
            let object = map.get("object").and_then(Json::as_i64);
            let class = map.get("class").and_then(Json::as_str);
            if let Some((object, class)) = object.zip(class).filter(|(_, class)| !class.is_empty())
            {
                objects.insert(object, class.to_owned());
            }
            map.values().for_each(|part| look(part, objects));
        }
        Json::Array(all) => all.iter().for_each(|part| look(part, objects)),
        _ => {}
    }
}
