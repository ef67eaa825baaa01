//! Statements. Every one that writes tells it at its end; jumps stand behind conditions, so that what follows can be
//! reached; loops are bounded whatever their conditions say.

use super::maker::{Maker, May, Variable};
use super::node::Node;
use super::types::Type;

/// What a `catch` of generated code names: all that generated expressions throw.
const CAUGHT: [&str; 5] = [
    "RuntimeException",
    "ArithmeticException",
    "NullPointerException | IndexOutOfBoundsException",
    "IllegalStateException",
    "Exception",
];

impl Maker {
    /// Some statements.
    pub fn statements(&mut self, n: usize, depth: usize) -> Node {
        self.block(|make| {
            let before = make.variables.len();
            let mut all = Vec::new();
            for _ in 0..n {
                if make.affords(2) {
                    all.push(make.statement(depth));
                }
            }
            if make.variables.len() == before {
                return Node::list(all);
            }
            // A variable's range needs an instruction behind its declaration: the table leaves out empty ones.
            make.not_empty(Node::list(all))
        })
    }

    /// A write that is always possible.
    fn bump(&mut self) -> Node {
        self.spend(1);
        let template = "Main.sInteger++;«+ T.s(\"@.Main.sInteger\", Main.sInteger);»";
        Node::fixed(&template.replace('@', &self.package), vec![])
    }

    /// The same with something behind it: the range of a variable that is set before is not empty then.
    fn not_empty(&mut self, statements: Node) -> Node {
        let last = self.bump();
        Node::fixed("«0»«1»\n", vec![statements, last])
    }

    /// One statement.
    pub fn statement(&mut self, depth: usize) -> Node {
        self.spend(1);
        let structured = depth > 0 && self.affords(12);
        match self.random.below(if structured { 100 } else { 55 }) {
            0..=15 => self.declaration(),
            16..=29 => self.assignment(),
            30..=36 => self.element_assignment(),
            37..=40 => self.static_assignment(),
            41..=47 => self.call_statement(),
            48..=50 => self.jump(),
            51 => self.throw(),
            52..=54 => self.field_assignment(),
            55..=64 => self.branch(depth - 1),
            65..=72 => self.counted_loop(depth - 1),
            73..=76 => self.while_loop(depth - 1),
            77..=79 => self.do_loop(depth - 1),
            80..=83 => self.each(depth - 1),
            84..=87 => self.switch(depth - 1),
            88..=94 => self.attempt(depth - 1),
            95..=96 => self.locked(depth - 1),
            97 => self.labelled(depth - 1),
            _ => {
                let inner = self.statements(2, depth - 1);
                Node::statement("{\n«0»}", vec![inner])
            }
        }
    }

    fn declaration(&mut self) -> Node {
        let of = if !self.classes.is_empty() && self.random.chance(18) {
            let classes = self.classes.clone();
            Type::Class(self.random.pick(&classes).name.clone())
        } else {
            self.some_type()
        };
        if self.random.chance(12) {
            return self.late_declaration(&of);
        }
        let value = self.short(&of, 2);
        let may = if self.random.chance(25) {
            May::Capture
        } else {
            May::Change
        };
        let name = self.declare(&of, may);
        let template = format!("{} {name} = «0»;«+ T.w(\"{name}\", {name});»", of.java());
        Node::statement(&template, vec![value])
    }

    /// Declared here, assigned in both ways of a branch.
    fn late_declaration(&mut self, of: &Type) -> Node {
        let condition = self.condition(1);
        let (yes, no) = (self.short(of, 1), self.short(of, 1));
        let name = self.declare(of, May::Change);
        let template = format!(
            "{} {name};\nif («0») {{\n{name} = «1»;«+ T.w(\"{name}\", {name});»\n}} else {{\n{name} = «2»;«+ T.w(\"{name}\", {name});»\n}}",
            of.java()
        );
        Node::statement(&template, vec![condition, yes, no])
    }

    fn assignment(&mut self) -> Node {
        let Some(Variable { name, of, .. }) =
            self.variable(|one| one.may == May::Change && !matches!(one.of, Type::Class(_)))
        else {
            return self.declaration();
        };
        let told = format!("«+ T.w(\"{name}\", {name});»");
        if of.is_number() && self.random.chance(35) {
            let operator = self.random.pick(&["++", "--"]);
            return Node::statement(&format!("{name}{operator};{told}"), vec![]);
        }
        let (operator, value) = self.assigned(&of);
        Node::statement(&format!("{name} {operator} «0»;{told}"), vec![value])
    }

    /// An assignment's operator and what stands behind it.
    fn assigned(&mut self, of: &Type) -> (&'static str, Node) {
        if *of == Type::Boolean && self.random.chance(40) {
            let operator = *self.random.pick(&["&=", "|=", "^="]);
            return (operator, self.expression(of, 1));
        }
        if !of.is_number() || self.random.chance(45) {
            return ("=", self.short(of, 2));
        }
        let floats = matches!(of, Type::Float | Type::Double);
        if !floats && self.random.chance(40) {
            let operator = *self.random.pick(&["<<=", ">>=", ">>>=", "&=", "|=", "^="]);
            let by = self.random.pick(&[Type::Int, Type::Long]).clone();
            return (operator, self.expression(&by, 1));
        }
        // Whatever the right side's type: the result is converted, also from double to byte.
        let by = self.some_number();
        (
            *self.random.pick(&["+=", "-=", "*="]),
            self.expression(&by, 1),
        )
    }

    fn some_number(&mut self) -> Type {
        let all = [Type::Int, Type::Long, Type::Double, Type::Char, Type::Float];
        self.random.pick(&all).clone()
    }

    fn element_assignment(&mut self) -> Node {
        let Some(array) = self.variable(|one| matches!(one.of, Type::Array(_))) else {
            return self.declaration();
        };
        let Type::Array(inner) = array.of.clone() else {
            return self.declaration();
        };
        let name = array.name;
        let index = self.index(&name, 1);
        let (operator, value) = self.assigned(&inner);
        let n = self.number();
        // The array and the index are what they were before the right side was worked out.
        let template = format!(
            "«-{name}[»«+{{ {of} a${n} = {name}; int i${n} = »«0»«-]»«+; a${n}[i${n}]» {operator} «1»;«+ T.a(a${n}, i${n}, a${n}[i${n}]); }}»",
            of = array.of.java()
        );
        Node::statement(&template, vec![index, value])
    }

    fn static_assignment(&mut self) -> Node {
        let of = self.random.pick(&super::types::PRIMITIVES).clone();
        let field = Self::static_field(&of);
        let (operator, value) = self.assigned(&of);
        let template = format!(
            "{field} {operator} «0»;«+ T.s(\"{}.{field}\", {field});»",
            self.package
        );
        Node::statement(&template, vec![value])
    }

    fn field_assignment(&mut self) -> Node {
        if let Some((name, of)) = {
            let own = self.own.clone();
            (!own.is_empty()).then(|| self.random.pick(&own).clone())
        } {
            let (operator, value) = self.assigned(&of);
            let template =
                format!("this.{name} {operator} «0»;«+ T.f(this, \"{name}\", this.{name});»");
            return Node::statement(&template, vec![value]);
        }
        let Some(object) = self.variable(|one| matches!(one.of, Type::Class(_))) else {
            return self.static_assignment();
        };
        let Type::Class(class) = &object.of else {
            return self.static_assignment();
        };
        let known = self.classes.iter().find(|one| one.name == *class).cloned();
        let fields = known.map(|known| known.fields).unwrap_or_default();
        if fields.is_empty() {
            return self.static_assignment();
        }
        let (field, of) = self.random.pick(&fields).clone();
        let (operator, value) = self.assigned(&of);
        let (n, name) = (self.number(), object.name);
        let template = format!(
            "«+{{ {class} o${n} = »«-{name}»«+{name}; o${n}».{field} {operator} «0»;«+ T.f(o${n}, \"{field}\", o${n}.{field}); }}»"
        );
        Node::statement(&template, vec![value])
    }

    fn call_statement(&mut self) -> Node {
        let affordable: Vec<_> = self
            .methods
            .iter()
            .filter(|one| self.affords(one.cost))
            .cloned()
            .collect();
        if let Some(object) = self.variable(|one| matches!(one.of, Type::Class(_)))
            && self.random.chance(60)
            && let Some(call) = self.method_of(&object.name, &object.of, 1)
        {
            return Node::statement("«0»;", vec![call]);
        }
        if affordable.is_empty() {
            return self.declaration();
        }
        let method = self.random.pick(&affordable).clone();
        self.spend(method.cost);
        let (template, values) = self.arguments(&method.parameters, 1);
        Node::statement(&format!("{}{template};", method.name), values)
    }

    /// `break` or `continue`, sometimes of a loop further out.
    fn jump(&mut self) -> Node {
        if self.loops.is_empty() {
            return self.assignment();
        }
        let condition = self.condition(1);
        let at = self.random.below(self.loops.len());
        let word = *self.random.pick(&["break", "continue"]);
        let innermost = at + 1 == self.loops.len();
        let target = match &self.loops[at] {
            Some(label) => format!(" {label}"),
            None if innermost => String::new(),
            None => return self.assignment(),
        };
        Node::statement(
            &format!("if («0») {{\n{word}{target};\n}}"),
            vec![condition],
        )
    }

    fn throw(&mut self) -> Node {
        let condition = self.condition(1);
        let text = self.quiet(&Type::Text, 0);
        let class = *self.random.pick(&[
            "IllegalStateException",
            "IllegalArgumentException",
            "UnsupportedOperationException",
        ]);
        self.spend(2);
        let template = format!("if («0») {{\nthrow «+T.th(»new {class}(«1»)«+)»;\n}}");
        Node::statement(&template, vec![condition, text])
    }

    fn branch(&mut self, depth: usize) -> Node {
        let condition = self.condition(2);
        let n = self.random.between(1, 3);
        let yes = self.statements(n, depth);
        if self.random.chance(50) {
            return Node::statement("if («0») {\n«1»}", vec![condition, yes]);
        }
        let no = self.statements(n, depth);
        Node::statement("if («0») {\n«1»} else {\n«2»}", vec![condition, yes, no])
    }

    /// The statements of a loop's body, with room for them.
    fn body(&mut self, rounds: usize, label: Option<String>, depth: usize) -> Node {
        self.loops.push(label);
        let n = self.random.between(1, 3);
        let body = self.repeated(rounds, |make| make.statements(n, depth));
        self.loops.pop();
        body
    }

    fn label(&mut self) -> (Option<String>, String) {
        if self.random.chance(25) {
            let label = format!("l{}", self.number());
            let text = format!("{label}: ");
            return (Some(label), text);
        }
        (None, String::new())
    }

    fn counted_loop(&mut self, depth: usize) -> Node {
        let rounds = self.random.between(1, 4);
        let place = self.number();
        let (label, before) = self.label();
        self.spend(rounds * 2);
        self.block(|make| {
            let i = make.declare(&Type::Int, May::Read);
            let body = make.body(rounds, label, depth);
            let (first, condition, step) = if make.random.chance(70) {
                ("0".to_owned(), format!("{i} < {rounds}"), "++")
            } else {
                (rounds.to_string(), format!("{i} > 0"), "--")
            };
            let template = format!(
                "{before}for (int {i} = «+T.l(\"{i}\", »{first}«+)»; «+T.b({place}, »{condition}«+)»; {i}{step}«+, T.w(\"{i}\", {i})») {{\n«0»}}"
            );
            Node::statement(&template, vec![body])
        })
    }

    fn while_loop(&mut self, depth: usize) -> Node {
        let rounds = self.random.between(1, 4);
        let (place, label) = (self.number(), self.label());
        self.spend(rounds * 3);
        self.block(|make| {
            let left = make.declare(&Type::Int, May::Read);
            let condition = make.condition(1);
            let body = make.body(rounds, label.0, depth);
            let template = format!(
                "int {left} = {rounds};«+ T.w(\"{left}\", {left});»\n{}while («+T.b({place}, T.post(\"{left}\", »{left}--«+, {left})» > 0«+)» && «0») {{\n«1»}}",
                label.1
            );
            Node::statement(&format!("{{\n{template}\n}}"), vec![condition, body])
        })
    }

    fn do_loop(&mut self, depth: usize) -> Node {
        let rounds = self.random.between(1, 3);
        let (place, label) = (self.number(), self.label());
        self.spend(rounds * 3);
        self.block(|make| {
            let done = make.declare(&Type::Int, May::Read);
            let condition = make.condition(1);
            let body = make.body(rounds, label.0, depth);
            let template = format!(
                "int {done} = 0;«+ T.w(\"{done}\", {done});»\n{}do {{\n«1»}} while («+T.b({place}, T.l(\"{done}\", »++{done}«+)» < {rounds}«+)» && «0»);",
                label.1
            );
            Node::statement(&format!("{{\n{template}\n}}"), vec![condition, body])
        })
    }

    /// `for (x : array)`. Told as the loop that javac makes of it.
    fn each(&mut self, depth: usize) -> Node {
        let inner = self
            .random
            .pick(&[Type::Int, Type::Double, Type::Text])
            .clone();
        let array = inner.clone().array();
        let over = self.expression(&array, 1);
        let (place, label) = (self.number(), self.label());
        self.spend(8);
        self.block(|make| {
            let x = make.declare(&inner, May::Capture);
            let body = make.body(4, label.0, depth);
            let body = make.not_empty(body);
            let of = inner.java();
            let label = label.1;
            let template = format!(
                "«+{{ int i${place} = 0; {of}[] a${place} = »«-{label}for ({of} {x} : »«0»«-) {{»«+; {label}for (; T.b({place}, i${place} < a${place}.length); i${place}++) {{ {of} {x} = T.l(\"{x}\", a${place}[i${place}]);»\n«1»}}«+ }}»"
            );
            Node::statement(&template, vec![over, body])
        })
    }

    fn switch(&mut self, depth: usize) -> Node {
        let selector = self.not_constant(&Type::Int);
        let place = self.number();
        let (mask, spread) = *self.random.pick(&[(3, 1), (7, 1), (3, 1000)]);
        let n = self.random.between(2, 4);
        let mut text = String::new();
        let mut groups = Vec::new();
        let mut children = vec![selector];
        for group in 1..=n {
            text.push_str(&format!("case {}:\n", (group - 1) * spread));
            groups.push(format!("{}, {group}", (group - 1) * spread));
            if self.random.chance(20) {
                text.push_str(&format!("case {}:\n", (group + 9) * spread));
                groups.push(format!("{}, {group}", (group + 9) * spread));
            }
            children.push(self.switch_body(depth));
            text.push_str(&format!("«{}»", children.len() - 1));
            if self.random.chance(75) {
                text.push_str("break;\n");
            }
        }
        if self.random.chance(60) {
            children.push(self.switch_body(depth));
            text.push_str(&format!("default:\n«{}»", children.len() - 1));
        }
        let template = format!(
            "switch («+T.sw({place}, »(«0» & {mask}) * {spread}«+, {})») {{\n{text}}}",
            groups.join(", ")
        );
        Node::statement(&template, children)
    }

    /// Its last statement is never gone, so that two groups never have one beginning.
    fn switch_body(&mut self, depth: usize) -> Node {
        // A `break` in here would leave the switch, a `continue` is the loop's.
        let loops = std::mem::take(&mut self.loops);
        let n = self.random.between(1, 2);
        let inner = self.statements(n, depth);
        let last = self.bump();
        self.loops = loops;
        Node::fixed("{\n«0»}\n«1»\n", vec![inner, last])
    }

    fn attempt(&mut self, depth: usize) -> Node {
        self.spend(6);
        let n = self.number();
        let body = self.statements(3, depth);
        let with_catch = self.random.chance(80);
        let mut children = vec![body];
        // What is on its way is told before a handler or a `finally` runs.
        let mut template = String::from(
            "try {\n«+try {»\n«0»«+} catch (Throwable t$@) { T.seen(#, t$@); throw t$@; }»\n}",
        );
        if with_catch {
            let class = *self.random.pick(&CAUGHT);
            let handler = self.block(|make| {
                let e = make.local_name();
                make.variables.push(Variable {
                    name: e.clone(),
                    of: Type::Class("Throwable".into()),
                    may: May::Capture,
                });
                let inner = make.statements(2, depth);
                (e, make.not_empty(inner))
            });
            template.push_str(&format!(
                " catch ({class} {e}) {{«+ T.ct(#, {e}); T.w(\"{e}\", {e}); try {{»\n«1»«+}} catch (Throwable u$@) {{ T.seen(#, u$@); throw u$@; }}»}}",
                e = handler.0
            ));
            children.push(handler.1);
        }
        if !with_catch || self.random.chance(40) {
            let last = self.statements(2, depth);
            children.push(last);
            template.push_str(&format!(" finally {{\n«{}»}}", children.len() - 1));
        }
        let template = template.replace('@', &n.to_string());
        Node::statement(&template.replace('#', &self.depth), children)
    }

    fn locked(&mut self, depth: usize) -> Node {
        let lock = self.variable(|one| matches!(one.of, Type::Array(_)));
        let name = lock.map_or_else(|| "Main.class".to_owned(), |one| one.name);
        let inner = self.statements(2, depth);
        Node::statement(&format!("synchronized ({name}) {{\n«0»}}"), vec![inner])
    }

    /// A block that a `break` leaves.
    fn labelled(&mut self, depth: usize) -> Node {
        let label = format!("l{}", self.number());
        let before = self.statements(1, depth);
        let condition = self.condition(1);
        let after = self.statements(2, depth);
        let template =
            format!("{label}: {{\n{{\n«0»}}\nif («1») {{\nbreak {label};\n}}\n{{\n«2»}}\n}}");
        Node::statement(&template, vec![before, condition, after])
    }
}
