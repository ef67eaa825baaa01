//! Types as the JVM writes them: field and method descriptors (JVMS §4.3), JDWP signatures, and the
//! dotted binary names that people read. Generic signatures (JVMS §4.7.9.1) are not parsed here.

use std::fmt;

/// Why a descriptor or a name could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{descriptor}` is no descriptor: {reason} at byte {position}")]
pub struct DescriptorError {
    /// What was to be read.
    pub descriptor: String,
    /// Where it stops making sense, in bytes.
    pub position: usize,
    /// What is wrong there.
    pub reason: DescriptorFault,
}

/// What is wrong with a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DescriptorFault {
    /// It ends too early.
    #[error("it ends too early")]
    Cut,
    /// A character that starts no type.
    #[error("no type starts with this character")]
    UnknownTag,
    /// A class name that is empty or has a forbidden character.
    #[error("the class name is empty or has a forbidden character")]
    BadName,
    /// More than 255 array dimensions (JVMS §4.3.2).
    #[error("more than 255 array dimensions")]
    TooManyDimensions,
    /// More than 255 argument slots (JVMS §4.3.3).
    #[error("the parameters take more than 255 slots")]
    TooManyParameters,
    /// A method descriptor that does not start with `(`.
    #[error("a method descriptor starts with `(`")]
    NotAMethod,
    /// Something follows the end.
    #[error("something follows the end")]
    Trailing,
}

/// The type of a field, a parameter or a result other than `void` (JVMS §4.3.2).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FieldType {
    /// `B`
    Byte,
    /// `C`
    Char,
    /// `D`
    Double,
    /// `F`
    Float,
    /// `I`
    Int,
    /// `J`
    Long,
    /// `S`
    Short,
    /// `Z`
    Boolean,
    /// `L…;`, with the name in internal form: `java/lang/String`.
    Object(String),
    /// `[`, with the component type.
    Array(Box<Self>),
}

impl FieldType {
    /// Reads a field descriptor, or a JDWP signature: `[Ljava/lang/String;`.
    pub fn parse(descriptor: &str) -> Result<Self, DescriptorError> {
        let mut reader = Reader {
            text: descriptor,
            position: 0,
        };
        let parsed = reader.field_type()?;
        reader.end()?;
        Ok(parsed)
    }

    /// The tag character that stands for the type in descriptors and in JDWP values
    /// (`[`, `B`, `C`, `L`, `F`, `D`, `I`, `J`, `S`, `Z`).
    pub const fn tag(&self) -> u8 {
        match self {
            Self::Byte => b'B',
            Self::Char => b'C',
            Self::Double => b'D',
            Self::Float => b'F',
            Self::Int => b'I',
            Self::Long => b'J',
            Self::Short => b'S',
            Self::Boolean => b'Z',
            Self::Object(_) => b'L',
            Self::Array(_) => b'[',
        }
    }

    /// Local variable slots, and operand stack units, that a value of the type takes: 2 for `long`
    /// and `double`, 1 for all others (JVMS §2.6.1).
    pub const fn slots(&self) -> u16 {
        match self {
            Self::Long | Self::Double => 2,
            _ => 1,
        }
    }

    /// Object or array.
    pub const fn is_reference(&self) -> bool {
        matches!(self, Self::Object(_) | Self::Array(_))
    }

    /// The descriptor: `[Ljava/lang/String;`.
    pub fn descriptor(&self) -> String {
        let mut text = String::new();
        self.write_descriptor(&mut text);
        text
    }

    fn write_descriptor(&self, text: &mut String) {
        match self {
            Self::Object(name) => {
                text.push('L');
                text.push_str(name);
                text.push(';');
            }
            Self::Array(component) => {
                text.push('[');
                component.write_descriptor(text);
            }
            primitive => text.push(char::from(primitive.tag())),
        }
    }

    const fn primitive_name(&self) -> &'static str {
        match self {
            Self::Byte => "byte",
            Self::Char => "char",
            Self::Double => "double",
            Self::Float => "float",
            Self::Int => "int",
            Self::Long => "long",
            Self::Short => "short",
            Self::Boolean => "boolean",
            Self::Object(_) | Self::Array(_) => "",
        }
    }
}

/// As people write it: `java.lang.String[]`, `int`.
impl fmt::Display for FieldType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Object(name) => f.write_str(&swap_separators(name)),
            Self::Array(component) => write!(f, "{component}[]"),
            primitive => f.write_str(primitive.primitive_name()),
        }
    }
}

/// The parameters and the result of a method (JVMS §4.3.3).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MethodDescriptor {
    /// Parameter types in order, without the receiver.
    pub parameters: Vec<FieldType>,
    /// The result's type; `None` for `void`.
    pub return_type: Option<FieldType>,
}

impl MethodDescriptor {
    /// Reads a method descriptor: `(I[Ljava/lang/String;J)V`.
    pub fn parse(descriptor: &str) -> Result<Self, DescriptorError> {
        let mut reader = Reader {
            text: descriptor,
            position: 0,
        };
        if reader.next() != Some(b'(') {
            return Err(reader.fault_at(0, DescriptorFault::NotAMethod));
        }
        let mut parameters = Vec::new();
        let mut slots = 0;
        while reader.peek() != Some(b')') {
            let start = reader.position;
            let parameter = reader.field_type()?;
            slots += parameter.slots();
            if slots > 255 {
                return Err(reader.fault_at(start, DescriptorFault::TooManyParameters));
            }
            parameters.push(parameter);
        }
        reader.position += 1;
        let return_type = if reader.peek() == Some(b'V') {
            reader.position += 1;
            None
        } else {
            Some(reader.field_type()?)
        };
        reader.end()?;
        Ok(Self {
            parameters,
            return_type,
        })
    }

    /// The parameters with the local variable slot in which each arrives: from 0 in a static
    /// method, from 1 otherwise (slot 0 is `this`).
    pub fn parameter_slots(&self, is_static: bool) -> impl Iterator<Item = (u16, &FieldType)> {
        let mut slot = u16::from(!is_static);
        self.parameters.iter().map(move |parameter| {
            let at = slot;
            slot += parameter.slots();
            (at, parameter)
        })
    }

    /// Slots (or operand stack units) that the arguments take, without the receiver: at most 255.
    pub fn argument_slots(&self) -> u16 {
        self.parameters.iter().map(FieldType::slots).sum()
    }

    /// The descriptor: `(I[Ljava/lang/String;J)V`.
    pub fn descriptor(&self) -> String {
        let mut text = String::from("(");
        for parameter in &self.parameters {
            parameter.write_descriptor(&mut text);
        }
        text.push(')');
        match &self.return_type {
            None => text.push('V'),
            Some(result) => result.write_descriptor(&mut text),
        }
        text
    }
}

/// The dotted binary name that a class signature stands for: `Ljava/util/Map$Entry;` is
/// `java.util.Map$Entry`, `[[I` is `int[][]`.
///
/// The dot before the suffix of a hidden class (`La/B$$Lambda.0x7f;` in JDWP) becomes the slash
/// that `Class.getName` shows there, so that the name leads back to the same signature.
pub fn signature_to_name(signature: &str) -> Result<String, DescriptorError> {
    FieldType::parse(signature).map(|parsed| parsed.to_string())
}

/// The signature of a dotted binary name: the inverse of [`signature_to_name`].
pub fn name_to_signature(name: &str) -> Result<String, DescriptorError> {
    let mut element = name;
    let mut dimensions = 0;
    while let Some(shorter) = element.strip_suffix("[]") {
        element = shorter;
        dimensions += 1;
    }
    let fault = |position, reason| DescriptorError {
        descriptor: name.into(),
        position,
        reason,
    };
    if dimensions > 255 {
        return Err(fault(element.len(), DescriptorFault::TooManyDimensions));
    }
    let tag = match element {
        "byte" => "B",
        "char" => "C",
        "double" => "D",
        "float" => "F",
        "int" => "I",
        "long" => "J",
        "short" => "S",
        "boolean" => "Z",
        "" => return Err(fault(0, DescriptorFault::BadName)),
        class => {
            if let Some(position) = class.find([';', '[']) {
                return Err(fault(position, DescriptorFault::BadName));
            }
            return Ok(format!(
                "{}L{};",
                "[".repeat(dimensions),
                swap_separators(class)
            ));
        }
    };
    Ok(format!("{}{tag}", "[".repeat(dimensions)))
}

/// `java/lang/String` to `java.lang.String`, and back.
///
/// For the name of an array class, which stands in constant pools as a descriptor (`[I`,
/// `[Ljava/lang/String;`), use [`signature_to_name`].
pub fn swap_separators(name: &str) -> String {
    name.chars()
        .map(|c| match c {
            '/' => '.',
            '.' => '/',
            other => other,
        })
        .collect()
}

struct Reader<'a> {
    text: &'a str,
    position: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.position).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.position += 1;
        Some(byte)
    }

    fn fault_at(&self, position: usize, reason: DescriptorFault) -> DescriptorError {
        DescriptorError {
            descriptor: self.text.to_owned(),
            position,
            reason,
        }
    }

    fn field_type(&mut self) -> Result<FieldType, DescriptorError> {
        let start = self.position;
        let mut dimensions = 0;
        while self.peek() == Some(b'[') {
            self.position += 1;
            dimensions += 1;
            if dimensions > 255 {
                return Err(self.fault_at(start, DescriptorFault::TooManyDimensions));
            }
        }
        let at = self.position;
        let element = match self.next() {
            None => return Err(self.fault_at(at, DescriptorFault::Cut)),
            Some(b'B') => FieldType::Byte,
            Some(b'C') => FieldType::Char,
            Some(b'D') => FieldType::Double,
            Some(b'F') => FieldType::Float,
            Some(b'I') => FieldType::Int,
            Some(b'J') => FieldType::Long,
            Some(b'S') => FieldType::Short,
            Some(b'Z') => FieldType::Boolean,
            Some(b'L') => self.class_name()?,
            Some(_) => return Err(self.fault_at(at, DescriptorFault::UnknownTag)),
        };
        Ok((0..dimensions).fold(element, |component, _| {
            FieldType::Array(Box::new(component))
        }))
    }

    fn class_name(&mut self) -> Result<FieldType, DescriptorError> {
        let start = self.position;
        let rest = self.text.get(start..).unwrap_or_default();
        let Some((name, _)) = rest.split_once(';') else {
            return Err(self.fault_at(self.text.len(), DescriptorFault::Cut));
        };
        if name.is_empty() || name.contains('[') {
            return Err(self.fault_at(start, DescriptorFault::BadName));
        }
        self.position = start + name.len() + 1;
        Ok(FieldType::Object(name.to_owned()))
    }

    fn end(&self) -> Result<(), DescriptorError> {
        if self.position == self.text.len() {
            Ok(())
        } else {
            Err(self.fault_at(self.position, DescriptorFault::Trailing))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_method_descriptor_gives_types_slots_and_tags() {
        let parsed = MethodDescriptor::parse("(I[Ljava/lang/String;JZ)V").unwrap();
        let slots: Vec<_> = parsed
            .parameter_slots(false)
            .map(|(slot, t)| (slot, t.tag(), t.slots()))
            .collect();
        assert_eq!(
            slots,
            [(1, b'I', 1), (2, b'[', 1), (3, b'J', 2), (5, b'Z', 1)]
        );
        assert_eq!(
            parsed.parameter_slots(true).map(|(slot, _)| slot).last(),
            Some(4)
        );
        assert_eq!(parsed.argument_slots(), 5);
        assert_eq!(parsed.return_type, None);
        assert_eq!(parsed.parameters[1].to_string(), "java.lang.String[]");
        assert_eq!(
            MethodDescriptor::parse("()[[D")
                .unwrap()
                .return_type
                .unwrap()
                .to_string(),
            "double[][]"
        );
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        let fault = |text: &str| {
            let error = MethodDescriptor::parse(text).unwrap_err();
            (error.position, error.reason)
        };
        assert_eq!(fault(""), (0, DescriptorFault::NotAMethod));
        assert_eq!(fault("(I"), (2, DescriptorFault::Cut));
        assert_eq!(fault("(I)"), (3, DescriptorFault::Cut));
        assert_eq!(fault("(Ljava/lang)V"), (13, DescriptorFault::Cut));
        assert_eq!(fault("(V)V"), (1, DescriptorFault::UnknownTag));
        assert_eq!(fault("(L;)V"), (2, DescriptorFault::BadName));
        assert_eq!(fault("()VV"), (3, DescriptorFault::Trailing));
        assert_eq!(
            fault(&format!("({})V", "J".repeat(128))),
            (128, DescriptorFault::TooManyParameters)
        );
        assert!(MethodDescriptor::parse(&format!("({})V", "I".repeat(255))).is_ok());
        assert_eq!(
            FieldType::parse(&format!("{}I", "[".repeat(256)))
                .unwrap_err()
                .reason,
            DescriptorFault::TooManyDimensions
        );
    }

    #[test]
    fn names_and_signatures_lead_back_to_one_another() {
        for (signature, name) in [
            ("Ljava/util/Map$Entry;", "java.util.Map$Entry"),
            ("[[I", "int[][]"),
            ("[Ljava/lang/String;", "java.lang.String[]"),
            ("LA;", "A"),
            ("Lp/Main$$Lambda.0x00007f0a;", "p.Main$$Lambda/0x00007f0a"),
        ] {
            assert_eq!(signature_to_name(signature).unwrap(), name);
            assert_eq!(name_to_signature(name).unwrap(), signature);
        }
        assert!(name_to_signature("").is_err());
        assert!(name_to_signature("[]").is_err());
        assert!(name_to_signature("a;b").is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[()BCDFIJSZL;\\[aé/.V]{0,40}") {
            if let Ok(parsed) = FieldType::parse(&text) {
                prop_assert_eq!(parsed.descriptor(), text.clone());
                let name = parsed.to_string();
                // `LI;` is a class whose name is also that of no primitive: names lead back
                // unless a class is called like a keyword, which this alphabet cannot spell.
                prop_assert_eq!(name_to_signature(&name).unwrap(), text.clone());
            }
            if let Ok(parsed) = MethodDescriptor::parse(&text) {
                prop_assert_eq!(parsed.descriptor(), text);
            }
        }
    }
}
