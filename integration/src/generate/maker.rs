//! What is known while a program is made: the variables in reach, the methods that can be called and what they
//! cost, the numbers already given.

use std::collections::BTreeSet;

use super::node::Node;
use super::random::Random;
use super::types::Type;

/// What may be done with a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum May {
    /// Read and written.
    Change,
    /// Read: a loop counts with it.
    Read,
    /// Read, also by lambdas: written once.
    Capture,
}

/// A local variable in reach.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its type.
    pub of: Type,
    /// What may be done with it.
    pub may: May,
}

/// A static method that others can call.
#[derive(Clone, Debug)]
pub struct Method {
    /// As it is called.
    pub name: String,
    /// Its parameters' types.
    pub parameters: Vec<Type>,
    /// What it returns.
    pub result: Type,
    /// About how many events a call has.
    pub cost: usize,
}

/// A class of the program, with fields and methods that take `int` and return `int`.
#[derive(Clone, Debug)]
pub struct Class {
    /// Its name.
    pub name: String,
    /// Its fields, those that it inherits as well.
    pub fields: Vec<(String, Type)>,
    /// Methods that every object of it has: `int name(int)`.
    pub methods: Vec<(String, usize)>,
    /// Its constructor's parameters; `None` for what cannot be made.
    pub constructor: Option<Vec<Type>>,
}

/// A program in the making.
#[derive(Debug)]
pub struct Maker {
    /// Where all choices come from.
    pub random: Random,
    /// The language level: 8 to 25.
    pub release: u32,
    /// `g.p12`.
    pub package: String,
    /// The local variables in reach.
    pub variables: Vec<Variable>,
    /// Static methods of `Main` made so far.
    pub methods: Vec<Method>,
    /// Classes made so far.
    pub classes: Vec<Class>,
    /// Members of `Main`.
    pub members: Vec<Node>,
    /// Classes beside `Main`.
    pub tops: Vec<Node>,
    /// `Class.method` whose edges the source does not show (javac makes some of its own).
    pub untold_edges: BTreeSet<String>,
    /// Class, method, descriptor of the bridges that javac makes.
    pub bridges: BTreeSet<(String, String, String)>,
    /// `Class.method` that javac writes: no source tells of them.
    pub generated: BTreeSet<String>,
    /// How deep loops lead into loops and breaks out of them: their labels.
    pub loops: Vec<Option<String>>,
    /// How often what is made now is run, at most.
    pub times: usize,
    /// About how many events the method in the making has so far.
    pub cost: usize,
    /// The fields of `this`, where there is one.
    pub own: Vec<(String, Type)>,
    /// What the running call's depth is called where it is told.
    pub depth: String,
    numbers: usize,
}

/// No method has many more events than this.
pub const METHOD_BUDGET: usize = 160;

impl Maker {
    /// An empty program.
    pub fn new(seed: u64, release: u32) -> Self {
        Self {
            random: Random::new(seed),
            release,
            package: format!("g.p{seed}"),
            variables: Vec::new(),
            methods: Vec::new(),
            classes: Vec::new(),
            members: Vec::new(),
            tops: Vec::new(),
            untold_edges: BTreeSet::new(),
            bridges: BTreeSet::new(),
            generated: BTreeSet::new(),
            loops: Vec::new(),
            times: 1,
            cost: 0,
            own: Vec::new(),
            depth: "d$".into(),
            numbers: 0,
        }
    }

    /// A number that nothing else has.
    pub fn number(&mut self) -> usize {
        self.numbers += 1;
        self.numbers
    }

    /// A name for a local variable: short, and free here, so that names come again in other blocks.
    pub fn local_name(&mut self) -> String {
        loop {
            let letter = char::from(b'a' + self.random.below(26) as u8);
            let name = match self.random.below(3) {
                0 => letter.to_string(),
                n => format!("{letter}{n}"),
            };
            if !self.variables.iter().any(|one| one.name == name) {
                return name;
            }
        }
    }

    /// A new local variable.
    pub fn declare(&mut self, of: &Type, may: May) -> String {
        let name = self.local_name();
        self.variables.push(Variable {
            name: name.clone(),
            of: of.clone(),
            may,
        });
        name
    }

    /// What `inside` makes, in a block of its own: its variables go again.
    pub fn block<R>(&mut self, inside: impl FnOnce(&mut Self) -> R) -> R {
        let before = self.variables.len();
        let made = inside(self);
        self.variables.truncate(before);
        made
    }

    /// What `inside` makes is run `times` times.
    pub fn repeated<R>(&mut self, times: usize, inside: impl FnOnce(&mut Self) -> R) -> R {
        self.times *= times;
        let made = inside(self);
        self.times /= times;
        made
    }

    /// That many events more.
    pub fn spend(&mut self, events: usize) {
        self.cost += events * self.times;
    }

    /// Can the method in the making afford them?
    pub fn affords(&self, events: usize) -> bool {
        self.cost + events * self.times <= METHOD_BUDGET
    }

    /// A variable of a type with which that may be done.
    pub fn variable(&mut self, fits: impl Fn(&Variable) -> bool) -> Option<Variable> {
        let all: Vec<&Variable> = self.variables.iter().filter(|one| fits(one)).collect();
        if all.is_empty() {
            return None;
        }
        Some((*self.random.pick(&all)).clone())
    }

    /// The static field of `Main` of that type: each has one, so that no expression need be constant.
    pub fn static_field(of: &Type) -> String {
        format!("Main.s{}", of.boxed())
    }

    /// A type that plain statements use.
    pub fn some_type(&mut self) -> Type {
        match self.random.below(16) {
            0..=4 => Type::Int,
            5 => Type::Text,
            6 => Type::Long,
            7 => Type::Double,
            n => [
                Type::Boolean,
                Type::Byte,
                Type::Short,
                Type::Char,
                Type::Float,
                Type::Int.array(),
                Type::Text.array(),
                Type::Double.array(),
            ][n - 8]
                .clone(),
        }
    }
}
