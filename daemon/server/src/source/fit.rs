//! Can a text be the one that a class was compiled from? The lines at which the class has code tell.

use jhyde_trace::ClassInfo;

use super::text;

/// The lines at which a class has code, rising.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fit(Vec<u32>);

impl Fit {
    /// The lines of a class.
    pub fn of(class: &ClassInfo) -> Self {
        let methods = class.methods.iter();
        let lines = methods.flat_map(|method| method.lines.iter().map(|entry| entry.line));
        let mut lines: Vec<u32> = lines.filter(|&line| line > 0).collect();
        lines.sort_unstable();
        lines.dedup();
        Self(lines)
    }

    /// Why a text is not, or not as it is now, what the class was compiled from; `None` if nothing speaks against it.
    pub fn misfit(&self, source: &str) -> Option<String> {
        let mut wanted = self.0.iter().copied().peekable();
        let mut count = 0;
        for (line, number) in text::lines(source).zip(1_u32..) {
            count = number;
            if wanted.next_if_eq(&number).is_some() && line.trim().is_empty() {
                return Some(format!(
                    "the class has code at line {number}, which is empty in this file: it is not the one that ran"
                ));
            }
        }
        let beyond = wanted.next()?;
        Some(format!(
            "the class has code at line {beyond}, and this file has {count} lines: it is not the one that ran"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_not_there_tell_the_wrong_file() {
        let fit = Fit(vec![1, 3]);
        assert_eq!(fit.misfit("class A {\n\nint i = f();\n}"), None);
        let empty = fit.misfit("class A {\nint i = f();\n   \n}").unwrap();
        assert!(empty.contains("line 3, which is empty"), "{empty}");
        let short = fit.misfit("class A {\n}").unwrap();
        assert!(
            short.contains("line 3, and this file has 2 lines"),
            "{short}"
        );
        assert!(fit.misfit("").is_some());
        assert_eq!(Fit::default().misfit(""), None);
    }
}
