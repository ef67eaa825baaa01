//! The contents of attributes (JVMS §4.7): code with its tables, and what describes classes.

use std::collections::HashMap;
use std::ops::Range;

use crate::class_file::{AccessFlags, ClassFileError, RawAttribute};
use crate::constant_pool::ConstantPool;
use crate::decode::{Code, CodeError};
use crate::descriptor::FieldType;
use crate::line_table::{LineEntry, LineTable};
use crate::reader::Reader;

/// A method's code (JVMS §4.7.3).
#[derive(Clone, Debug)]
pub struct CodeAttribute {
    /// Operand stack units.
    pub max_stack: u16,
    /// Local variable slots, with those of the parameters.
    pub max_locals: u16,
    /// Where the code bytes lie in the class file.
    pub range: Range<usize>,
    /// The code bytes: the same that JDWP's `Method.Bytecodes` returns.
    pub bytes: Vec<u8>,
    /// Handlers in order of precedence.
    pub handlers: Vec<ExceptionHandler>,
    /// Line number entries in file order; empty if compiled without.
    pub lines: Vec<LineEntry>,
    /// Local variable entries in file order; empty if compiled without.
    pub variables: Vec<LocalVariable>,
    /// All attributes of the code.
    pub attributes: Vec<RawAttribute>,
}

impl CodeAttribute {
    /// The instructions.
    pub fn decode(&self) -> Result<Code, CodeError> {
        Code::decode(&self.bytes)
    }

    /// Code index to line.
    pub fn line_table(&self) -> LineTable {
        LineTable::new(self.lines.iter().copied())
    }
}

/// An entry of the exception table.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ExceptionHandler {
    /// First index that it guards.
    pub start: u32,
    /// First index that it no longer guards.
    pub end: u32,
    /// Where it starts.
    pub handler: u32,
    /// The class that it catches, in internal form; `None` for any (`finally`).
    pub catch_type: Option<String>,
}

/// An entry of the local variable table (JVMS §4.7.13). A variable that is assigned on several
/// branches may have several entries.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LocalVariable {
    /// The first index at which it has a value: that after the instruction which first stores it.
    pub start: u32,
    /// Bytes from there on; the variable is gone at `start + length`.
    pub length: u32,
    /// Its name in the source.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
    /// Its generic signature, where it has one.
    pub signature: Option<String>,
    /// Its (first) slot.
    pub slot: u16,
}

/// An entry of `BootstrapMethods`, as constant pool indexes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BootstrapMethod {
    /// A method handle.
    pub method: u16,
    /// Static arguments.
    pub arguments: Vec<u16>,
}

/// An entry of `InnerClasses`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InnerClass {
    /// The class, in internal form.
    pub class: String,
    /// The class that it is a member of; `None` for local and anonymous ones.
    pub outer: Option<String>,
    /// Its name in the source; `None` for anonymous ones.
    pub name: Option<String>,
    /// Its modifiers in the source.
    pub access: AccessFlags,
}

/// Where a local or anonymous class stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnclosingMethod {
    /// The class around it, in internal form.
    pub class: String,
    /// Name and descriptor of the method or constructor around it.
    pub method: Option<(String, String)>,
}

/// A component of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordComponent {
    /// Its name.
    pub name: String,
    /// Its type.
    pub component_type: FieldType,
}

/// An entry of `MethodParameters`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodParameter {
    /// The name, if it has one.
    pub name: Option<String>,
    /// `final`, synthetic, mandated.
    pub access: AccessFlags,
}

/// Names and places of the attributes that follow.
pub(crate) fn read_raw(
    reader: &mut Reader<'_>,
    constants: &ConstantPool,
) -> Result<Vec<RawAttribute>, ClassFileError> {
    let count = usize::from(reader.u2()?);
    reader.list(count, 6, |r| {
        let name = constants.utf8(r.u2()?)?.to_owned();
        let length = r.u4()? as usize;
        let start = r.position();
        r.take(length)?;
        Ok(RawAttribute {
            name,
            content: start..start + length,
        })
    })
}

/// An attribute's content, to be read as what its name says.
pub(crate) struct Content<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) constants: &'a ConstantPool,
    pub(crate) range: Range<usize>,
}

type Read<T> = Result<T, ClassFileError>;

impl<'a> Content<'a> {
    /// Reads all of it with `read`; bytes left over are an error.
    fn whole<T>(&self, read: impl FnOnce(&mut Reader<'a>) -> Read<T>) -> Read<T> {
        let mut reader = Reader::part(self.bytes, self.range.clone());
        let content = read(&mut reader)?;
        match reader.left() {
            0 => Ok(content),
            count => Err(ClassFileError::Trailing {
                position: reader.position(),
                count,
            }),
        }
    }

    fn table<T>(
        &self,
        bytes_each: usize,
        mut entry: impl FnMut(&mut Reader<'a>) -> Read<T>,
    ) -> Read<Vec<T>> {
        self.whole(|r| {
            let count = usize::from(r.u2()?);
            r.list(count, bytes_each, &mut entry)
        })
    }

    fn utf8(&self, index: u16) -> Read<String> {
        Ok(self.constants.utf8(index)?.to_owned())
    }

    /// The text at an index, `None` for index 0.
    fn utf8_or_none(&self, index: u16) -> Read<Option<String>> {
        if index == 0 {
            Ok(None)
        } else {
            self.utf8(index).map(Some)
        }
    }

    fn class_at(&self, index: u16) -> Read<String> {
        Ok(self.constants.class(index)?.to_owned())
    }

    fn class_or_none(&self, index: u16) -> Read<Option<String>> {
        if index == 0 {
            Ok(None)
        } else {
            self.class_at(index).map(Some)
        }
    }

    pub(crate) fn index(&self) -> Read<u16> {
        self.whole(|r| Ok(r.u2()?))
    }

    pub(crate) fn text(&self) -> Read<String> {
        self.utf8(self.index()?)
    }

    pub(crate) fn class(&self) -> Read<String> {
        self.class_at(self.index()?)
    }

    pub(crate) fn classes(&self) -> Read<Vec<String>> {
        self.table(2, |r| self.class_at(r.u2()?))
    }

    pub(crate) fn bootstrap_methods(&self) -> Read<Vec<BootstrapMethod>> {
        self.table(4, |r| {
            let method = r.u2()?;
            let count = usize::from(r.u2()?);
            let arguments = r.list(count, 2, Reader::u2)?;
            Ok(BootstrapMethod { method, arguments })
        })
    }

    pub(crate) fn inner_classes(&self) -> Read<Vec<InnerClass>> {
        self.table(8, |r| {
            Ok(InnerClass {
                class: self.class_at(r.u2()?)?,
                outer: self.class_or_none(r.u2()?)?,
                name: self.utf8_or_none(r.u2()?)?,
                access: AccessFlags(r.u2()?),
            })
        })
    }

    pub(crate) fn enclosing_method(&self) -> Read<EnclosingMethod> {
        self.whole(|r| {
            let class = self.class_at(r.u2()?)?;
            let method = match r.u2()? {
                0 => None,
                index => {
                    let (name, descriptor) = self.constants.name_and_type(index)?;
                    Some((name.to_owned(), descriptor.to_owned()))
                }
            };
            Ok(EnclosingMethod { class, method })
        })
    }

    pub(crate) fn record_components(&self) -> Read<Vec<RecordComponent>> {
        self.table(6, |r| {
            let name = self.utf8(r.u2()?)?;
            let component_type = FieldType::parse(self.constants.utf8(r.u2()?)?)?;
            read_raw(r, self.constants)?;
            Ok(RecordComponent {
                name,
                component_type,
            })
        })
    }

    pub(crate) fn method_parameters(&self) -> Read<Vec<MethodParameter>> {
        self.whole(|r| {
            let count = usize::from(r.u1()?);
            r.list(count, 4, |r| {
                let name = self.utf8_or_none(r.u2()?)?;
                Ok(MethodParameter {
                    name,
                    access: AccessFlags(r.u2()?),
                })
            })
        })
    }

    /// The code; broken tables in it go to `damage` with their names and count as absent.
    pub(crate) fn code(&self, damage: &mut Vec<(String, ClassFileError)>) -> Read<CodeAttribute> {
        let mut code = self.whole(|r| {
            let (max_stack, max_locals) = (r.u2()?, r.u2()?);
            let length = r.u4()? as usize;
            let start = r.position();
            let bytes = r.take(length)?.to_vec();
            let count = usize::from(r.u2()?);
            let handlers = r.list(count, 8, |r| {
                Ok::<_, ClassFileError>(ExceptionHandler {
                    start: u32::from(r.u2()?),
                    end: u32::from(r.u2()?),
                    handler: u32::from(r.u2()?),
                    catch_type: self.class_or_none(r.u2()?)?,
                })
            })?;
            let attributes = read_raw(r, self.constants)?;
            let (lines, variables) = (Vec::new(), Vec::new());
            let range = start..start + length;
            Ok(CodeAttribute {
                max_stack,
                max_locals,
                range,
                bytes,
                handlers,
                lines,
                variables,
                attributes,
            })
        })?;
        let mut generic = Vec::new();
        for attribute in &code.attributes {
            let content = Content {
                range: attribute.content.clone(),
                ..*self
            };
            // A method may have several line and variable tables, which together are one.
            let read = match attribute.name.as_str() {
                "LineNumberTable" => content.lines().map(|lines| code.lines.extend(lines)),
                "LocalVariableTable" => content
                    .variables()
                    .map(|variables| code.variables.extend(variables)),
                "LocalVariableTypeTable" => content
                    .variables()
                    .map(|variables| generic.extend(variables)),
                _ => Ok(()),
            };
            if let Err(error) = read {
                damage.push((attribute.name.clone(), error));
            }
        }
        attach_signatures(&mut code.variables, generic);
        Ok(code)
    }

    fn lines(&self) -> Read<Vec<LineEntry>> {
        self.table(4, |r| {
            Ok(LineEntry {
                start: u32::from(r.u2()?),
                line: u32::from(r.u2()?),
            })
        })
    }

    fn variables(&self) -> Read<Vec<LocalVariable>> {
        self.table(10, |r| {
            Ok(LocalVariable {
                start: u32::from(r.u2()?),
                length: u32::from(r.u2()?),
                name: self.utf8(r.u2()?)?,
                descriptor: self.utf8(r.u2()?)?,
                signature: None,
                slot: r.u2()?,
            })
        })
    }
}

/// Adds the entries of a type table to the variables that they describe. In a type table the
/// signature stands where a variable table has the descriptor.
fn attach_signatures(variables: &mut [LocalVariable], type_table: Vec<LocalVariable>) {
    if type_table.is_empty() {
        return;
    }
    let positions: HashMap<(u16, u32), usize> = variables
        .iter()
        .enumerate()
        .map(|(at, v)| ((v.slot, v.start), at))
        .collect();
    for entry in type_table {
        let position = positions.get(&(entry.slot, entry.start)).copied();
        if let Some(variable) = position.and_then(|at| variables.get_mut(at))
            && variable.name == entry.name
        {
            variable.signature = Some(entry.descriptor);
        }
    }
}
