//! Calls: what those tell that stay in the scope, and those that may leave it, before and behind.

use std::rc::Rc;

use jhyde_bytecode::patch::{AddedLocal, Place, Snippet};
use jhyde_bytecode::{
    Constant, FieldType, Instruction, InvokeKind, LocalType, MethodDescriptor, Opcode,
};

use super::{Done, Inserter, InstrumentError, OBJECT, kind_of, kind_of_result, local};
use crate::contents::methods::changes_nothing;
use crate::probe::holds::{Hold, holds};
use crate::probe::plan::{Lambda, Tells};
use crate::probe::specified::{
    computes_only, is_of_the_jdk, keeps_array, may_be_array, only_reads, writes_arrays,
};
use crate::probe::writers::writes;
use crate::program::{Named, dotted};
use crate::recorder::always_follows;

/// A method handle's kind that calls a static method (JVMS 5.4.3.5).
const REF_INVOKE_STATIC: u8 = 6;

impl Inserter<'_, '_, '_> {
    /// A call instruction.
    pub(super) fn call(&mut self, instruction: &Instruction) -> Done {
        let Some(invoke) = instruction.invoke() else {
            return Ok(());
        };
        let index = invoke.index;
        let pool = self.pool();
        let (class, name, descriptor) = if invoke.kind == InvokeKind::Dynamic {
            let (_, name, descriptor) = pool
                .call_site(invoke.constant)
                .map_err(|_| InstrumentError::Pool)?;
            (String::new(), name.to_owned(), descriptor.to_owned())
        } else {
            let named = pool
                .method(invoke.constant)
                .map_err(|_| InstrumentError::Pool)?;
            let (class, name) = (named.class.to_owned(), named.name.to_owned());
            (class, name, named.descriptor.to_owned())
        };
        let resolves = matches!(
            invoke.kind,
            InvokeKind::Static | InvokeKind::Special | InvokeKind::Virtual
        );
        // What it runs is chosen by the receiver's class: one out of the scope may have another method.
        let leaves = invoke.kind == InvokeKind::Virtual
            && (self.names).is_overridden(&dotted(&class), &name, &descriptor);
        let direct = match resolves && !leaves {
            true => {
                // Which class a static method initialises that such a one has inherited shows when it is called.
                let inherits = invoke.kind != InvokeKind::Static;
                self.names.method(&class, (&name, &descriptor), inherits)
            }
            false => None,
        };
        if let Some(method) = direct {
            if invoke.kind == InvokeKind::Static {
                self.declares(invoke.constant, &class, &method.class.name);
            }
            self.place(index, Tells::Direct)?;
            let begins = self.of_log("call")?;
            self.wanted.insert(Place::Before(index), begins);
            if method.synchronized {
                let leaves = self.of_log("leave")?;
                self.wanted.insert(Place::Before(index), leaves);
            }
            return Ok(());
        }
        let named = Named {
            class: dotted(&class),
            name,
            descriptor: descriptor.clone(),
            kind: invoke.kind,
            code: 0,
        };
        // A plain object has nothing but its hash to be known by, and is often a lock: it is told when it is made.
        let is_plain = named.name == "<init>" && self.this != Some(instruction.next());
        if invoke.kind != InvokeKind::Dynamic && always_follows(&named) && !is_plain {
            self.place(index, Tells::Nothing)?;
            return Ok(());
        }
        let parsed = MethodDescriptor::parse(&descriptor).map_err(|_| InstrumentError::Pool)?;
        let mut operands: Vec<String> = Vec::new();
        if invoke.kind.has_receiver() {
            operands.push(match class.starts_with('[') {
                true => class.clone(),
                false => format!("L{class};"),
            });
        }
        operands.extend(parsed.parameters.iter().map(FieldType::descriptor));
        let holds = match self.also.contents {
            true => holds(&named, &operands),
            false => Vec::new(),
        };
        let lambda = match invoke.kind {
            InvokeKind::Dynamic => self.lambda(invoke.constant),
            _ => None,
        };
        let returns = kind_of_result(&descriptor);
        self.leaving(
            index,
            (&operands, &returns),
            &holds,
            lambda,
            (&named, leaves),
        )
    }

    /// What the lambda or method reference runs that a call site makes.
    fn lambda(&mut self, site: u16) -> Option<Lambda> {
        let pool = &self.class.constants;
        let (site, ..) = pool.call_site(site).ok()?;
        let all = &self.class.bootstrap_methods;
        let linked = all.get(usize::from(site.bootstrap_method))?;
        let handle = |at: u16| match pool.get(at) {
            Ok(Constant::MethodHandle { kind, reference }) => {
                Some((*kind, pool.method(*reference).ok()?))
            }
            _ => None,
        };
        let (_, linker) = handle(linked.method)?;
        let (kind, runs) = handle(*linked.arguments.get(1)?)?;
        let class = dotted(runs.class);
        let named = || Named {
            class: class.clone(),
            name: runs.name.to_owned(),
            descriptor: runs.descriptor.to_owned(),
            kind: match kind {
                REF_INVOKE_STATIC => InvokeKind::Static,
                _ => InvokeKind::Virtual,
            },
            code: 0,
        };
        let is_outside = self.names.class(runs.class).is_none();
        let is_wild = is_outside && !changes_nothing(&named());
        (linker.class == "java/lang/invoke/LambdaMetafactory").then(|| Lambda {
            method: format!("{class}.{}", runs.name),
            is_outside,
            is_wild,
            is_foreign: is_wild && !is_of_the_jdk(&class) && !class.ends_with("[]"),
            writes_arrays: writes_arrays(&class, runs.name),
            writes_fields: writes(&class, runs.name).is_some(),
        })
    }

    /// A call that may leave the scope; `overridden`: for code that is neither of the scope nor the JDK's, for certain.
    fn leaving(
        &mut self,
        index: u32,
        (operands, returns): (&[String], &str),
        holds: &[Hold],
        lambda: Option<Lambda>,
        (named, overridden): (&Named, bool),
    ) -> Done {
        let constructs = named.name == "<init>";
        let reflects = overridden
            || keeps_array(named, self.before)
            || self.names.uses_reflection(named)
            || lambda
                .as_ref()
                .is_some_and(|lambda| lambda.writes_arrays || lambda.writes_fields);
        // A lambda takes what it captures, and runs nothing.
        let waits = lambda.is_none() && !computes_only(named);
        let kinds: Vec<&str> = operands.iter().map(|operand| kind_of(operand)).collect();
        let references = kinds
            .iter()
            .enumerate()
            .filter(|(_, kind)| **kind == OBJECT);
        let shown: Vec<usize> = references
            .map(|(at, _)| at)
            .filter(|&at| at > 0 || !constructs)
            .collect();
        // What the JVM links itself (lambdas, texts) changes nothing that it is shown.
        let changes = named.kind != InvokeKind::Dynamic;
        let arrays: Vec<usize> = shown
            .iter()
            .copied()
            .filter(|&at| changes && operands.get(at).is_some_and(|kind| may_be_array(kind)))
            .filter(|&at| !only_reads(named, at, &operands[at]))
            .collect();
        let place = self.place(
            index,
            Tells::Call {
                shown: shown.clone(),
                arrays: arrays.clone(),
                constructs,
                reflects,
                lambda: lambda.map(Rc::new),
            },
        )?;
        let only_top = shown.len() == 1 && shown.first() == Some(&(kinds.len() - 1));
        if only_top && arrays.is_empty() && holds.is_empty() && !constructs {
            let told = self.tell("shown", OBJECT, None)?;
            self.wanted.insert(Place::Before(index), told);
        } else if !shown.is_empty() || constructs || !holds.is_empty() {
            let before = self.spill(&kinds, &shown)?;
            self.wanted.insert(Place::Before(index), before);
        }
        if reflects && self.also.later_reads {
            let reflects = self.calls("reflects", "()V")?;
            let snippet = Snippet::new().invoke_static(reflects);
            self.wanted.insert(Place::Before(index), snippet);
        }
        if waits {
            let leaves = self.of_log("leave")?;
            self.wanted.insert(Place::Before(index), leaves);
        }
        let back = self.of_log("back")?;
        self.wanted.insert(Place::After(index), back);
        for hold in holds {
            self.holds(index, *hold)?;
        }
        let told = match returns {
            "V" => self.tell_of(Snippet::new(), "result", "", Some(place))?,
            kind => self.tell("result", kind, Some(place))?,
        };
        self.wanted.insert(Place::After(index), told);
        if constructs {
            let made = Snippet::new().load(LocalType::Reference, self.scratch(0));
            let told = self.tell_of(made, "constructed", OBJECT, None)?;
            self.wanted.insert(Place::After(index), told);
        }
        for at in arrays {
            let array = Snippet::new().load(LocalType::Reference, self.scratch(at));
            let told = self.tell_of(array, "content", OBJECT, Some(place))?;
            self.wanted.insert(Place::After(index), told);
        }
        Ok(())
    }

    /// Tells what an operand of a call holds behind it.
    fn holds(&mut self, index: u32, hold: Hold) -> Done {
        let operand = self.scratch(hold.operand);
        let key = hold.key.map(|key| self.scratch(key));
        let loaded = Snippet::new().load(LocalType::Reference, operand);
        let loaded = match key {
            Some(key) => loaded.load(LocalType::Reference, key),
            None => loaded.op(Opcode::AconstNull),
        };
        let told = self.tell_of(loaded, "held", &format!("{OBJECT}{OBJECT}"), None)?;
        self.wanted.insert(Place::After(index), told);
        Ok(())
    }

    /// Takes the operands from the stack, tells some, and puts them back. The lowest stays there, if it is an object: by the instruction that pushed
    /// the receiver the JVM says, in the message of a `NullPointerException`, what is null.
    fn spill(&mut self, kinds: &[&str], shown: &[usize]) -> Result<Snippet, InstrumentError> {
        let stays = kinds.first().is_some_and(|kind| *kind == OBJECT);
        let mut snippet = Snippet::new();
        for (at, kind) in kinds.iter().enumerate().rev() {
            if at == 0 && stays {
                snippet = snippet.op(Opcode::Dup);
            }
            snippet = snippet.store(local(kind), self.scratch(at));
        }
        for &at in shown {
            let loaded = snippet.load(LocalType::Reference, self.scratch(at));
            snippet = self.tell_of(loaded, "shown", OBJECT, None)?;
        }
        for (at, kind) in kinds.iter().enumerate().skip(usize::from(stays)) {
            snippet = snippet.load(local(kind), self.scratch(at));
        }
        Ok(snippet)
    }

    /// Where the operand of this position lies: any type fits.
    fn scratch(&mut self, at: usize) -> u16 {
        while self.scratch.len() <= at {
            let slot = self.wanted.add_local(AddedLocal::Scratch(LocalType::Long));
            self.scratch.push(slot);
        }
        self.scratch[at]
    }
}
