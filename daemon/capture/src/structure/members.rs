//! Members of a class of the scope: what reading it whole means, and what is worked out from its
//! code so that the recording loop need not.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use jdwp::commands::stack_frame::SlotRequest;
use jdwp::commands::{class_type, method, reference_type};
use jdwp::{ReferenceTypeId, Tag};
use jhyde_bytecode::{Code, Constant, ConstantPool, Instruction, MethodDescriptor};
use jhyde_trace::{ClassInfo, FieldId, FieldInfo, LineEntry, LocalVariable, MethodId, MethodInfo};
use rustc_hash::FxHashMap;

use super::{Class, Field, Loader, Structure};
use crate::error::LinkError;
use crate::events::PlainClasses;
use crate::link::Link;
use crate::mirror::Pending;

const PRIVATE: i32 = 0x0002;
const STATIC: i32 = 0x0008;
const SYNCHRONIZED: i32 = 0x0020;
const VOLATILE: i32 = 0x0040;
pub(super) const NATIVE: i32 = 0x0100;
const INTERFACE: i32 = 0x0200;
pub(super) const ABSTRACT: i32 = 0x0400;
const SYNTHETIC: i32 = 0x1000;
const ENUM: i32 = 0x4000;

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
    pub(crate) code: Option<Code>,
    pub(crate) pool: Option<Rc<ConstantPool>>,
    pub(crate) is_abstract: bool,
    /// What defined its class.
    pub(crate) loader: Loader,
    /// Its stops are set (level `state` and above).
    pub(crate) prepared: Cell<bool>,
    /// The classes whose exits its plain calls need; known when its stops are set.
    pub(crate) plain: Cell<PlainClasses>,
    /// Indexes of the stops, in order.
    pub(crate) stops: RefCell<Vec<u32>>,
    /// Indexes of instructions that have run and need nothing linked any more, in order.
    linked: RefCell<Vec<u32>>,
    /// What runs is not this code any more.
    pub(crate) replaced: Cell<bool>,
    /// Only code of the scope can call it (reflection apart), so that one look at the stack tells
    /// for good where a caller calls it from.
    pub(crate) closed: bool,
    /// Invoke instructions of the code by name and descriptor of what they name: one, or several.
    sites: FxHashMap<(String, String), Option<u32>>,
    /// Call sites that were seen, by the called method.
    pub(crate) seen_sites: RefCell<FxHashMap<MethodId, u32>>,
}

impl Method {
    /// A method outside the scope.
    pub(super) fn outside(info: &MethodInfo) -> Self {
        Self {
            id: info.id,
            in_scope: false,
            name: info.name.clone(),
            descriptor: info.descriptor.clone(),
            native: info.modifiers as i32 & NATIVE != 0,
            synchronized: false,
            receiver: !info.is_static(),
            slots: Vec::new(),
            variables: Vec::new(),
            code: None,
            pool: None,
            is_abstract: false,
            loader: 0,
            prepared: Cell::new(false),
            plain: Cell::default(),
            stops: RefCell::default(),
            linked: RefCell::default(),
            replaced: Cell::new(false),
            closed: false,
            sites: FxHashMap::default(),
            seen_sites: RefCell::default(),
        }
    }

    /// The instruction that a thread stands at.
    pub(crate) fn instruction(&self, pending: Pending) -> Option<&Instruction> {
        self.code.as_ref()?.instructions().get(pending.ordinal)
    }

    /// Does a thread stop that arrives at this index?
    pub(crate) fn stops_at(&self, index: u32) -> bool {
        self.stops.borrow().binary_search(&index).is_ok()
    }

    /// An instruction has run: what its constant names is resolved and initialised from now on (JVMS 5.4.3).
    pub(crate) fn link(&self, instruction: &Instruction) {
        let mut linked = self.linked.borrow_mut();
        if self.names_something(instruction)
            && let Err(at) = linked.binary_search(&instruction.index)
        {
            linked.insert(at, instruction.index);
        }
    }

    /// Can an instruction run without anything being loaded, initialised or resolved?
    pub(crate) fn is_linked(&self, instruction: &Instruction) -> bool {
        !self.names_something(instruction)
            || self
                .linked
                .borrow()
                .binary_search(&instruction.index)
                .is_ok()
    }

    /// Does an instruction name a class or member, which is looked up when it runs for the first time? Numbers are what
    /// they are.
    fn names_something(&self, instruction: &Instruction) -> bool {
        let constant = instruction.constant();
        let pool = self.pool.as_ref();
        constant.is_some_and(|at| {
            !matches!(
                pool.and_then(|pool| pool.get(at).ok()),
                Some(
                    Constant::Integer(_)
                        | Constant::Float(_)
                        | Constant::Long(_)
                        | Constant::Double(_)
                )
            )
        })
    }

    /// Is it a constructor?
    pub(crate) fn is_constructor(&self) -> bool {
        self.name == "<init>"
    }

    /// The only invoke instruction that can call `callee` directly, if there is just one.
    pub(crate) fn only_site(&self, callee: &Self) -> Option<u32> {
        self.sites
            .get(&(callee.name.clone(), callee.descriptor.clone()))
            .copied()
            .flatten()
    }
}

/// What the JVM says of one declared method.
struct Declared {
    jdwp: jdwp::MethodId,
    modifiers: i32,
    info: MethodInfo,
}

impl Structure {
    /// Reads a class of the scope whole and puts it among the fresh ones.
    pub(super) fn read_members(
        &mut self,
        link: &mut Link,
        class: ReferenceTypeId,
        made: &mut Class,
        mut info: ClassInfo,
    ) -> Result<(), LinkError> {
        let modifiers = link.ask(&reference_type::Modifiers { ref_type: class });
        let source = link.ask(&reference_type::SourceFile { ref_type: class });
        let fields = link.ask(&reference_type::Fields { ref_type: class });
        let methods = link.ask(&reference_type::Methods { ref_type: class });
        let interfaces = link.ask(&reference_type::Interfaces { ref_type: class });
        let pool = link.ask(&reference_type::ConstantPool { ref_type: class });
        let loader = link.ask(&reference_type::ClassLoader { ref_type: class });
        let modifiers = link
            .reply::<reference_type::Modifiers>(modifiers)?
            .unwrap_or(0);
        info.modifiers = modifiers as u32;
        info.source_file = link
            .reply::<reference_type::SourceFile>(source)?
            .ok()
            .map(|name| name.to_string_lossy().into_owned());
        for field in link
            .reply::<reference_type::Fields>(fields)?
            .unwrap_or_default()
        {
            let id = FieldId(self.next_field);
            self.next_field += 1;
            self.fields.insert((class, field.field), id);
            made.fields.push(Field {
                id,
                jdwp: field.field,
                is_static: field.mod_bits & STATIC != 0,
                is_volatile: field.mod_bits & VOLATILE != 0,
                is_constant: field.mod_bits & ENUM != 0,
                name: field.name.to_string_lossy().into_owned(),
                descriptor: field.signature.to_string_lossy().into_owned(),
            });
            info.fields.push(FieldInfo {
                id,
                name: field.name.to_string_lossy().into_owned(),
                descriptor: field.signature.to_string_lossy().into_owned(),
                modifiers: field.mod_bits as u32,
            });
        }
        let methods = link
            .reply::<reference_type::Methods>(methods)?
            .unwrap_or_default();
        let interfaces = link
            .reply::<reference_type::Interfaces>(interfaces)?
            .unwrap_or_default();
        let pool = link
            .reply::<reference_type::ConstantPool>(pool)?
            .ok()
            .and_then(|pool| ConstantPool::parse(pool.count as u16, &pool.bytes).ok())
            .map(Rc::new);
        let loader = link.reply::<reference_type::ClassLoader>(loader)?;
        made.loader = loader.map_or(0, |loader| loader.0);
        made.interface = modifiers & INTERFACE != 0;
        let mut declared = self.read_methods(link, class, methods)?;
        let open = self.read_supertypes(link, class, modifiers, interfaces, made, &mut info)?;
        let mut with_code = declared
            .iter()
            .filter(|m| !m.info.code.is_empty())
            .peekable();
        if with_code.peek().is_some() && with_code.all(|m| m.info.lines.is_empty()) {
            self.without_lines.push(info.name.clone());
        }
        for method in &mut declared {
            let analysed = Rc::new(analyse(method, made.loader, pool.as_ref(), open));
            if analysed.name == "<clinit>" {
                made.initialiser = Some(method.jdwp);
            }
            made.methods.push(Rc::clone(&analysed));
            self.methods.insert((class, method.jdwp), analysed);
        }
        info.methods = declared.into_iter().map(|method| method.info).collect();
        self.fresh.push(info);
        Ok(())
    }

    /// Tables and code of all methods, asked for at once.
    fn read_methods(
        &mut self,
        link: &mut Link,
        class: ReferenceTypeId,
        methods: Vec<reference_type::MethodInfo>,
    ) -> Result<Vec<Declared>, LinkError> {
        let mut declared: Vec<Declared> = methods
            .into_iter()
            .map(|method| Declared {
                jdwp: method.method,
                modifiers: method.mod_bits,
                info: MethodInfo {
                    id: self.next_method(),
                    name: method.name.to_string_lossy().into_owned(),
                    descriptor: method.signature.to_string_lossy().into_owned(),
                    modifiers: method.mod_bits as u32,
                    lines: Vec::new(),
                    variables: Vec::new(),
                    code: Vec::new(),
                },
            })
            .collect();
        let with_code = || {
            declared
                .iter()
                .filter(|m| m.modifiers & (NATIVE | ABSTRACT) == 0)
                .map(|m| m.jdwp)
        };
        let ref_type = class;
        let lines =
            link.request_all(with_code().map(|method| method::LineTable { ref_type, method }))?;
        let variables =
            link.request_all(with_code().map(|method| method::VariableTable { ref_type, method }))?;
        let codes =
            link.request_all(with_code().map(|method| method::Bytecodes { ref_type, method }))?;
        let with_code = declared
            .iter_mut()
            .filter(|m| m.modifiers & (NATIVE | ABSTRACT) == 0);
        for (((method, lines), variables), code) in with_code.zip(lines).zip(variables).zip(codes) {
            let info = &mut method.info;
            info.lines = lines.map(|table| line_entries(&table)).unwrap_or_default();
            info.variables = variables
                .map(|table| variable_entries(&table))
                .unwrap_or_default();
            info.code = code.unwrap_or_default();
        }
        Ok(declared)
    }

    /// Names of the supertypes, and: can code outside the scope call the class's methods through
    /// one of them (other than `java.lang.Object`)?
    fn read_supertypes(
        &mut self,
        link: &mut Link,
        class: ReferenceTypeId,
        modifiers: i32,
        interfaces: Vec<ReferenceTypeId>,
        made: &mut Class,
        info: &mut ClassInfo,
    ) -> Result<bool, LinkError> {
        let mut open = false;
        if modifiers & INTERFACE == 0 {
            let above = link.request(&class_type::Superclass { class })?;
            if let Ok(above) = above
                .map_err(drop)
                .and_then(|a| if a.is_null() { Err(()) } else { Ok(a) })
            {
                let above_class = self.class(link, above)?;
                open |= above_class.name != "java.lang.Object" && self.is_open(above, &above_class);
                info.super_name = Some(above_class.name.clone());
                made.instance_fields = above_class.instance_fields.clone();
                made.above.push(above);
            }
        }
        let own = made.fields.iter().filter(|field| !field.is_static);
        made.instance_fields
            .extend(own.map(|field| (field.id, field.jdwp)));
        for interface in interfaces {
            let above = self.class(link, interface)?;
            open |= self.is_open(interface, &above);
            made.above.push(interface);
            info.interfaces.push(above.name.clone());
        }
        self.open_classes.insert(class, open);
        Ok(open)
    }

    fn is_open(&self, class: ReferenceTypeId, known: &Class) -> bool {
        !known.in_scope || self.open_classes.get(&class).copied().unwrap_or(true)
    }
}

fn line_entries(table: &method::LineTableReply) -> Vec<LineEntry> {
    let mut lines: Vec<LineEntry> = table
        .lines
        .iter()
        .filter_map(|entry| {
            let start = u32::try_from(entry.code_index).ok()?;
            Some(LineEntry {
                start,
                line: u32::try_from(entry.line).ok()?,
            })
        })
        .collect();
    lines.sort_by_key(|entry| entry.start);
    lines
}

fn variable_entries(table: &method::VariableTableReply) -> Vec<LocalVariable> {
    table
        .variables
        .iter()
        .filter_map(|entry| {
            Some(LocalVariable {
                start: u32::try_from(entry.code_index).ok()?,
                length: u32::try_from(entry.length).ok()?,
                slot: u16::try_from(entry.slot).ok()?,
                name: entry.name.to_string_lossy().into_owned(),
                descriptor: entry.signature.to_string_lossy().into_owned(),
            })
        })
        .collect()
}

/// Works out what the recording loop needs of a method of the scope.
fn analyse(
    method: &Declared,
    loader: Loader,
    pool: Option<&Rc<ConstantPool>>,
    open: bool,
) -> Method {
    let info = &method.info;
    let receiver = method.modifiers & STATIC == 0;
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
    let mut sites = FxHashMap::default();
    if let (Some(code), Some(pool)) = (&code, pool) {
        for invoke in code.invokes() {
            if let Ok(named) = pool.method(invoke.constant) {
                sites
                    .entry((named.name.to_owned(), named.descriptor.to_owned()))
                    .and_modify(|site| *site = None)
                    .or_insert(Some(invoke.index));
            }
        }
    }
    Method {
        id: info.id,
        in_scope: true,
        name: info.name.clone(),
        descriptor: info.descriptor.clone(),
        native: method.modifiers & NATIVE != 0,
        synchronized: method.modifiers & SYNCHRONIZED != 0,
        receiver,
        slots,
        variables: info.variables.clone(),
        code,
        pool: pool.cloned(),
        is_abstract: method.modifiers & ABSTRACT != 0,
        loader,
        prepared: Cell::new(false),
        plain: Cell::default(),
        stops: RefCell::default(),
        linked: RefCell::default(),
        replaced: Cell::new(false),
        closed: is_closed(info, method.modifiers, open),
        sites,
        seen_sites: RefCell::default(),
    }
}

fn is_closed(info: &MethodInfo, modifiers: i32, open: bool) -> bool {
    if modifiers & SYNTHETIC != 0 || info.name == "<clinit>" {
        return false;
    }
    let of_object = matches!(
        info.name.as_str(),
        "toString" | "equals" | "hashCode" | "finalize" | "clone"
    );
    info.name == "<init>" || modifiers & (STATIC | PRIVATE) != 0 || (!open && !of_object)
}
