//! A question of `jhyde debug` as it stands on the screen, taken apart: what a person can read there, and nothing else.

/// One question.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// `Scope.lookup #8 (this=Scope object#573, name="name") = Optional("ada")`.
    pub head: String,
    /// What the call was given.
    pub given: Vec<Line>,
    /// What it yielded.
    pub yielded: Vec<Line>,
    /// What it changed.
    pub changed: Vec<Line>,
    /// What the recording does not tell.
    pub notes: Vec<String>,
}

/// ` 7) return  "ada"`: the number by which an answer can point at it, and what stands behind that.
fn numbered(line: &str) -> Option<(Option<u32>, &str)> {
    let (number, rest) = line.get(..2).zip(line.get(2..))?;
    let rest = rest.strip_prefix(") ")?;
    Some((Some(number.trim().parse().ok()?), rest))
}

/// `["name"]  "ada"`: a name, and what stands behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The number by which an answer can point at it.
    pub number: Option<u32>,
    /// Columns before it.
    pub indent: usize,
    /// Empty where the value goes on from the line above.
    pub name: String,
    /// The value as it is printed, perhaps cut.
    pub value: String,
}

impl Question {
    /// Reads the last question of a screen.
    pub fn read(screen: &str) -> Self {
        let mut question = Self::default();
        let mut section = "";
        for line in screen.lines() {
            if let Some(head) = line.strip_prefix("? ") {
                question = Self {
                    head: head.to_owned(),
                    ..Self::default()
                };
                section = "";
            } else if let Some(note) = line.strip_prefix("! ") {
                question.notes.push(note.to_owned());
            } else if let Some((number, rest)) = numbered(line) {
                let lines = match section {
                    "given" => &mut question.given,
                    "yielded" => &mut question.yielded,
                    _ => &mut question.changed,
                };
                lines.push(Line {
                    number,
                    ..Line::read(&format!("    {rest}"))
                });
            } else if line.starts_with("  ") && !line.starts_with("   ") {
                section = line.trim();
            } else if line.starts_with("    ") {
                let lines = match section {
                    "given" => &mut question.given,
                    "yielded" => &mut question.yielded,
                    "changed in what it was given or gave back" => &mut question.changed,
                    _ => continue,
                };
                lines.push(Line::read(line));
            }
        }
        question
    }

    /// `lookup`, `<init>`.
    pub fn method(&self) -> &str {
        let name = self.head.split(" #").next().unwrap_or_default();
        name.rsplit('.').next().unwrap_or_default()
    }

    /// What stands behind a name among what was given; empty if it is not there.
    pub fn given(&self, name: &str) -> &str {
        value_of(&self.given, name)
    }

    /// The result.
    pub fn result(&self) -> &str {
        value_of(&self.yielded, "return")
    }

    /// What stands below a name among what was given, one level down.
    pub fn below(&self, name: &str) -> &[Line] {
        let Some(at) = self.given.iter().position(|line| line.name == name) else {
            return &[];
        };
        inside(&self.given, at)
    }

    /// Lines that tell no more than a class and a number, and are not opened either.
    pub fn opaque(&self) -> Vec<&Line> {
        let sections = [&self.given, &self.yielded, &self.changed];
        let all = sections.into_iter().flat_map(|lines| {
            let closed = lines.iter().enumerate();
            closed.filter(|(at, line)| line.is_opaque() && inside(lines, *at).is_empty())
        });
        all.map(|(_, line)| line).collect()
    }
}

impl Line {
    fn read(text: &str) -> Self {
        let indent = text.len() - text.trim_start().len();
        let text = text.trim();
        // Two blanks part a name from its value; a line without them is the rest of what stands above.
        let (name, value) = match text.split_once("  ") {
            Some((name, value)) => (name, value.trim_start()),
            None => ("", text),
        };
        Self {
            number: None,
            indent,
            name: name.to_owned(),
            value: value.to_owned(),
        }
    }

    /// `Engine object#25`, or content that is not recorded.
    pub fn is_opaque(&self) -> bool {
        let bare = self.value.rsplit_once(" object#");
        let is_bare = bare.is_some_and(|(class, number)| {
            !class.contains(' ') && number.chars().all(|c| c.is_ascii_digit())
        });
        is_bare
            || self.value.contains("<content not recorded")
            || self.value.contains("<not recorded")
    }
}

/// The lines that are set in behind one.
pub fn inside(lines: &[Line], at: usize) -> &[Line] {
    let below = &lines[at + 1..];
    let end = below
        .iter()
        .position(|line| line.indent <= lines[at].indent);
    &below[..end.unwrap_or(below.len())]
}

/// What stands behind a name.
pub fn value_of<'a>(lines: &'a [Line], name: &str) -> &'a str {
    let line = lines.iter().find(|line| line.name == name);
    line.map_or("", |line| &line.value)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCREEN: &str = "\
? Scope.lookup #8 (this=Scope object#573, name=\"name\") = Optional(\"ada\")
  [1.4609] · Scope.java:32
  source: templates/Scope.java
     31 │ Optional<Object> lookup(String name) {  name=\"name\"
  given
    this  Scope object#573
      frames  ArrayDeque[2] list#575 [{\"name\": \"emma\"}, {\"rest\"…
        [0]  HashMap{1} map#587 {\"name\": \"emma\"}
        [1]  Secret object#9
    name  \"name\"
! something
  yielded
 7) return  Optional object#2910 (\"ada\")
  changed in what it was given or gave back
    nothing";

    #[test]
    fn a_question_is_what_stands_on_the_screen() {
        let question = Question::read(SCREEN);
        assert_eq!(question.method(), "lookup");
        assert_eq!(question.given("name"), "\"name\"");
        assert_eq!(question.result(), "Optional object#2910 (\"ada\")");
        assert_eq!(question.yielded[0].number, Some(7));
        assert_eq!(question.yielded[0].indent, 4);
        assert_eq!(question.below("frames").len(), 2);
        assert_eq!(question.notes, ["something"]);
        let opaque: Vec<_> = question
            .opaque()
            .iter()
            .map(|line| line.value.as_str())
            .collect();
        assert_eq!(opaque, ["Secret object#9"]);
    }
}
