//! What a diff says of a recording: which bytecode of which methods is that of changed lines.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jhyde_debugging::{Changed, ChangedMethod, Evidence};
use jhyde_proto::v1;
use jhyde_trace::{ClassInfo, MethodId, MethodInfo};
use tonic::Status;

use super::knowledge::Knower;
use crate::services::history::status;
use crate::services::status::invalid;
use crate::source::diff::{self, Change, FileDiff};
use crate::source::text;

const FIELD: &str = "evidence.changed";

/// What a request says was changed. Without a diff: what was said before.
pub(super) fn understood(
    knower: &Knower<'_>,
    said: Option<v1::Change>,
    before: &Evidence,
) -> Result<Option<Changed>, Status> {
    let Some(said) = said else {
        return Ok(None);
    };
    let refused = |told: String| invalid(FIELD, format!("{}: {told}", said.from));
    if said.diff.is_empty() {
        let before = before.changed.clone();
        let known = before.filter(|known| known.from == said.from);
        let known = known.ok_or_else(|| refused("there is no diff".to_owned()))?;
        if said.only && !known.only {
            return Err(refused(
                "give the diff again to trust what it did not change".to_owned(),
            ));
        }
        return Ok(Some(Changed {
            only: said.only,
            ..known
        }));
    }
    let files = diff::read(&said.diff).map_err(|error| refused(error.to_string()))?;
    let mut found = Fit::default();
    for file in &files {
        found.add(knower, file).map_err(|trouble| match trouble {
            Trouble::Diff(told) => refused(told),
            Trouble::Status(status) => *status,
        })?;
    }
    if found.methods.is_empty() && found.unplaced.is_empty() {
        let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
        return Err(refused(format!(
            "none of its files is the source of a recorded class: {} (jhyde classes {} lists those)",
            paths.join(", "),
            knower.recording().id()
        )));
    }
    if found.methods.is_empty() || (said.only && !found.unplaced.is_empty()) {
        let place = found.unplaced.first().cloned().unwrap_or_default();
        return Err(refused(match said.only {
            false => format!("no code of a recorded method was changed: {place} is no code"),
            true => format!(
                "{place} was changed, and is not the code of one method (a declaration, a constant?), so that nobody can \
                 tell what behaves differently: do not trust what was not changed"
            ),
        }));
    }
    Ok(Some(Changed {
        from: said.from,
        methods: found
            .methods
            .into_values()
            .map(|(method, ranges)| ChangedMethod::new(&method, ranges.into_iter().collect()))
            .collect(),
        only: said.only,
    }))
}

enum Trouble {
    Diff(String),
    Status(Box<Status>),
}

/// How a diff fits a recording.
#[derive(Default)]
struct Fit {
    methods: BTreeMap<MethodId, (MethodInfo, BTreeSet<(u32, u32)>)>,
    /// Changed lines that are no code of a method, for people.
    unplaced: Vec<String>,
}

impl Fit {
    fn add(&mut self, knower: &Knower<'_>, file: &FileDiff) -> Result<(), Trouble> {
        let classes =
            classes_of(knower, &file.path).map_err(|status| Trouble::Status(status.into()))?;
        let Some(first) = classes.first() else {
            return Ok(());
        };
        // Without source there is nothing that it could be held against.
        if let Ok(source) = knower.daemon().source(knower.recording(), &first.name, &[]) {
            fits(file, &source.text)?;
        }
        for change in &file.changes {
            self.place(file, change, &classes);
        }
        Ok(())
    }

    /// Finds the code of a change.
    fn place(&mut self, file: &FileDiff, change: &Change, classes: &[Arc<ClassInfo>]) {
        let methods = || classes.iter().flat_map(|class| &class.methods);
        let lines = change.lines();
        let has_code =
            |method: &&MethodInfo| method.lines.iter().any(|entry| lines.contains(&entry.line));
        let coded: Vec<&MethodInfo> = methods().filter(has_code).collect();
        let initialises = |method: &&MethodInfo| method.name.starts_with('<');
        // The compiler copies constants into the code that uses them.
        let constant = coded.iter().all(initialises)
            && change
                .added
                .iter()
                .chain(&change.removed)
                .any(|line| words(line).any(|w| w == "final"));
        if !coded.is_empty() && !constant && same_skeleton(change) {
            for method in coded {
                self.add_code(method, |line| lines.contains(&line));
            }
            return;
        }
        // Which calls it makes a difference to depends on what stands around it: all of the methods that it stands in.
        let inside = |method: &&MethodInfo| {
            let first = method.lines.iter().map(|entry| entry.line).min();
            let last = method.lines.iter().map(|entry| entry.line).max();
            let own = first.zip(last).is_some_and(|(first, last)| {
                first <= change.at && change.lines().end.max(change.at) <= last + 1
            });
            own && !initialises(method)
        };
        let around: Vec<&MethodInfo> = methods().filter(inside).collect();
        let is_code = change
            .added
            .iter()
            .chain(&change.removed)
            .any(|line| is_code(line));
        if around.is_empty() && is_code {
            let name = file.path.rsplit('/').next().unwrap_or_default();
            self.unplaced.push(format!("{name}:{}", change.at));
        }
        let initialisers = coded.into_iter().filter(initialises);
        for method in around.into_iter().chain(initialisers) {
            self.add_code(method, |_| true);
        }
    }

    fn add_code(&mut self, method: &MethodInfo, is_one: impl Fn(u32) -> bool) {
        let of = self.methods.entry(method.id);
        let (_, changed) = of.or_insert_with(|| (method.clone(), BTreeSet::new()));
        changed.extend(ranges(method, is_one));
    }
}

/// The recorded classes whose source a file of a diff is: by its name, and its folders by their package.
fn classes_of(knower: &Knower<'_>, path: &str) -> Result<Vec<Arc<ClassInfo>>, Status> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let recording = knower.recording();
    let mut classes = Vec::new();
    for id in recording.classes() {
        let class = recording.class(id).map_err(|error| status(error.into()))?;
        let Some(class) = class.filter(|class| class.in_scope) else {
            continue;
        };
        let package = class
            .name
            .rsplit_once('.')
            .map_or("", |(package, _)| package);
        let package = package.replace('.', "/");
        let below = folder.strip_suffix(package.as_str());
        let lies =
            package.is_empty() || below.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'));
        if lies && class.source_file.as_deref() == Some(name) {
            classes.push(class);
        }
    }
    Ok(classes)
}

/// Is the recorded source the file after the change?
fn fits(file: &FileDiff, source: &str) -> Result<(), Trouble> {
    let lines: Vec<&str> = text::lines(source).collect();
    for (number, told) in &file.told {
        let at = (*number as usize).saturating_sub(1);
        let found = lines.get(at).copied();
        if found.map(str::trim_end) != Some(told.trim_end()) {
            return Err(Trouble::Diff(format!(
                "it does not fit the source of the recording: line {number} of {} is {}, and '{}' after the change; record \
                 the program as it is after the change",
                file.path,
                found.map_or_else(
                    || "not there".to_owned(),
                    |line| format!("'{}'", line.trim())
                ),
                told.trim()
            )));
        }
    }
    Ok(())
}

/// The ranges of a method's bytecode that belong to lines.
fn ranges(method: &MethodInfo, is_one: impl Fn(u32) -> bool) -> Vec<(u32, u32)> {
    let end = u32::try_from(method.code.len()).unwrap_or(u32::MAX).max(1);
    let next = method.lines.iter().skip(1).map(|entry| entry.start);
    let ends = next.chain([end]);
    let entries = method.lines.iter().zip(ends);
    let fitting = entries.filter(|(entry, _)| is_one(entry.line));
    fitting
        .map(|(entry, end)| (entry.start, end.max(entry.start + 1)))
        .collect()
}

/// Does a change leave alone which statements stand in which? Then whoever came to the old lines comes to the new ones.
fn same_skeleton(change: &Change) -> bool {
    let skeleton = |lines: &[String]| -> Option<Vec<String>> {
        let mut found = Vec::new();
        for line in lines {
            for word in words(line) {
                match word {
                    // What is not met any more runs none of the new lines.
                    "case" | "default" | "catch" => return None,
                    "{" | "}" | "else" | "finally" | "do" | "try" | ";" => {
                        found.push(word.to_owned());
                    }
                    _ => {}
                }
            }
        }
        // Only beside brackets does it matter where a statement ends.
        if found.iter().all(|word| word == ";") {
            found.clear();
        }
        Some(found)
    };
    match (skeleton(&change.removed), skeleton(&change.added)) {
        (Some(removed), Some(added)) => !change.added.is_empty() && removed == added,
        _ => false,
    }
}

/// Is there anything in a line but comments, imports and brackets?
fn is_code(line: &str) -> bool {
    let line = line.trim();
    let beside = ["//", "/*", "*", "import ", "package "];
    !beside.iter().any(|begin| line.starts_with(begin))
        && line
            .chars()
            .any(|c| !"{}();,".contains(c) && !c.is_whitespace())
}

/// The words and brackets of a line, without texts and comments.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        loop {
            rest = rest.trim_start();
            let first = rest.chars().next()?;
            if rest.starts_with("//") {
                return None;
            }
            if first == '"' || first == '\'' {
                let mut escaped = false;
                let end = rest.char_indices().skip(1).find(|(_, c)| {
                    let is_end = *c == first && !escaped;
                    escaped = *c == '\\' && !escaped;
                    is_end
                });
                rest = end.map_or("", |(at, _)| rest.get(at + 1..).unwrap_or_default());
                continue;
            }
            let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
            let end = match is_word(first) {
                true => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
                false => first.len_utf8(),
            };
            let (word, behind) = rest.split_at(end);
            rest = behind;
            return Some(word);
        }
    })
}

/// What follows, for people.
pub(super) fn note(evidence: &Evidence) -> Option<String> {
    let changed = evidence.changed.as_ref()?;
    let methods = changed.methods.len();
    let methods = if methods == 1 {
        "1 method".to_owned()
    } else {
        format!("{methods} methods")
    };
    Some(match changed.only {
        false => format!(
            "{} changed {methods} of those that ran: calls that ran changed lines are more suspicious",
            changed.from
        ),
        true => format!(
            "{} changed {methods} of those that ran, and all others are trusted, because you said that what was not changed is \
             right: if the defect is older than the change, the call that is found is not the buggy one",
            changed.from
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(removed: &[&str], added: &[&str]) -> Change {
        let owned = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
        Change {
            at: 1,
            added: owned(added),
            removed: owned(removed),
        }
    }

    #[test]
    fn what_changes_which_statement_stands_in_which_is_not_pinned_to_lines() {
        for (removed, added, same) in [
            (&["a = b;"][..], &["a = c;"][..], true),
            (&["while (i < n) {"], &["while (i <= n) {"], true),
            (&["} else if (a) {"], &["} else if (b) {"], true),
            (&["say(\"{\"); // {"], &["say(\"}\");"], true),
            (&["foo();"], &["else foo();"], false),
            (&["}", "foo();"], &["foo();", "}"], false),
            (&["foo();"], &["if (a) foo();"], true),
            (&["case 1: foo();"], &["case 2: foo();"], false),
            (&["foo();"], &[], false),
            (&["} catch (A e) {"], &["} catch (B e) {"], false),
        ] {
            assert_eq!(
                same_skeleton(&change(removed, added)),
                same,
                "{removed:?} {added:?}"
            );
        }
    }

    #[test]
    fn comments_and_imports_are_no_code() {
        for line in ["", "  }", "// x = 1;", "* x", "import a.B;", "});"] {
            assert!(!is_code(line), "{line}");
        }
        assert!(is_code("static final int N = 3;"));
    }
}
