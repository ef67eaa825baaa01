//! A method of the debuggee: what is worked out from its tables and code, once, so that the recording loop need not.

use std::rc::Rc;

use jdwp::Tag;
use jdwp::commands::stack_frame::SlotRequest;
use jhyde_bytecode::{Code, ConstantPool, MethodDescriptor};
use jhyde_trace::{LocalVariable, MethodId, MethodInfo};

use super::Loader;
use super::flags::{ABSTRACT, NATIVE, PRIVATE, PROTECTED, PUBLIC, STATIC, SYNCHRONIZED, SYNTHETIC};
use super::locals::Place;

/// A method of the debuggee, with what the recording loop needs of it.
#[derive(Debug)]
pub(crate) struct Method {
    pub(crate) id: MethodId,
    pub(crate) in_scope: bool,
    pub(crate) name: String,
    pub(crate) descriptor: String,
    pub(crate) native: bool,
    pub(crate) synchronized: bool,
    /// Has a `this`.
    pub(crate) receiver: bool,
    /// Slots of `this` if there is one, then of the parameters. The flag: HotSpot lets it be read.
    /// It refuses slots that a variable table leaves out (bridges, parameters made by the compiler).
    pub(crate) slots: Vec<(SlotRequest, bool)>,
    pub(crate) variables: Vec<LocalVariable>,
    /// Where they lie.
    pub(crate) places: Vec<Place>,
    pub(crate) code: Option<Code>,
    pub(crate) pool: Option<Rc<ConstantPool>>,
    pub(crate) is_abstract: bool,
    pub(crate) access: Access,
    /// What defined its class.
    pub(crate) loader: Loader,
    /// Code out of the scope has no supertype by which it could call it: only reflection, lambdas that are bound to it and
    /// overrides of it can.
    pub(crate) closed: bool,
}

/// Who may override a method (JVMS 5.4.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Nobody.
    Private,
    /// Classes of its run-time package.
    Package,
    /// All subclasses.
    Open,
}

impl Access {
    pub(crate) fn of(modifiers: u32) -> Self {
        match modifiers {
            private if private & PRIVATE != 0 => Self::Private,
            open if open & (PUBLIC | PROTECTED) != 0 => Self::Open,
            _ => Self::Package,
        }
    }
}

impl Method {
    /// The variable that a slot holds at a bytecode index, by its position, if the table names one.
    pub(crate) fn variable_in(&self, slot: u16, index: u32) -> Option<u16> {
        Place::variable_in(&self.places, slot, index)
    }

    /// A method outside the scope.
    pub(super) fn outside(info: &MethodInfo) -> Self {
        Self {
            id: info.id,
            in_scope: false,
            name: info.name.clone(),
            descriptor: info.descriptor.clone(),
            native: info.modifiers & NATIVE != 0,
            synchronized: false,
            receiver: !info.is_static(),
            slots: Vec::new(),
            variables: Vec::new(),
            places: Vec::new(),
            code: None,
            pool: None,
            is_abstract: false,
            access: Access::of(info.modifiers),
            loader: 0,
            closed: false,
        }
    }

    /// A method of the scope.
    ///
    /// `open`: code out of the scope can call methods of its class through a supertype.
    pub(crate) fn of_scope(
        info: &MethodInfo,
        places: Vec<Place>,
        loader: Loader,
        pool: Option<&Rc<ConstantPool>>,
        open: bool,
    ) -> Self {
        let receiver = !info.is_static();
        let mut slots = Vec::new();
        if receiver {
            slots.push(SlotRequest {
                slot: 0,
                tag: Tag::OBJECT,
            });
        }
        if let Ok(descriptor) = MethodDescriptor::parse(&info.descriptor) {
            slots.extend(
                descriptor
                    .parameter_slots(!receiver)
                    .map(|(slot, kind)| SlotRequest {
                        slot: i32::from(slot),
                        tag: Tag(kind.tag()),
                    }),
            );
        }
        let named = |slot: i32| {
            info.variables.is_empty()
                || info
                    .variables
                    .iter()
                    .any(|v| i32::from(v.slot) == slot && v.covers(0))
        };
        let slots = slots
            .into_iter()
            .map(|request| (request, named(request.slot)))
            .collect();
        let code = Code::decode(&info.code)
            .ok()
            .filter(|code| code.length() > 0);
        Self {
            id: info.id,
            in_scope: true,
            name: info.name.clone(),
            descriptor: info.descriptor.clone(),
            native: info.modifiers & NATIVE != 0,
            synchronized: info.modifiers & SYNCHRONIZED != 0,
            receiver,
            slots,
            variables: info.variables.clone(),
            places,
            code,
            pool: pool.cloned(),
            is_abstract: info.modifiers & ABSTRACT != 0,
            access: Access::of(info.modifiers),
            loader,
            closed: is_closed(info, open),
        }
    }

    /// Is it a constructor?
    pub(crate) fn is_constructor(&self) -> bool {
        self.name == "<init>"
    }
}

fn is_closed(info: &MethodInfo, open: bool) -> bool {
    let modifiers = info.modifiers;
    if modifiers & SYNTHETIC != 0 || info.name == "<clinit>" {
        return false;
    }
    let of_object = matches!(
        info.name.as_str(),
        "toString" | "equals" | "hashCode" | "finalize" | "clone"
    );
    info.name == "<init>" || modifiers & (STATIC | PRIVATE) != 0 || (!open && !of_object)
}
