//! Unified diffs, as `git diff` and `diff -u` write them: which lines of the files after the change are new, and what stood there.
//!
//! Read here and not by a crate: what is needed is the lines with their numbers, which the crates for patches do not give for
//! several files at once.

use std::ops::Range;

use jhyde_trace::echo::shown;
use thiserror::Error;

/// A diff that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DiffError {
    /// There is no hunk in it.
    #[error(
        "it has no hunk (@@ -1,3 +1,4 @@ …): give a unified diff, as git diff and diff -u write it"
    )]
    Empty,
    /// A line is not what must stand there.
    #[error("line {line} of the diff, '{}', is not what stands in a unified diff there: {told}", shown(.text))]
    Line {
        /// Which, from 1.
        line: usize,
        /// Its text.
        text: String,
        /// What is wrong.
        told: &'static str,
    },
}

/// What became of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileDiff {
    /// Its path after the change, as the diff has it; before the change, if it was deleted.
    pub path: String,
    /// Where its lines changed, from above.
    pub changes: Vec<Change>,
    /// Lines of the file after the change that the diff tells, by number.
    pub told: Vec<(u32, String)>,
}

/// Lines that follow each other and were changed, added or taken out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// The number of the line after the change where it stands, or in front of which lines were taken out.
    pub at: u32,
    /// What stands there now.
    pub added: Vec<String>,
    /// What stood there.
    pub removed: Vec<String>,
}

impl Change {
    /// The numbers of the lines that it added.
    pub fn lines(&self) -> Range<u32> {
        let count = u32::try_from(self.added.len()).unwrap_or(u32::MAX);
        self.at..self.at.saturating_add(count)
    }
}

/// The files of a diff.
///
/// # Errors
/// [`DiffError`] if it is none.
pub fn read(text: &str) -> Result<Vec<FileDiff>, DiffError> {
    let mut files: Vec<FileDiff> = Vec::new();
    let mut old = None;
    let mut lines = text.lines().enumerate().peekable();
    while let Some((at, line)) = lines.next() {
        let wrong = |at: usize, line: &str, told| DiffError::Line {
            line: at + 1,
            text: line.to_owned(),
            told,
        };
        // What stands between the files is not of interest.
        if let Some(path) = line.strip_prefix("--- ") {
            old = Some(path_of(path));
            continue;
        }
        if let (Some(path), Some(before)) = (line.strip_prefix("+++ "), old.take()) {
            let path = match path_of(path) {
                "/dev/null" => before,
                path => path,
            };
            files.push(FileDiff {
                path: path.to_owned(),
                ..FileDiff::default()
            });
            continue;
        }
        if !line.starts_with("@@ ") {
            continue;
        }
        let (mut left_old, mut number, mut left_new) =
            hunk(line).ok_or_else(|| wrong(at, line, "a hunk begins with @@ -1,3 +1,4 @@"))?;
        let Some(file) = files.last_mut() else {
            return Err(wrong(at, line, "no --- and +++ say which file it is about"));
        };
        let mut change: Option<Change> = None;
        while left_old > 0 || left_new > 0 {
            let Some((at, line)) = lines.next() else {
                let end = text.lines().count();
                return Err(wrong(end.saturating_sub(1), "", "the hunk ends too early"));
            };
            let (kind, rest) = match line.chars().next() {
                // Mail and editors take the blank of an empty line away.
                None => (' ', ""),
                Some(kind) => (kind, line.get(kind.len_utf8()..).unwrap_or_default()),
            };
            let out = |left: &mut u32| match left.checked_sub(1) {
                Some(less) => {
                    *left = less;
                    Ok(())
                }
                None => Err(wrong(at, line, "the hunk has more lines than it says")),
            };
            match kind {
                ' ' => {
                    out(&mut left_old)?;
                    out(&mut left_new)?;
                    file.changes.extend(change.take());
                    file.told.push((number, rest.to_owned()));
                    number += 1;
                }
                '-' => {
                    out(&mut left_old)?;
                    let change = change.get_or_insert_with(|| Change {
                        at: number,
                        ..Change::default()
                    });
                    change.removed.push(rest.to_owned());
                }
                '+' => {
                    out(&mut left_new)?;
                    let change = change.get_or_insert_with(|| Change {
                        at: number,
                        ..Change::default()
                    });
                    change.added.push(rest.to_owned());
                    file.told.push((number, rest.to_owned()));
                    number += 1;
                }
                // `\ No newline at end of file`.
                '\\' => {}
                _ => {
                    return Err(wrong(
                        at,
                        line,
                        "a line of a hunk begins with -, + or a blank",
                    ));
                }
            }
        }
        file.changes.extend(change);
    }
    match files.iter().all(|file| file.changes.is_empty()) {
        true => Err(DiffError::Empty),
        false => Ok(files),
    }
}

/// A path without what may stand behind it.
fn path_of(text: &str) -> &str {
    let path = text.split('\t').next().unwrap_or_default().trim_end();
    path.trim_matches('"')
}

/// The number of old lines, the first new line, and the number of new lines.
fn hunk(line: &str) -> Option<(u32, u32, u32)> {
    let mut words = line.split(' ');
    let (_, old, new) = (words.next()?, words.next()?, words.next()?);
    let range = |text: &str, sign| {
        let text = text.strip_prefix(sign)?;
        let (first, count) = text.split_once(',').unwrap_or((text, "1"));
        Some((first.parse::<u32>().ok()?, count.parse::<u32>().ok()?))
    };
    let (_, old) = range(old, '-')?;
    let (first, new) = range(new, '+')?;
    // Where nothing is left, the line in front of it is named.
    Some((
        old,
        if new == 0 {
            first.saturating_add(1)
        } else {
            first
        },
        new,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &str = "\
diff --git a/src/shop/Cart.java b/src/shop/Cart.java
index 1..2 100644
--- a/src/shop/Cart.java
+++ b/src/shop/Cart.java
@@ -3,5 +3,5 @@ class Cart {
 three
-four
-five
+FOUR
+FIVE
 six

@@ -20,3 +20,2 @@
 twenty
-gone
 twenty-one
--- Old.java\t2024-01-01
+++ /dev/null
@@ -1 +0,0 @@
-all
\\ No newline at end of file
";

    #[test]
    fn files_and_lines_are_told() {
        let files = read(TWO).expect("a diff");
        assert_eq!(files.len(), 2);
        assert_eq!(files[0].path, "b/src/shop/Cart.java");
        let changes = &files[0].changes;
        assert_eq!((changes[0].lines(), changes[0].removed.len()), (4..6, 2));
        assert_eq!((changes[1].lines(), changes[1].at), (21..21, 21));
        assert!(files[0].told.contains(&(7, String::new())));
        assert!(files[0].told.contains(&(21, "twenty-one".to_owned())));
        assert_eq!(files[1].path, "Old.java");
        assert_eq!(files[1].changes[0].at, 1);
    }

    #[test]
    fn what_is_no_diff_says_where() {
        assert_eq!(read("nothing\n"), Err(DiffError::Empty));
        assert_eq!(read(""), Err(DiffError::Empty));
        let at = |text: &str| match read(text) {
            Err(DiffError::Line { line, .. }) => line,
            other => panic!("{other:?}"),
        };
        assert_eq!(at("@@ -1 +1 @@\n-a\n+b\n"), 1, "of which file?");
        assert_eq!(at("--- a\n+++ b\n@@ -1 +x @@\n"), 3);
        assert_eq!(at("--- a\n+++ b\n@@ -1,2 +1,2 @@\n-a\n"), 4, "too short");
        assert_eq!(at("--- a\n+++ b\n@@ -1,2 +1,2 @@\n-a\nb\n"), 5);
        assert_eq!(at("--- a\n+++ b\n@@ -1,2 +1,1 @@\n+a\n+b\n"), 5);
    }
}
