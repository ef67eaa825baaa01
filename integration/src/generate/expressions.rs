//! Expressions. Their types are exact, so that assignments, overloads and conditional expressions need no
//! conversion that is not written. Each comparison, wherever javac makes a jump of it, tells how it came out.

use super::maker::{Maker, May};
use super::node::{Node, Sort};
use super::types::Type;

impl Maker {
    /// An expression of that type.
    pub fn expression(&mut self, of: &Type, depth: usize) -> Node {
        if depth == 0 || self.random.chance(25) {
            return self.atom(of);
        }
        if self.random.chance(12)
            && let Some(call) = self.call_of(of, depth - 1)
        {
            return call;
        }
        if self.random.chance(8) {
            let condition = self.condition(depth - 1);
            let (yes, no) = (
                self.expression(of, depth - 1),
                self.expression(of, depth - 1),
            );
            return Node::expression(of, "(«0» ? «1» : «2»)", vec![condition, yes, no]);
        }
        if self.random.chance(7)
            && let Some(written) = self.written(of, depth - 1)
        {
            return written;
        }
        match of {
            Type::Int | Type::Long => self.whole(of, depth - 1),
            Type::Float | Type::Double => self.floating(of, depth - 1),
            Type::Byte | Type::Short | Type::Char => {
                let from = self.number_type();
                let inner = self.expression(&from, depth - 1);
                let template = format!("(({}) («0»))", of.java());
                Node::expression(of, &template, vec![inner])
            }
            Type::Boolean => self.truth(depth - 1),
            Type::Text => self.text(depth - 1),
            Type::Object => {
                let inner = self.some_type();
                let inner_node = self.expression(&inner, depth - 1);
                Node::expression(of, "((Object) («0»))", vec![inner_node])
            }
            Type::Array(inner) => self.array(inner, depth - 1),
            Type::Class(name) => self.object(name, depth - 1),
        }
    }

    fn number_type(&mut self) -> Type {
        let all = [
            Type::Int,
            Type::Long,
            Type::Float,
            Type::Double,
            Type::Char,
            Type::Byte,
            Type::Short,
        ];
        self.random.pick(&all).clone()
    }

    /// A variable or literal.
    pub fn atom(&mut self, of: &Type) -> Node {
        let text = if self.random.chance(65) {
            self.readable(of)
        } else {
            None
        };
        let text = text.unwrap_or_else(|| of.literal(&mut self.random));
        let made_by_literal = text.starts_with("new ");
        let template = match (made_by_literal, text.starts_with(['-', '('])) {
            (true, _) => format!("«+T.n(»{text}«+)»"),
            (_, true) => format!("({text})"),
            _ => text,
        };
        Node::expression(of, &template, vec![])
    }

    /// Where a value of that type can be read.
    fn readable(&mut self, of: &Type) -> Option<String> {
        let local = self.variable(|one| one.of == *of).map(|one| one.name);
        let own: Vec<String> = self
            .own
            .iter()
            .filter(|one| one.1 == *of)
            .map(|one| format!("this.{}", one.0))
            .collect();
        let mut all: Vec<String> = own;
        if super::types::PRIMITIVES.contains(of) || *of == Type::Text {
            all.push(Self::static_field(of));
        }
        match local {
            Some(local) if all.is_empty() || self.random.chance(75) => Some(local),
            local if all.is_empty() => local,
            _ => Some(self.random.pick(&all).clone()),
        }
    }

    /// What no compiler takes for a constant.
    pub fn not_constant(&mut self, of: &Type) -> Node {
        let local = self.variable(|one| one.of == *of).map(|one| one.name);
        let name = local.unwrap_or_else(|| Self::static_field(of));
        Node::fixed(&name, vec![])
    }

    fn whole(&mut self, of: &Type, depth: usize) -> Node {
        let java = of.java();
        let boxed = of.boxed();
        let choice = self.random.below(100);
        let template = match choice {
            0..=39 => {
                let operator = self.random.pick(&["+", "-", "*", "&", "|", "^"]);
                format!("(«0» {operator} «1»)")
            }
            40..=49 => {
                let operator = self.random.pick(&["/", "%"]);
                let one = if *of == Type::Int { "1" } else { "1L" };
                if self.random.chance(90) {
                    format!("(«0» {operator} («1» | {one}))")
                } else {
                    format!("(«0» {operator} «1»)")
                }
            }
            50..=61 => {
                let by_type = self.random.pick(&[Type::Int, Type::Long]).clone();
                let operator = *self.random.pick(&["<<", ">>", ">>>"]);
                let (value, by) = (self.expression(of, depth), self.expression(&by_type, depth));
                return Node::expression(of, &format!("(«0» {operator} «1»)"), vec![value, by]);
            }
            62..=67 => {
                let operator = *self.random.pick(&["-", "~"]);
                let value = self.expression(of, depth);
                return Node::expression(of, &format!("({operator}(«0»))"), vec![value]);
            }
            68..=77 => {
                let from = self.number_type();
                let value = self.expression(&from, depth);
                return Node::expression(of, &format!("(({java}) («0»))"), vec![value]);
            }
            78..=83 => {
                let (function, told) = *self.random.pick(&[
                    ("bitCount", true),
                    ("signum", true),
                    ("numberOfLeadingZeros", true),
                ]);
                let value = self.expression(of, depth);
                debug_assert!(told);
                let template = format!("(({java}) {boxed}.{function}(«0»))");
                return Node::expression(of, &template, vec![value]);
            }
            84..=91 => {
                let function = *self.random.pick(&["max", "min", "abs"]);
                if function == "abs" {
                    let value = self.expression(of, depth);
                    return self.told_outside(of, "Math.abs", "(«0»)", vec![value]);
                }
                let (a, b) = (self.expression(of, depth), self.expression(of, depth));
                let name = format!("Math.{function}");
                return self.told_outside(of, &name, "(«0», «1»)", vec![a, b]);
            }
            92..=95 if *of == Type::Int => {
                let text = self.expression(&Type::Text, depth);
                return Node::expression(of, "(«0»).length()", vec![text]);
            }
            _ => return self.element(of, depth).unwrap_or_else(|| self.atom(of)),
        };
        let (a, b) = (self.expression(of, depth), self.expression(of, depth));
        Node::expression(of, &template, vec![a, b])
    }

    /// A call of a JDK's static method whose result the program tells.
    fn told_outside(
        &mut self,
        of: &Type,
        name: &str,
        arguments: &str,
        children: Vec<Node>,
    ) -> Node {
        let template = format!("«+T.o(\"java.lang.{name}\", »{name}{arguments}«+)»");
        Node::expression(of, &template, children)
    }

    fn floating(&mut self, of: &Type, depth: usize) -> Node {
        let choice = self.random.below(100);
        let template = match choice {
            0..=54 => {
                let operator = self.random.pick(&["+", "-", "*", "/", "%"]);
                format!("(«0» {operator} «1»)")
            }
            55..=69 => {
                let from = self.number_type();
                let value = self.expression(&from, depth);
                let template = format!("(({}) («0»))", of.java());
                return Node::expression(of, &template, vec![value]);
            }
            70..=76 => {
                let value = self.expression(of, depth);
                return Node::expression(of, "(-(«0»))", vec![value]);
            }
            77..=88 if *of == Type::Double => {
                let function = *self.random.pick(&[
                    "sqrt", "sin", "cos", "floor", "ceil", "rint", "exp", "log", "abs", "cbrt",
                ]);
                let value = self.expression(of, depth);
                let name = format!("Math.{function}");
                return self.told_outside(of, &name, "(«0»)", vec![value]);
            }
            89..=93 => {
                let function = *self.random.pick(&["max", "min"]);
                let name = format!("Math.{function}");
                let (a, b) = (self.expression(of, depth), self.expression(of, depth));
                return self.told_outside(of, &name, "(«0», «1»)", vec![a, b]);
            }
            _ => return self.element(of, depth).unwrap_or_else(|| self.atom(of)),
        };
        let (a, b) = (self.expression(of, depth), self.expression(of, depth));
        Node::expression(of, &template, vec![a, b])
    }

    /// A `boolean` as a value. Javac makes jumps of what is not a plain operand.
    fn truth(&mut self, depth: usize) -> Node {
        match self.random.below(4) {
            0 => {
                let operator = *self.random.pick(&["&", "|", "^"]);
                let (a, b) = (
                    self.expression(&Type::Boolean, depth),
                    self.expression(&Type::Boolean, depth),
                );
                let template = format!("(«0» {operator} «1»)");
                Node::expression(&Type::Boolean, &template, vec![a, b])
            }
            1 => {
                let value = self.not_constant(&Type::Boolean);
                let place = self.number();
                let template = format!("(!«+T.b({place}, »«0»«+)»)");
                Node::expression(&Type::Boolean, &template, vec![value])
            }
            _ => self.comparison(depth),
        }
    }

    /// A comparison, with its place told: javac makes one jump of it, as a condition and as a value.
    fn comparison(&mut self, depth: usize) -> Node {
        let place = self.number();
        let of = match self.random.below(12) {
            0 => Type::Text,
            1 => Type::Boolean,
            _ => self.number_type(),
        };
        let operator = if of.is_number() {
            *self.random.pick(&["<", "<=", ">", ">=", "==", "!="])
        } else {
            *self.random.pick(&["==", "!="])
        };
        let left = self.not_constant(&of);
        if of == Type::Text {
            // Whether two equal texts are one object is not for this generator to say.
            let template = format!("(«+T.b({place}, »«0» {operator} null«+)»)");
            return Node::expression(&Type::Boolean, &template, vec![left]);
        }
        let right = self.expression(&of, depth);
        let template = format!("(«+T.b({place}, »«0» {operator} «1»«+)»)");
        Node::expression(&Type::Boolean, &template, vec![left, right])
    }

    /// A condition, as `if` and `? :` have it: each operand of `&&`, `||` and `!` tells how it came out.
    pub fn condition(&mut self, depth: usize) -> Node {
        let of = Type::Boolean;
        if depth > 0 {
            match self.random.below(8) {
                0 | 1 => {
                    let operator = *self.random.pick(&["&&", "||"]);
                    let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
                    let template = format!("(«0» {operator} «1»)");
                    return Node::expression(&of, &template, vec![a, b]);
                }
                2 => {
                    let inner = self.condition(depth - 1);
                    return Node::expression(&of, "!(«0»)", vec![inner]);
                }
                _ => {}
            }
        }
        if self.random.chance(20) {
            let place = self.number();
            let value = self.not_constant(&of);
            return Node::expression(&of, &format!("«+T.b({place}, »«0»«+)»"), vec![value]);
        }
        self.comparison(depth)
    }

    /// An assignment or a step that yields a value.
    fn written(&mut self, of: &Type, depth: usize) -> Option<Node> {
        let variable = self.variable(|one| one.of == *of && one.may == May::Change)?;
        let name = variable.name;
        self.spend(1);
        if of.is_number() && self.random.chance(60) {
            let operator = *self.random.pick(&["++", "--"]);
            let template = if self.random.chance(50) {
                format!("«+T.post(\"{name}\", »{name}{operator}«+, {name})»")
            } else {
                format!("«+T.l(\"{name}\", »{operator}{name}«+)»")
            };
            return Some(Node::expression(of, &format!("({template})"), vec![]));
        }
        let value = self.short(of, depth);
        let template = format!("(«+T.l(\"{name}\", »{name} = «0»«+)»)");
        Some(Node::expression(of, &template, vec![value]))
    }

    /// An element of a local array; now and then one that is not there.
    fn element(&mut self, of: &Type, depth: usize) -> Option<Node> {
        let array = Type::Array(Box::new(of.clone()));
        let variable = self.variable(|one| one.of == array)?;
        let index = self.index(&variable.name, depth);
        let template = format!("{}[«0»]", variable.name);
        Some(Node::expression(of, &template, vec![index]))
    }

    /// An index of that array, or nearly.
    pub fn index(&mut self, array: &str, depth: usize) -> Node {
        if self.random.chance(30) {
            let text = self.random.below(3).to_string();
            return Node::expression(&Type::Int, &text, vec![]);
        }
        let inner = self.expression(&Type::Int, depth.min(1));
        let template = format!("((«0» & 0x7fffffff) % {array}.length)");
        Node::expression(&Type::Int, &template, vec![inner])
    }

    /// Texts do not grow without end.
    pub fn short(&mut self, of: &Type, depth: usize) -> Node {
        let inner = self.expression(of, depth);
        if *of != Type::Text || inner.children().next().is_none() {
            return inner;
        }
        self.spend(4);
        Node::expression(of, "Main.cut(«0»)", vec![inner])
    }

    fn text(&mut self, depth: usize) -> Node {
        let of = Type::Text;
        let (template, children): (&str, Vec<Node>) = match self.random.below(9) {
            0..=3 => {
                let inner = self.some_type();
                let inner = if matches!(inner, Type::Array(_)) {
                    Type::Int
                } else {
                    inner
                };
                let (a, b) = (
                    self.expression(&of, depth),
                    self.expression(&inner, depth.min(1)),
                );
                ("(«0» + «1»)", vec![a, b])
            }
            4 => {
                let inner = self.number_type();
                let value = self.expression(&inner, depth);
                ("String.valueOf(«0»)", vec![value])
            }
            5 => {
                let text = self.expression(&of, depth);
                ("(«0»).trim()", vec![text])
            }
            6 => {
                let (a, b) = (self.expression(&of, depth), self.expression(&of, 0));
                ("(«0»).concat(«1»)", vec![a, b])
            }
            7 => {
                let a = self.expression(&of, depth);
                let (b, c) = (
                    self.expression(&Type::Char, 0),
                    self.expression(&Type::Char, 0),
                );
                ("(«0»).replace(«1», «2»)", vec![a, b, c])
            }
            _ => {
                let whole = self.expression(&Type::Int, depth);
                ("Integer.toHexString(«0»)", vec![whole])
            }
        };
        Node::expression(&of, template, children)
    }

    fn array(&mut self, inner: &Type, depth: usize) -> Node {
        let of = inner.clone().array();
        if self.random.chance(45) {
            let length = self.random.below(4) + 1;
            let template = format!("«+T.n(»new {}[{length}]«+)»", inner.java());
            return Node::expression(&of, &template, vec![]);
        }
        let n = self.random.below(4) + 1;
        let mut template = format!("«+T.all(»new {}[] {{", inner.java());
        let mut values = Vec::new();
        for i in 0..n {
            template.push_str(&format!("{}«{i}»", if i == 0 { "" } else { ", " }));
            // What is told of the elements is told behind the last: no value may do anything by itself.
            values.push(self.quiet(inner, depth.min(1)));
        }
        template.push_str("}«+)»");
        self.spend(n + 1);
        Node::expression(&of, &template, values)
    }

    /// An expression that writes nothing, calls nothing of the program, and does not fail.
    pub fn quiet(&mut self, of: &Type, depth: usize) -> Node {
        if depth > 0 && of.is_number() {
            let operator = *self.random.pick(&["+", "-", "*"]);
            let template = format!("(({}) («0» {operator} «1»))", of.java());
            let (a, b) = (self.quiet(of, depth - 1), self.quiet(of, depth - 1));
            return Node::expression(of, &template, vec![a, b]);
        }
        match of {
            Type::Array(_) | Type::Class(_) => {
                let text = self.variable(|one| one.of == *of).map(|one| one.name);
                let text = text.unwrap_or_else(|| format!("(({}) null)", of.java()));
                Node::expression(of, &text, vec![])
            }
            _ => self.atom(of),
        }
    }

    fn object(&mut self, name: &str, depth: usize) -> Node {
        let of = Type::Class(name.to_owned());
        let class = self.classes.iter().find(|one| one.name == name).cloned();
        let Some(parameters) = class.and_then(|class| class.constructor) else {
            return self.atom(&of);
        };
        self.spend(12);
        let (template, values) = self.arguments(&parameters, depth);
        let template = format!("«+T.n(»new {name}{template}«+)»");
        Node::expression(&of, &template, values)
    }

    /// `(«0», «1»)` and what stands there.
    pub fn arguments(&mut self, parameters: &[Type], depth: usize) -> (String, Vec<Node>) {
        let holes: Vec<String> = (0..parameters.len()).map(|i| format!("«{i}»")).collect();
        let values = parameters.iter().map(|of| self.short(of, depth)).collect();
        (format!("({})", holes.join(", ")), values)
    }

    /// A call of a method made before that returns this.
    fn call_of(&mut self, of: &Type, depth: usize) -> Option<Node> {
        let affordable: Vec<_> = self
            .methods
            .iter()
            .filter(|one| one.result == *of && self.affords(one.cost))
            .cloned()
            .collect();
        let on_objects = *of == Type::Int && self.random.chance(50);
        if on_objects
            && let Some(receiver) = self.variable(|one| matches!(one.of, Type::Class(_)))
            && let Some(call) = self.method_of(&receiver.name, &receiver.of, depth)
        {
            return Some(call);
        }
        if affordable.is_empty() {
            return None;
        }
        let method = self.random.pick(&affordable).clone();
        self.spend(method.cost);
        let (template, values) = self.arguments(&method.parameters, depth.min(1));
        let template = format!("{}{template}", method.name);
        Some(Node::expression(of, &template, values))
    }

    /// `object.method(…)`, which is an `int`.
    pub fn method_of(&mut self, object: &str, of: &Type, depth: usize) -> Option<Node> {
        let Type::Class(name) = of else { return None };
        let class = self.classes.iter().find(|one| one.name == *name)?.clone();
        let affordable: Vec<_> = class
            .methods
            .iter()
            .filter(|one| self.affords(one.1))
            .collect();
        if affordable.is_empty() {
            return None;
        }
        let (method, cost) = (*self.random.pick(&affordable)).clone();
        self.spend(cost);
        let argument = self.expression(&Type::Int, depth.min(1));
        let template = format!("{object}.{method}(«0»)");
        Some(Node::new(
            Sort::Expression(Type::Int),
            &template,
            vec![argument],
        ))
    }
}
