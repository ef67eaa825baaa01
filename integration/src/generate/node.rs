//! A program as a tree of texts with holes. Each text says whether it stands in both printings of the program, in
//! the plain one that is recorded, or in the one that tells what it does. Shrinking knows of a node only what it is:
//! a list that can lose parts, an expression that a literal can stand for, a statement.

use super::types::Type;

/// What may be done with a node while its program is made smaller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sort {
    /// An expression of that type; a literal or a part of that type can stand for it.
    Expression(Type),
    /// A statement; statements inside it can stand for it.
    Statement,
    /// Statements or members: each can be left out.
    List,
    /// Has to stay as it is, except what is inside.
    Fixed,
}

/// A piece of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Text of both printings.
    Both(String),
    /// Text of the plain printing.
    Plain(String),
    /// Text of the printing that tells what it does.
    Telling(String),
    /// A node.
    Child(Node),
}

/// Texts and nodes, one after another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// What it is.
    pub sort: Sort,
    /// What it is made of.
    pub parts: Vec<Part>,
}

/// Which of the two programs is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Printing {
    /// The one that is recorded.
    Plain,
    /// The one that tells what it does.
    Telling,
}

impl Node {
    /// A node from a template: `«0»` is the first child, `«-text»` stands in the plain printing alone, `«+text»` in
    /// the telling one.
    ///
    /// # Panics
    /// When the template names a child that is not given: a mistake in the generator.
    pub fn new(sort: Sort, template: &str, children: Vec<Self>) -> Self {
        let mut children: Vec<Option<Self>> = children.into_iter().map(Some).collect();
        let mut parts = Vec::new();
        let mut rest = template;
        while let Some((before, more)) = rest.split_once('«') {
            let (inside, after) = more
                .split_once('»')
                .expect("a template closes what it opens");
            if !before.is_empty() {
                parts.push(Part::Both(before.to_owned()));
            }
            parts.push(match inside.chars().next() {
                Some('-') => Part::Plain(inside[1..].to_owned()),
                Some('+') => Part::Telling(inside[1..].to_owned()),
                _ => {
                    let number: usize = inside.parse().expect("a template numbers its children");
                    let child = children.get_mut(number).and_then(Option::take);
                    Part::Child(child.expect("a template names each child once"))
                }
            });
            rest = after;
        }
        if !rest.is_empty() {
            parts.push(Part::Both(rest.to_owned()));
        }
        debug_assert!(children.iter().all(Option::is_none), "unused: {template}");
        Self { sort, parts }
    }

    /// An expression.
    pub fn expression(of: &Type, template: &str, children: Vec<Self>) -> Self {
        Self::new(Sort::Expression(of.clone()), template, children)
    }

    /// A statement.
    pub fn statement(template: &str, children: Vec<Self>) -> Self {
        Self::new(Sort::Statement, template, children)
    }

    /// Text that stays.
    pub fn fixed(template: &str, children: Vec<Self>) -> Self {
        Self::new(Sort::Fixed, template, children)
    }

    /// Nodes, each of which can be left out, a line each.
    pub fn list(children: Vec<Self>) -> Self {
        let parts = children.into_iter().map(Part::Child).collect();
        Self {
            sort: Sort::List,
            parts,
        }
    }

    /// The nodes in it.
    pub fn children(&self) -> impl Iterator<Item = &Self> {
        self.parts.iter().filter_map(|part| match part {
            Part::Child(child) => Some(child),
            _ => None,
        })
    }

    /// How much text its plain printing is.
    pub fn size(&self) -> usize {
        self.print(Printing::Plain).len()
    }

    /// Its text, a statement a line, indented.
    pub fn print(&self, printing: Printing) -> String {
        let mut text = String::new();
        self.append(printing, &mut text);
        indent(&text)
    }

    fn append(&self, printing: Printing, text: &mut String) {
        for part in &self.parts {
            match (part, printing) {
                (Part::Both(piece), _)
                | (Part::Plain(piece), Printing::Plain)
                | (Part::Telling(piece), Printing::Telling) => text.push_str(piece),
                (Part::Child(child), _) => {
                    child.append(printing, text);
                    if self.sort == Sort::List {
                        text.push('\n');
                    }
                }
                _ => {}
            }
        }
    }
}

/// By braces. Those in literals come in pairs or are written as escapes.
fn indent(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 5 / 4);
    let mut depth = 0_usize;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let closing = line.chars().take_while(|&c| c == '}').count();
        for _ in 0..depth.saturating_sub(closing) {
            out.push_str("    ");
        }
        out.push_str(line);
        out.push('\n');
        depth += line.matches('{').count();
        depth = depth.saturating_sub(line.matches('}').count());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_prints_two_programs() {
        let one = Node::expression(&Type::Int, "1", vec![]);
        let node = Node::statement("int x = «0»;«+ T.w(\"x\", x);»«- // plain»", vec![one]);
        assert_eq!(node.print(Printing::Plain), "int x = 1; // plain\n");
        assert_eq!(node.print(Printing::Telling), "int x = 1; T.w(\"x\", x);\n");
    }

    #[test]
    fn lists_stand_line_by_line() {
        let body = Node::list(vec![
            Node::statement("a();", vec![]),
            Node::statement("b();", vec![]),
        ]);
        let node = Node::statement("if (x) {\n«0»}", vec![body]);
        assert_eq!(
            node.print(Printing::Plain),
            "if (x) {\n    a();\n    b();\n}\n"
        );
    }
}
