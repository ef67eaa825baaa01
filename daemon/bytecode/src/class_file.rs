//! A class file read whole (JVMS §4, Java 1.0 to 25): the model that the rest of the crate works on.
//!
//! The reader is our own because those to be had resolve constant pool indexes away (the code that
//! a JVM sends over JDWP needs them), do not say where an attribute's bytes lie (rewriting needs
//! that), and refuse a whole class over one attribute. Here a broken attribute costs only itself: it
//! is named in [`ClassFile::damage`] and counts as absent. Annotations and stack maps are kept as
//! bytes. What a verifier would check is not checked; see [`ClassFile::parse`].

use std::ops::Range;
use std::sync::Arc;

use crate::attributes::{
    self, BootstrapMethod, CodeAttribute, EnclosingMethod, InnerClass, MethodParameter,
    RecordComponent,
};
use crate::constant_pool::{ConstantError, ConstantPool};
use crate::descriptor::{DescriptorError, FieldType, MethodDescriptor, swap_separators};
use crate::reader::{Cut, Reader};

/// The newest class file version known: Java 25. A newer one is read too, as far as it is alike.
pub const NEWEST_MAJOR_VERSION: u16 = 69;

/// Why bytes are not a class file, or why a part of one could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClassFileError {
    /// Other bytes than `CA FE BA BE` at the start.
    #[error("no class file: it starts with {magic:#010x}, not with 0xcafebabe")]
    Magic {
        /// The first four bytes.
        magic: u32,
    },
    /// The file ends too early.
    #[error("the class file is {0}")]
    Cut(#[from] Cut),
    /// The constant pool is broken, or an index into it leads to the wrong thing.
    #[error(transparent)]
    Constant(#[from] ConstantError),
    /// A descriptor that is none.
    #[error(transparent)]
    Descriptor(#[from] DescriptorError),
    /// Bytes after the end of the class or of an attribute.
    #[error("{count} bytes too many at byte {position}")]
    Trailing {
        /// Where they start.
        position: usize,
        /// How many they are.
        count: usize,
    },
}

/// `ACC_…` bits of a class, field or method (JVMS tables 4.1-B, 4.5-A, 4.6-A).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct AccessFlags(pub u16);

#[expect(missing_docs, reason = "each asks for the flag of its name")]
impl AccessFlags {
    pub const fn is_public(self) -> bool {
        self.0 & 0x0001 != 0
    }
    pub const fn is_private(self) -> bool {
        self.0 & 0x0002 != 0
    }
    pub const fn is_static(self) -> bool {
        self.0 & 0x0008 != 0
    }
    pub const fn is_final(self) -> bool {
        self.0 & 0x0010 != 0
    }
    pub const fn is_synchronized(self) -> bool {
        self.0 & 0x0020 != 0
    }
    pub const fn is_bridge(self) -> bool {
        self.0 & 0x0040 != 0
    }
    pub const fn is_varargs(self) -> bool {
        self.0 & 0x0080 != 0
    }
    pub const fn is_native(self) -> bool {
        self.0 & 0x0100 != 0
    }
    pub const fn is_interface(self) -> bool {
        self.0 & 0x0200 != 0
    }
    pub const fn is_abstract(self) -> bool {
        self.0 & 0x0400 != 0
    }
    pub const fn is_synthetic(self) -> bool {
        self.0 & 0x1000 != 0
    }
    pub const fn is_enum(self) -> bool {
        self.0 & 0x4000 != 0
    }
    pub const fn is_module(self) -> bool {
        self.0 & 0x8000 != 0
    }
}

/// An attribute as it stands in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawAttribute {
    /// Its name: `Code`.
    pub name: String,
    /// Where its content lies in the class file's bytes, without name and length.
    pub content: Range<usize>,
}

/// A broken attribute, which was left out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("attribute {attribute} of {owner}: {error}")]
pub struct Damage {
    /// What it belongs to: `class`, `field f`, `method m()V`.
    pub owner: String,
    /// The attribute's name.
    pub attribute: String,
    /// What is wrong.
    pub error: ClassFileError,
}

/// A class, interface, enum, record, annotation type, module or package description.
#[derive(Clone, Debug)]
pub struct ClassFile {
    /// The file itself.
    pub bytes: Arc<[u8]>,
    /// Minor version; 65535 marks preview features.
    pub minor_version: u16,
    /// Major version: 52 is Java 8, 69 is Java 25.
    pub major_version: u16,
    /// The constants.
    pub constants: ConstantPool,
    /// Modifiers.
    pub access: AccessFlags,
    /// Name in internal form: `java/util/Map$Entry`.
    pub name: String,
    /// The super class, in internal form; `None` for `java/lang/Object` and modules.
    pub super_name: Option<String>,
    /// Direct super interfaces, in internal form.
    pub interfaces: Vec<String>,
    /// Fields in file order.
    pub fields: Vec<Field>,
    /// Methods, constructors (`<init>`) and the static initialiser (`<clinit>`) in file order.
    pub methods: Vec<Method>,
    /// Source file name without folder.
    pub source_file: Option<String>,
    /// Generic signature.
    pub signature: Option<String>,
    /// What `invokedynamic` and dynamic constants link with.
    pub bootstrap_methods: Vec<BootstrapMethod>,
    /// Every class of the constant pool that is no package member, with its modifiers.
    pub inner_classes: Vec<InnerClass>,
    /// For local and anonymous classes.
    pub enclosing_method: Option<EnclosingMethod>,
    /// The host of this class's nest, if it is not the host itself.
    pub nest_host: Option<String>,
    /// The members of the nest that this class hosts.
    pub nest_members: Vec<String>,
    /// For sealed classes.
    pub permitted_subclasses: Vec<String>,
    /// `Some` for records, even without components.
    pub record_components: Option<Vec<RecordComponent>>,
    /// All attributes of the class, with those above.
    pub attributes: Vec<RawAttribute>,
    /// What could not be read.
    pub damage: Vec<Damage>,
}

/// A field.
#[derive(Clone, Debug)]
pub struct Field {
    /// Modifiers.
    pub access: AccessFlags,
    /// Its name.
    pub name: String,
    /// Its type.
    pub field_type: FieldType,
    /// Index of the constant that a static final field starts with.
    pub constant_value: Option<u16>,
    /// Generic signature.
    pub signature: Option<String>,
    /// All attributes.
    pub attributes: Vec<RawAttribute>,
}

/// A method, constructor or static initialiser.
#[derive(Clone, Debug)]
pub struct Method {
    /// Modifiers.
    pub access: AccessFlags,
    /// Its name; `<init>` and `<clinit>` too.
    pub name: String,
    /// Parameters and result.
    pub descriptor: MethodDescriptor,
    /// Its code; `None` for native and abstract methods, and where the attribute is damaged.
    pub code: Option<CodeAttribute>,
    /// Declared exceptions, in internal form.
    pub exceptions: Vec<String>,
    /// Names and flags of the parameters, where compiled in.
    pub parameters: Vec<MethodParameter>,
    /// Generic signature.
    pub signature: Option<String>,
    /// All attributes.
    pub attributes: Vec<RawAttribute>,
}

/// The start of a class file: see [`ClassFile::head_of`].
#[derive(Clone, Debug)]
pub struct ClassHead {
    /// What the class extends, in internal form; `None` for `java/lang/Object` and modules.
    pub super_name: Option<String>,
    /// What it names (JVMS §4.4).
    pub constants: ConstantPool,
}

/// A class file up to what it extends.
struct Start {
    minor_version: u16,
    major_version: u16,
    constants: ConstantPool,
    access: AccessFlags,
    name: String,
    super_name: Option<String>,
}

impl Start {
    fn read(reader: &mut Reader<'_>) -> Result<Self, ClassFileError> {
        let magic = reader.u4()?;
        if magic != 0xcafe_babe {
            return Err(ClassFileError::Magic { magic });
        }
        let (minor_version, major_version) = (reader.u2()?, reader.u2()?);
        let count = reader.u2()?;
        let constants = ConstantPool::read(count, reader)?;
        let access = AccessFlags(reader.u2()?);
        let name = constants.class(reader.u2()?)?.to_owned();
        let super_name = match reader.u2()? {
            0 => None,
            index => Some(constants.class(index)?.to_owned()),
        };
        Ok(Self {
            minor_version,
            major_version,
            constants,
            access,
            name,
            super_name,
        })
    }
}

impl ClassFile {
    /// Reads the start of a class file, up to what the class extends (JVMS §4.1), and nothing behind that. What a search of
    /// many classes needs, for those below one or for those that name something.
    pub fn head_of(bytes: &[u8]) -> Result<ClassHead, ClassFileError> {
        let start = Start::read(&mut Reader::new(bytes))?;
        Ok(ClassHead {
            super_name: start.super_name,
            constants: start.constants,
        })
    }

    /// Reads a class file.
    ///
    /// Structure is checked (lengths, constant indexes, descriptors), semantics are not: names may
    /// be odd, members doubled, code unverifiable. A class that a JVM has loaded always parses.
    pub fn parse(bytes: impl Into<Arc<[u8]>>) -> Result<Self, ClassFileError> {
        let bytes = bytes.into();
        let mut reader = Reader::new(&bytes);
        let start = Start::read(&mut reader)?;
        let constants = start.constants;
        let count = usize::from(reader.u2()?);
        let interfaces = reader.list(count, 2, |r| {
            Ok::<_, ClassFileError>(constants.class(r.u2()?)?.to_owned())
        })?;
        let mut damage = Vec::new();
        let mut members = MemberReader {
            bytes: &bytes,
            constants: &constants,
            damage: &mut damage,
        };
        let count = usize::from(reader.u2()?);
        let fields = reader.list(count, 8, |r| members.field(r))?;
        let count = usize::from(reader.u2()?);
        let methods = reader.list(count, 8, |r| members.method(r))?;
        let attributes = members.attributes(&mut reader)?;
        if reader.left() > 0 {
            let (position, count) = (reader.position(), reader.left());
            return Err(ClassFileError::Trailing { position, count });
        }
        let mut class = Self {
            minor_version: start.minor_version,
            major_version: start.major_version,
            access: start.access,
            name: start.name,
            super_name: start.super_name,
            interfaces,
            fields,
            methods,
            source_file: None,
            signature: None,
            bootstrap_methods: Vec::new(),
            inner_classes: Vec::new(),
            enclosing_method: None,
            nest_host: None,
            nest_members: Vec::new(),
            permitted_subclasses: Vec::new(),
            record_components: None,
            attributes: Vec::new(),
            damage: Vec::new(),
            constants: ConstantPool::default(),
            bytes: Arc::clone(&bytes),
        };
        for attribute in &attributes {
            if let Err(error) = class.read_attribute(attribute, &bytes, &constants) {
                let (owner, attribute) = ("class".to_owned(), attribute.name.clone());
                damage.push(Damage {
                    owner,
                    attribute,
                    error,
                });
            }
        }
        class.attributes = attributes;
        class.damage = damage;
        class.constants = constants;
        Ok(class)
    }

    fn read_attribute(
        &mut self,
        attribute: &RawAttribute,
        bytes: &[u8],
        constants: &ConstantPool,
    ) -> Result<(), ClassFileError> {
        let content = attributes::Content {
            bytes,
            constants,
            range: attribute.content.clone(),
        };
        match attribute.name.as_str() {
            "SourceFile" => self.source_file = Some(content.text()?),
            "Signature" => self.signature = Some(content.text()?),
            "BootstrapMethods" => self.bootstrap_methods = content.bootstrap_methods()?,
            "InnerClasses" => self.inner_classes = content.inner_classes()?,
            "EnclosingMethod" => self.enclosing_method = Some(content.enclosing_method()?),
            "NestHost" => self.nest_host = Some(content.class()?),
            "NestMembers" => self.nest_members = content.classes()?,
            "PermittedSubclasses" => self.permitted_subclasses = content.classes()?,
            "Record" => self.record_components = Some(content.record_components()?),
            _ => {}
        }
        Ok(())
    }

    /// The dotted binary name: `java.util.Map$Entry`.
    pub fn binary_name(&self) -> String {
        swap_separators(&self.name)
    }

    /// The method of this name and descriptor.
    pub fn method(&self, name: &str, descriptor: &str) -> Option<&Method> {
        self.methods
            .iter()
            .find(|m| m.name == name && m.descriptor.descriptor() == descriptor)
    }

    /// The content of an attribute of this class or of one of its members.
    pub fn content(&self, attribute: &RawAttribute) -> &[u8] {
        self.bytes
            .get(attribute.content.clone())
            .unwrap_or_default()
    }
}

impl Method {
    /// The slots in which `this` and the arguments arrive, with the number of slots of each: what
    /// the method's entry defines.
    pub fn entry_slots(&self) -> Vec<(u16, u16)> {
        let is_static = self.access.is_static();
        let this = (!is_static).then_some((0, 1));
        let parameters = self.descriptor.parameter_slots(is_static);
        this.into_iter()
            .chain(parameters.map(|(slot, kind)| (slot, kind.slots())))
            .collect()
    }
}

struct MemberReader<'a> {
    bytes: &'a [u8],
    constants: &'a ConstantPool,
    damage: &'a mut Vec<Damage>,
}

impl MemberReader<'_> {
    fn attributes(&self, reader: &mut Reader<'_>) -> Result<Vec<RawAttribute>, ClassFileError> {
        attributes::read_raw(reader, self.constants)
    }

    fn content(&self, attribute: &RawAttribute) -> attributes::Content<'_> {
        let (bytes, constants) = (self.bytes, self.constants);
        attributes::Content {
            bytes,
            constants,
            range: attribute.content.clone(),
        }
    }

    fn field(&mut self, reader: &mut Reader<'_>) -> Result<Field, ClassFileError> {
        let access = AccessFlags(reader.u2()?);
        let name = self.constants.utf8(reader.u2()?)?.to_owned();
        let field_type = FieldType::parse(self.constants.utf8(reader.u2()?)?)?;
        let attributes = self.attributes(reader)?;
        let (mut constant_value, mut signature) = (None, None);
        for attribute in &attributes {
            let content = self.content(attribute);
            let read = match attribute.name.as_str() {
                "ConstantValue" => content.index().map(|index| constant_value = Some(index)),
                "Signature" => content.text().map(|text| signature = Some(text)),
                _ => Ok(()),
            };
            if let Err(error) = read {
                let (owner, attribute) = (format!("field {name}"), attribute.name.clone());
                self.damage.push(Damage {
                    owner,
                    attribute,
                    error,
                });
            }
        }
        Ok(Field {
            access,
            name,
            field_type,
            constant_value,
            signature,
            attributes,
        })
    }

    fn method(&mut self, reader: &mut Reader<'_>) -> Result<Method, ClassFileError> {
        let access = AccessFlags(reader.u2()?);
        let name = self.constants.utf8(reader.u2()?)?.to_owned();
        let descriptor = MethodDescriptor::parse(self.constants.utf8(reader.u2()?)?)?;
        let attributes = self.attributes(reader)?;
        let mut method = Method {
            access,
            name,
            descriptor,
            code: None,
            exceptions: Vec::new(),
            parameters: Vec::new(),
            signature: None,
            attributes: Vec::new(),
        };
        for attribute in &attributes {
            let content = self.content(attribute);
            let mut inner_damage = Vec::new();
            let read = match attribute.name.as_str() {
                "Code" => content
                    .code(&mut inner_damage)
                    .map(|code| method.code = Some(code)),
                "Exceptions" => content.classes().map(|names| method.exceptions = names),
                "MethodParameters" => content
                    .method_parameters()
                    .map(|parameters| method.parameters = parameters),
                "Signature" => content.text().map(|text| method.signature = Some(text)),
                _ => Ok(()),
            };
            if let Err(error) = read {
                inner_damage.push((attribute.name.clone(), error));
            }
            let owner = || format!("method {}{}", method.name, method.descriptor.descriptor());
            self.damage
                .extend(inner_damage.into_iter().map(|(attribute, error)| Damage {
                    owner: owner(),
                    attribute,
                    error,
                }));
        }
        method.attributes = attributes;
        Ok(method)
    }
}

#[cfg(test)]
#[path = "class_file_tests.rs"]
mod tests;
