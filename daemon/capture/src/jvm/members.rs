//! Members of a class of the scope: what reading it whole means, and what is worked out from its
//! code so that the recording loop need not.

use std::rc::Rc;

use jdwp::ReferenceTypeId;
use jdwp::commands::{class_type, method, reference_type};
use jhyde_bytecode::ConstantPool;
use jhyde_trace::{ClassInfo, FieldId, FieldInfo, LineEntry, LocalVariable, MethodInfo};

use super::Link;
use crate::error::LinkError;
use crate::program::flags::{
    ABSTRACT, ENUM, FINAL, INTERFACE, NATIVE, OF_FIELDS, OF_METHODS, STATIC, VOLATILE,
};
use crate::program::{Class, Field, LocalPlace, Method, Program, united};

/// What the JVM says of one declared method.
struct Declared {
    jdwp: jdwp::MethodId,
    info: MethodInfo,
    /// Where its local variables lie.
    places: Vec<LocalPlace>,
}

impl Program {
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
            .unwrap_or(0) as u32;
        info.modifiers = modifiers;
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
                is_static: field.mod_bits as u32 & STATIC != 0,
                is_final: field.mod_bits as u32 & FINAL != 0,
                is_volatile: field.mod_bits as u32 & VOLATILE != 0,
                is_constant: field.mod_bits as u32 & ENUM != 0,
                name: field.name.to_string_lossy().into_owned(),
                descriptor: field.signature.to_string_lossy().into_owned(),
            });
            info.fields.push(FieldInfo {
                id,
                name: field.name.to_string_lossy().into_owned(),
                descriptor: field.signature.to_string_lossy().into_owned(),
                modifiers: field.mod_bits as u32 & OF_FIELDS,
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
            let analysed = Rc::new(Method::of_scope(
                &method.info,
                std::mem::take(&mut method.places),
                made.loader,
                pool.as_ref(),
                open,
            ));
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
                info: MethodInfo {
                    id: self.next_method(),
                    name: method.name.to_string_lossy().into_owned(),
                    descriptor: method.signature.to_string_lossy().into_owned(),
                    modifiers: method.mod_bits as u32 & OF_METHODS,
                    lines: Vec::new(),
                    variables: Vec::new(),
                    code: Vec::new(),
                },
                places: Vec::new(),
            })
            .collect();
        let with_code = || {
            declared
                .iter()
                .filter(|m| m.info.modifiers & (NATIVE | ABSTRACT) == 0)
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
            .filter(|m| m.info.modifiers & (NATIVE | ABSTRACT) == 0);
        for (((method, lines), variables), code) in with_code.zip(lines).zip(variables).zip(codes) {
            let info = &mut method.info;
            info.lines = lines.map(|table| line_entries(&table)).unwrap_or_default();
            info.variables = variables
                .map(|table| variable_entries(&table))
                .unwrap_or_default();
            info.code = code.unwrap_or_default();
            method.places = united(info);
        }
        Ok(declared)
    }

    /// Names of the supertypes, and: can code outside the scope call the class's methods through
    /// one of them (other than `java.lang.Object`)?
    fn read_supertypes(
        &mut self,
        link: &mut Link,
        class: ReferenceTypeId,
        modifiers: u32,
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
