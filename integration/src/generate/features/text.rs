//! Java with marks, for what is written by hand: each mark says what the telling program has to tell there.
//!
//! | mark | tells |
//! | --- | --- |
//! | `x = 1; §x` `§o.f` `§a[i]` `§=Main.s` | a write of the local, field, element, static |
//! | `⟦condition⟧` | how it came out |
//! | `⟪new X()⟫` `⟪=new int[] {1}⟫` | a new object; a new array with its elements |
//! | `try ⦃ … ⦄` | what is on its way out of it |
//! | `catch (X e) ⦅ … }` | that it was caught |
//! | `¶Class.method(arguments)¶` | the result of a call out of the program, by the method's full name |
//! | `@` `#` | the package; a number that nothing else has |

use super::super::maker::{Maker, Method};
use super::super::methods::Head;
use super::super::node::Node;
use super::super::types::Type;

impl Maker {
    /// The template of marked text.
    pub fn marked(&mut self, text: &str) -> String {
        let number = self.number();
        let mut out = String::with_capacity(text.len() * 2);
        let mut rest = text;
        while let Some(at) = rest.find(['§', '⟦', '⟧', '⟪', '⟫', '⦃', '⦄', '⦅', '¶'])
        {
            out.push_str(&rest[..at]);
            let mark = rest[at..].chars().next().unwrap_or_default();
            rest = &rest[at + mark.len_utf8()..];
            match mark {
                '§' => {
                    let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
                    out.push_str(&told_write(&rest[..end]));
                    rest = &rest[end..];
                }
                '⟦' => {
                    let place = self.number();
                    out.push_str(&format!("«+T.b({place}, »"));
                }
                '⟪' => match rest.strip_prefix('=') {
                    Some(after) => {
                        out.push_str("«+T.all(»");
                        rest = after;
                    }
                    None => out.push_str("«+T.n(»"),
                },
                '⟧' | '⟫' => out.push_str("«+)»"),
                '⦃' => out.push_str("{\n«+try {»\n"),
                '⦄' => {
                    let n = self.number();
                    let depth = &self.depth;
                    out.push_str(&format!(
                        "«+}} catch (Throwable t${n}) {{ T.seen({depth}, t${n}); throw t${n}; }}»\n}}"
                    ));
                }
                '⦅' => {
                    let (_, parameter) = out.rsplit_once('(').unwrap_or_default();
                    let name = parameter.trim_end().trim_end_matches(')');
                    let name = name
                        .split_whitespace()
                        .last()
                        .unwrap_or_default()
                        .to_owned();
                    let depth = &self.depth;
                    out.push_str(&format!(
                        "{{«+ T.ct({depth}, {name}); T.w(\"{name}\", {name});»\n"
                    ));
                }
                _ => {
                    let (call, after) = rest.split_once('¶').unwrap_or((rest, ""));
                    let (name, _) = call.split_once('(').unwrap_or((call, ""));
                    out.push_str(&format!("«+T.o(\"{name}\", »{call}«+)»"));
                    rest = after;
                }
            }
        }
        out.push_str(rest);
        out.replace('@', &self.package)
            .replace('#', &number.to_string())
    }

    /// A lambda of an expression, with marks: `("x, y", "int", "x + y")`. Its result's type may be `void`.
    pub fn lambda(&mut self, parameters: &str, result: &str, body: &str) -> String {
        let n = self.number();
        let told: String = parameters
            .split(", ")
            .filter(|name| !name.is_empty())
            .fold(String::new(), |all, name| all + ", (Object) " + name);
        let package = &self.package;
        let begin = format!(
            "«+{{ final int d${n} = T.in(\"{package}.Main\", \"lambda$\", T.class{told}); »"
        );
        let fail = format!("catch (Throwable t${n}) {{ T.x(d${n}, t${n}); throw t${n}; }}");
        if result == "void" {
            return format!(
                "({parameters}) -> {begin}«+try »{{ {body} }}«+ {fail} T.r(d${n}); }}»"
            );
        }
        format!(
            "({parameters}) -> {begin}«+{result} r${n}; try {{ r${n} = »{body}«+; }} {fail} T.r(d${n}, r${n}); return r${n}; }}»"
        )
    }

    /// A static method `int name(int n)` of `Main` made of marked text that ends with `return`.
    pub fn family_method(&mut self, name: &str, text: &str, cost: usize) {
        let text = self.marked(text);
        let number = self.methods.len();
        let name = format!("{name}{number}");
        let head = Head {
            modifiers: "static",
            class: "Main",
            name: &name,
            result: Some("int"),
            throws: "",
        };
        let parameters = [("int".to_owned(), "n".to_owned())];
        let node = self.method(head, &parameters, Node::fixed(&text, vec![]));
        self.members.push(node);
        self.methods.push(Method {
            name: format!("Main.{name}"),
            parameters: vec![Type::Int],
            result: Type::Int,
            cost,
        });
    }

    /// The same, where the compiler wants `thrown` caught.
    pub fn family_method_that_throws(&mut self, name: &str, thrown: &str, text: &str, cost: usize) {
        let text = format!("try ⦃\n{text}⦄ catch ({thrown} thrown) ⦅\nreturn -1;\n}}\n");
        self.family_method(name, &text, cost);
    }

    /// A class beside `Main`: what stands before its body, fields and other text with marks, and methods.
    pub fn beside(&mut self, head: &str, text: &str, methods: Vec<Node>) {
        let text = self.marked(text);
        let holes: String = (0..methods.len()).map(|i| format!("«{i}»")).collect();
        let head = self.marked(head);
        let node = Node::fixed(&format!("{head} {{\n{text}\n{holes}}}"), methods);
        self.tops.push(node);
    }

    /// A method of such a class, from marked text.
    pub fn member(
        &mut self,
        class: &str,
        modifiers: &str,
        result: Option<&str>,
        name: &str,
        parameters: &[(&str, &str)],
        text: &str,
    ) -> Node {
        let text = self.marked(text);
        let head = Head {
            modifiers,
            class,
            name,
            result,
            throws: "",
        };
        let parameters: Vec<(String, String)> = parameters
            .iter()
            .map(|(of, name)| ((*of).to_owned(), (*name).to_owned()))
            .collect();
        self.method(head, &parameters, Node::fixed(&text, vec![]))
    }
}

/// A constructor that does nothing: one that javac writes tells nothing.
pub(super) fn constructor(class: &str) -> String {
    format!("{class}() {{\nsuper();«+ T.r(T.in(\"@.{class}\", \"<init>\", this));»\n}}\n")
}

fn told_write(target: &str) -> String {
    if let Some(field) = target.strip_prefix('=') {
        return format!("«+ T.s(\"@.{field}\", {field});»");
    }
    if let Some((array, index)) = target
        .strip_suffix(']')
        .and_then(|inner| inner.rsplit_once('['))
    {
        return format!("«+ T.a({array}, {index}, {target});»");
    }
    if let Some((object, field)) = target.rsplit_once('.') {
        return format!("«+ T.f({object}, \"{field}\", {target});»");
    }
    format!("«+ T.w(\"{target}\", {target});»")
}
