//! Makes a program that fails small: parts are left out and literals put in place of expressions as long as the same
//! kind of difference stays. Many attempts are recorded in one JVM, so that a round takes seconds.

use super::group::Outcome;
use super::node::{Node, Part, Sort};
use super::program::Program;

/// So many attempts share a JVM.
const AT_ONCE: usize = 24;

/// Records programs, or does as if, and tells of each that could be compared what came of it.
pub type Check<'a> = dyn FnMut(&[Program]) -> Vec<Outcome> + 'a;

/// A smaller program with the same kind of difference, and what is said of it; `None` if the difference does not come
/// again when the program is alone.
pub fn shrink(
    check: &mut Check<'_>,
    program: &Program,
    kind: &str,
    rounds: usize,
) -> Option<(Program, Outcome)> {
    let mut best = first_that_fails(check, vec![program.clone()], kind)?;
    let mut from = 0;
    for _ in 0..rounds {
        let all = attempts(&best.0.source);
        if from >= all.len() {
            if from == 0 {
                break;
            }
            // Once more from the beginning: what was refused before may do now, with something else gone.
            let size = best.0.source.size();
            let again = all.into_iter().take(AT_ONCE).collect();
            match smaller(check, &best.0, again, kind) {
                Some(found) if found.0.source.size() < size => {
                    best = found;
                    from = 0;
                    continue;
                }
                _ => break,
            }
        }
        let some: Vec<Node> = all.into_iter().skip(from).take(AT_ONCE).collect();
        let tried = some.len();
        match smaller(check, &best.0, some, kind) {
            Some(found) => best = found,
            None => from += tried,
        }
    }
    Some(best)
}

fn smaller(
    check: &mut Check<'_>,
    program: &Program,
    sources: Vec<Node>,
    kind: &str,
) -> Option<(Program, Outcome)> {
    let programs = sources
        .into_iter()
        .enumerate()
        .map(|(number, source)| renamed(program, source, number))
        .collect();
    first_that_fails(check, programs, kind)
}

/// The smallest of those with that kind of difference.
fn first_that_fails(
    check: &mut Check<'_>,
    programs: Vec<Program>,
    kind: &str,
) -> Option<(Program, Outcome)> {
    let failed = check(&programs).into_iter().filter(|one| {
        let difference = one.difference.as_ref();
        difference.is_some_and(|one| one.kind == kind && one.excused.is_none())
    });
    failed
        .filter_map(|outcome| {
            let program = programs.iter().find(|one| one.seed == outcome.seed)?;
            Some((program.clone(), outcome))
        })
        .min_by_key(|(program, _)| program.source.size())
}

/// The same program in a package of its own: `p7`, `p7_3`.
fn renamed(program: &Program, source: Node, number: usize) -> Program {
    let seed = 1_000_000_000_000 + number as u64;
    let package = format!("g.p{seed}");
    let rename = |text: &str| {
        text.replace(&program.package, &package).replace(
            &program.package.replace('.', "/"),
            &package.replace('.', "/"),
        )
    };
    let mut source = source;
    rename_in(&mut source, &rename);
    Program {
        seed,
        untold_edges: program.untold_edges.iter().map(|one| rename(one)).collect(),
        bridges: program
            .bridges
            .iter()
            .map(|(class, method, descriptor)| (rename(class), method.clone(), rename(descriptor)))
            .collect(),
        generated: program.generated.iter().map(|one| rename(one)).collect(),
        families: program.families.clone(),
        package,
        source,
    }
}

fn rename_in(node: &mut Node, rename: &impl Fn(&str) -> String) {
    for part in &mut node.parts {
        match part {
            Part::Both(text) | Part::Plain(text) | Part::Telling(text) => *text = rename(text),
            Part::Child(child) => rename_in(child, rename),
        }
    }
}

/// All programs that are one step smaller, those first that are much smaller.
pub fn attempts(source: &Node) -> Vec<Node> {
    let mut found = Vec::new();
    let mut path = Vec::new();
    visit(source, source, &mut path, &mut found);
    found.sort_by_key(Node::size);
    found.dedup();
    found
}

fn visit(root: &Node, node: &Node, path: &mut Vec<usize>, found: &mut Vec<Node>) {
    for smaller in replacements(node) {
        if smaller != *node {
            found.push(with(root, path, smaller));
        }
    }
    for (number, part) in node.parts.iter().enumerate() {
        if let Part::Child(child) = part {
            path.push(number);
            visit(root, child, path, found);
            path.pop();
        }
    }
}

/// What may stand in a node's place.
fn replacements(node: &Node) -> Vec<Node> {
    match &node.sort {
        Sort::List => without_some(node),
        Sort::Statement => {
            // The statements inside it, in its place.
            let lists = node.children().filter(|child| holds_statements(child));
            lists.cloned().collect()
        }
        Sort::Expression(of) => {
            let mut all = vec![Node::expression(of, &of.plainest(), vec![])];
            let inside = node.children().filter(|child| child.sort == node.sort);
            all.extend(inside.cloned());
            all.retain(|one| one.size() < node.size());
            all
        }
        Sort::Fixed => Vec::new(),
    }
}

fn holds_statements(node: &Node) -> bool {
    node.sort == Sort::List
        || (node.sort == Sort::Fixed && node.children().any(|child| child.sort == Sort::List))
}

/// Halves, quarters … and each single one left out.
fn without_some(list: &Node) -> Vec<Node> {
    let n = list.parts.len();
    let mut all = Vec::new();
    let mut size = n;
    while size >= 1 {
        for from in (0..n).step_by(size) {
            let mut parts = list.parts.clone();
            parts.drain(from..(from + size).min(n));
            all.push(Node {
                sort: Sort::List,
                parts,
            });
        }
        if size == 1 {
            break;
        }
        size = size.div_ceil(2);
    }
    all
}

fn with(root: &Node, path: &[usize], inner: Node) -> Node {
    let Some((first, rest)) = path.split_first() else {
        return inner;
    };
    let mut copy = root.clone();
    if let Some(Part::Child(child)) = copy.parts.get_mut(*first) {
        *child = with(child, rest, inner);
    }
    copy
}

#[cfg(test)]
mod tests {
    use super::super::node::Printing;
    use super::super::types::Type;
    use super::*;

    #[test]
    fn every_part_can_go() {
        let value = Node::expression(
            &Type::Int,
            "(1 + «0»)",
            vec![Node::expression(&Type::Int, "22", vec![])],
        );
        let inner = Node::list(vec![Node::statement("x = «0»;", vec![value])]);
        let outer = Node::list(vec![
            Node::statement("a();", vec![]),
            Node::statement("if (c) {\n«0»}", vec![inner]),
        ]);
        let all: Vec<String> = attempts(&outer)
            .iter()
            .map(|node| node.print(Printing::Plain))
            .collect();
        for expected in [
            "",
            "a();\n",
            "if (c) {\n    x = (1 + 22);\n}\n",
            "a();\nx = (1 + 22);\n",
            "a();\nif (c) {\n    x = 22;\n}\n",
            "a();\nif (c) {\n    x = 1;\n}\n",
        ] {
            assert!(
                all.iter().any(|one| one == expected),
                "{expected:?} in {all:#?}"
            );
        }
    }
}
