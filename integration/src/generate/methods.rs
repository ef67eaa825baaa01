//! Methods, constructors and classes. The telling printing has two methods for each: the outer one says that the
//! call began and how it ended, and calls the inner one, which has the body; so that what a `finally` makes of a
//! result is known.

use super::maker::{Class, Maker, May, Method, Variable};
use super::node::Node;
use super::types::Type;

/// Where a method stands, for its texts.
#[derive(Clone, Copy, Debug)]
pub struct Head<'a> {
    /// What stands before its type: `static`, `public` …
    pub modifiers: &'a str,
    /// The class's name.
    pub class: &'a str,
    /// The method's name.
    pub name: &'a str,
    /// Its type; `None` for void.
    pub result: Option<&'a str>,
    /// `throws X`, or nothing.
    pub throws: &'a str,
}

impl Maker {
    /// A method around a body that ends by itself (with `return` where it has a result). Parameters: type, name.
    pub fn method(&self, head: Head<'_>, parameters: &[(String, String)], body: Node) -> Node {
        let Head {
            modifiers,
            class,
            name,
            result,
            throws,
        } = head;
        let listed: Vec<String> = parameters
            .iter()
            .map(|(of, name)| format!("{of} {name}"))
            .collect();
        let listed = listed.join(", ");
        let names: Vec<&str> = parameters.iter().map(|(_, name)| name.as_str()).collect();
        let names = names.join(", ");
        let told: String = names
            .split(", ")
            .filter(|name| !name.is_empty())
            .fold(String::new(), |all, name| all + ", (Object) " + name);
        let of = result.unwrap_or("void");
        let is_static = modifiers.contains("static");
        let this = if is_static { "T.class" } else { "this" };
        // Erased generics and interfaces: the inner one is found from everywhere and overrides nothing.
        let inner = format!("{name}$in{class}");
        let own = ["static ", "default "]
            .into_iter()
            .find(|word| modifiers.contains(word.trim_end()))
            .unwrap_or_default();
        let (begin, keep, end, give) = match result {
            Some(of) => (
                format!("{of} r$; "),
                "r$ = ",
                "T.r(d$, r$); ",
                "return r$; ",
            ),
            None => (String::new(), "", "T.r(d$); ", ""),
        };
        let package = &self.package;
        let template = format!(
            "{modifiers} {of} {name}({listed}) {throws} {{«+ int d$ = T.in(\"{package}.{class}\", \"{name}\", {this}{told}); {begin}try {{ {keep}{inner}({names}); }} catch (Throwable t$) {{ T.x(d$, t$); throw t$; }} {end}{give}}}»\n«+{own}{of} {inner}({listed}) {throws} {{ final int d$ = T.depth();»\n«0»}}\n"
        );
        Node::fixed(&template, vec![body])
    }

    /// Statements that end with `return` of such an expression, with these parameters in reach.
    pub fn returning(
        &mut self,
        parameters: &[(Type, String)],
        result: &Type,
        depth: usize,
    ) -> Node {
        let outer = std::mem::take(&mut self.variables);
        let loops = std::mem::take(&mut self.loops);
        for (of, name) in parameters {
            self.variables.push(Variable {
                name: name.clone(),
                of: of.clone(),
                may: May::Change,
            });
        }
        let n = self.random.between(2, 5);
        let mut all = Vec::new();
        for _ in 0..n {
            if self.affords(2) {
                all.push(self.statement(depth));
            }
        }
        let value = self.short(result, 1);
        self.variables = outer;
        self.loops = loops;
        let end = Node::fixed("return «0»;\n", vec![value]);
        Node::fixed("«0»«1»", vec![Node::list(all), end])
    }

    /// A static method of `Main` with whatever comes to mind in it.
    pub fn static_method(&mut self) {
        let name = format!("m{}", self.methods.len());
        let result = self.some_type();
        let n = self.random.below(4);
        let parameters: Vec<(Type, String)> = (0..n)
            .map(|i| (self.some_type(), format!("p{i}")))
            .collect();
        self.cost = 2;
        let body = self.returning(&parameters, &result, 2);
        let head = Head {
            modifiers: "static",
            class: "Main",
            name: &name,
            result: Some(&result.java()),
            throws: "",
        };
        let written: Vec<_> = parameters
            .iter()
            .map(|(of, name)| (of.java(), name.clone()))
            .collect();
        let node = self.method(head, &written, body);
        self.members.push(node);
        self.methods.push(Method {
            name: format!("Main.{name}"),
            parameters: parameters.into_iter().map(|(of, _)| of).collect(),
            result,
            cost: self.cost,
        });
    }

    /// A method that calls itself, a few times deep.
    pub fn recursive_method(&mut self) {
        let name = format!("m{}", self.methods.len());
        self.cost = 2;
        let parameters = [(Type::Int, "p0".to_owned()), (Type::Int, "left".to_owned())];
        let body = self.returning(&parameters, &Type::Int, 1);
        let place = self.number();
        let body = Node::fixed(
            &format!(
                "if («+T.b({place}, »left <= 0«+)») {{\nreturn p0;\n}}\np0 += {name}(p0 + left, (left & 3) - 1);«+ T.w(\"p0\", p0);»\n«0»"
            ),
            vec![body],
        );
        let head = Head {
            modifiers: "static",
            class: "Main",
            name: &name,
            result: Some("int"),
            throws: "",
        };
        let written: Vec<_> = parameters
            .iter()
            .map(|(of, name)| (of.java(), name.clone()))
            .collect();
        let node = self.method(head, &written, body);
        self.members.push(node);
        self.methods.push(Method {
            name: format!("Main.{name}"),
            parameters: vec![Type::Int, Type::Int],
            result: Type::Int,
            cost: self.cost * 4,
        });
    }

    /// A class with fields, initialisers and methods; sometimes a subclass of one made before.
    pub fn class(&mut self) {
        let name = format!("A{}", self.classes.len());
        let parents: Vec<Class> = self
            .classes
            .iter()
            .filter(|one| one.constructor.is_some() && one.name.starts_with('A'))
            .cloned()
            .collect();
        let parent = (self.random.chance(50) && !parents.is_empty())
            .then(|| self.random.pick(&parents).clone());
        let own: Vec<(String, Type)> = (0..self.random.between(1, 3))
            .map(|i| {
                let of = match self.random.below(3) {
                    0 => Type::Int,
                    1 => self.random.pick(&super::types::PRIMITIVES).clone(),
                    _ => self.some_type(),
                };
                (format!("{}{i}", name.to_lowercase()), of)
            })
            .collect();
        let inherited = parent.as_ref().map(|one| one.fields.clone());
        let mut fields = inherited.unwrap_or_default();
        let mut members = Vec::new();
        for (field, of) in &own {
            members.push(Node::fixed(&format!("{} {field};", of.java()), vec![]));
        }
        fields.extend(own.iter().cloned());
        let parameters: Vec<Type> = (0..self.random.between(1, 2))
            .map(|_| self.some_type())
            .collect();
        self.cost = 0;
        let constructor = self.constructor(&name, parent.as_ref(), &own, &parameters);
        members.push(constructor);
        let mut methods = parent
            .as_ref()
            .map_or_else(Vec::new, |one| one.methods.clone());
        let mut made: Vec<String> = Vec::new();
        for i in 0..self.random.between(1, 2) {
            // Some override what the parent has.
            let method = match methods.first() {
                Some(first) if i == 0 && self.random.chance(60) => first.0.clone(),
                _ => format!("f{}{i}", name.to_lowercase()),
            };
            if made.contains(&method) {
                continue;
            }
            self.cost = 2;
            self.own = fields.clone();
            let body = self.returning(&[(Type::Int, "x".into())], &Type::Int, 1);
            self.own.clear();
            let head = Head {
                modifiers: "",
                class: &name,
                name: &method,
                result: Some("int"),
                throws: "",
            };
            let node = self.method(head, &[("int".into(), "x".into())], body);
            members.push(node);
            made.push(method.clone());
            match methods.iter_mut().find(|one| one.0 == method) {
                Some(one) => one.1 = one.1.max(self.cost),
                None => methods.push((method, self.cost)),
            }
        }
        // A call of a parent's method may run the child's.
        for class in &mut self.classes {
            for (method, cost) in &mut class.methods {
                if let Some(mine) = methods.iter().find(|one| one.0 == *method) {
                    *cost = (*cost).max(mine.1);
                }
            }
        }
        let extends = parent.map_or_else(String::new, |one| format!(" extends {}", one.name));
        let members = Node::list(members);
        let top = Node::fixed(&format!("class {name}{extends} {{\n«0»}}"), vec![members]);
        self.tops.push(top);
        self.classes.push(Class {
            name,
            fields,
            methods,
            constructor: Some(parameters),
        });
    }

    fn constructor(
        &mut self,
        name: &str,
        parent: Option<&Class>,
        own: &[(String, Type)],
        parameters: &[Type],
    ) -> Node {
        let outer = std::mem::take(&mut self.variables);
        let listed: Vec<String> = parameters
            .iter()
            .enumerate()
            .map(|(i, of)| format!("{} q{i}", of.java()))
            .collect();
        let told: String = (0..parameters.len())
            .map(|i| format!(", (Object) q{i}"))
            .collect();
        for (i, of) in parameters.iter().enumerate() {
            self.variables.push(Variable {
                name: format!("q{i}"),
                of: of.clone(),
                may: May::Change,
            });
        }
        let package = &self.package;
        let mut children: Vec<Type> = Vec::new();
        let begin = match parent.and_then(|one| one.constructor.clone()) {
            Some(types) => {
                // What is told with the first argument is told before the others are worked out: none does anything.
                let hole = |i: usize| match i {
                    0 => format!("«+T.before(»«0»«+, \"{package}.{name}\"{told})»"),
                    _ => format!("«{i}»"),
                };
                let holes: Vec<String> = (0..types.len()).map(hole).collect();
                children = types;
                format!("super({});", holes.join(", "))
            }
            None => format!("super();«+ T.in(\"{package}.{name}\", \"<init>\", this{told});»"),
        };
        let mut nodes: Vec<Node> = children.iter().map(|of| self.quiet(of, 0)).collect();
        let mut text = format!(
            "{name}({}) {{\n{begin}\n«+final int d$ = T.depth(); try {{»\n",
            listed.join(", ")
        );
        for (field, of) in own {
            let value = self.short(of, 1);
            nodes.push(value);
            text.push_str(&format!(
                "this.{field} = «{}»;«+ T.f(this, \"{field}\", this.{field});»\n",
                nodes.len() - 1
            ));
        }
        self.own = own.to_vec();
        let more = self.statements(2, 1);
        self.own.clear();
        nodes.push(more);
        text.push_str(&format!(
            "«{}»«+}} catch (Throwable t$) {{ T.x(d$, t$); throw t$; }} T.r(d$);»\n}}\n",
            nodes.len() - 1
        ));
        self.variables = outer;
        Node::fixed(&text, nodes)
    }
}
