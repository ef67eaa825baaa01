//! Modules that come with jhyde: functions and macros for SQL, each in a file that only defines (`std/`), and what they say of themselves.

use super::script::{Argument, Script, Source, Step};
use super::table::Type;

/// A module.
#[derive(Clone, Copy, Debug)]
pub(super) struct Module {
    /// As `INCLUDE MODULE` takes it.
    pub(super) name: &'static str,
    pub(super) text: &'static str,
}

/// All of them.
pub(super) const MODULES: [Module; 6] = [
    Module {
        name: "std.calls",
        text: include_str!("std/calls.sql"),
    },
    Module {
        name: "std.methods",
        text: include_str!("std/methods.sql"),
    },
    Module {
        name: "std.objects",
        text: include_str!("std/objects.sql"),
    },
    Module {
        name: "std.values",
        text: include_str!("std/values.sql"),
    },
    Module {
        name: "std.loops",
        text: include_str!("std/loops.sql"),
    },
    Module {
        name: "std.threads",
        text: include_str!("std/threads.sql"),
    },
];

/// A module, for who wants to know what there is.
#[derive(Clone, Debug)]
pub struct ModuleDoc {
    /// As `INCLUDE MODULE` takes it.
    pub name: &'static str,
    /// What it is about: its first comment.
    pub doc: String,
    /// What it defines.
    pub defined: Vec<DefinedDoc>,
}

/// A function or macro of a module.
#[derive(Clone, Debug)]
pub struct DefinedDoc {
    /// Its name.
    pub name: String,
    /// What it is.
    pub doc: String,
    /// Its arguments: name, type (none of a macro's), what it is.
    pub arguments: Vec<(String, Option<Type>, String)>,
    /// The columns of what a function returns, in the same way; none of a macro.
    pub columns: Vec<(String, Option<Type>, String)>,
}

/// What modules there are.
pub fn modules() -> Vec<ModuleDoc> {
    MODULES.iter().map(described).collect()
}

fn described(module: &Module) -> ModuleDoc {
    let lines = module
        .text
        .lines()
        .map_while(|line| line.strip_prefix("--"));
    let doc: Vec<_> = lines.map(str::trim).collect();
    let source = Source {
        module: Some(module.name),
        text: module.text.into(),
    };
    let mut script = Script::of(source);
    let mut defined = Vec::new();
    // One that does not parse fails its test, and says so to who includes it.
    while let Ok(Some(step)) = script.next() {
        if let Step::Define(function) = step {
            defined.push(DefinedDoc {
                name: function.name,
                doc: function.doc,
                arguments: told(function.arguments),
                columns: told(function.columns),
            });
        }
    }
    defined.extend(script.macros().into_iter().map(|one| DefinedDoc {
        name: format!("{}!", one.name),
        doc: one.doc,
        arguments: told(one.arguments),
        columns: Vec::new(),
    }));
    ModuleDoc {
        name: module.name,
        doc: doc.join(" "),
        defined,
    }
}

fn told(all: Vec<Argument>) -> Vec<(String, Option<Type>, String)> {
    all.into_iter()
        .map(|one| (one.name, one.of, one.doc))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_module_can_be_read_and_all_in_it_says_what_it_is() {
        for module in &MODULES {
            let source = Source {
                module: Some(module.name),
                text: module.text.into(),
            };
            let mut script = Script::of(source);
            loop {
                match script.next() {
                    Ok(Some(Step::Define(_))) => {}
                    Ok(None) => break,
                    other => panic!("{}: {other:?}", module.name),
                }
            }
        }
        for module in modules() {
            assert!(module.doc.ends_with('.'), "{}: {}", module.name, module.doc);
            assert!(!module.defined.is_empty(), "{}", module.name);
            for defined in &module.defined {
                assert!(
                    defined.doc.ends_with('.') && defined.doc.len() > 20,
                    "{}: {}",
                    defined.name,
                    defined.doc
                );
                for (name, _, doc) in defined.arguments.iter().chain(&defined.columns) {
                    assert!(
                        !doc.is_empty(),
                        "{}.{}: {name} says nothing of itself",
                        module.name,
                        defined.name
                    );
                }
            }
        }
    }
}
