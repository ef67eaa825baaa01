//! The widths of the JVM's identifiers, held as a value: the JVM says them, nothing assumes them.

/// The width in bytes of each kind of identifier, 1 to 8, as the JVM answered
/// `VirtualMachine.IDSizes` (spec: VirtualMachine Command Set, command 7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct IdSizes {
    field: u8,
    method: u8,
    object: u8,
    reference_type: u8,
    frame: u8,
}

/// An identifier width that cannot be: not 1 to 8 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the JVM says that its {what} ids are {size} bytes wide, which is not within 1 to 8")]
pub struct InvalidIdSizes {
    /// The kind of identifier.
    pub what: &'static str,
    /// The width that the JVM named.
    pub size: i32,
}

impl IdSizes {
    /// Eight bytes for everything: what every HotSpot of today answers, 32-bit ones too.
    pub const EIGHT: Self = Self {
        field: 8,
        method: 8,
        object: 8,
        reference_type: 8,
        frame: 8,
    };

    /// Checks the five widths of a reply to `VirtualMachine.IDSizes`.
    pub fn new(
        field: i32,
        method: i32,
        object: i32,
        reference_type: i32,
        frame: i32,
    ) -> Result<Self, InvalidIdSizes> {
        let check = |what, size| match u8::try_from(size) {
            Ok(width @ 1..=8) => Ok(width),
            _ => Err(InvalidIdSizes { what, size }),
        };
        Ok(Self {
            field: check("field", field)?,
            method: check("method", method)?,
            object: check("object", object)?,
            reference_type: check("reference type", reference_type)?,
            frame: check("frame", frame)?,
        })
    }

    /// Width of field ids.
    pub const fn field(&self) -> usize {
        self.field as usize
    }

    /// Width of method ids.
    pub const fn method(&self) -> usize {
        self.method as usize
    }

    /// Width of object ids, and of the ids of threads, strings, arrays, loaders, modules and so on.
    pub const fn object(&self) -> usize {
        self.object as usize
    }

    /// Width of reference type ids: classes, interfaces and array types.
    pub const fn reference_type(&self) -> usize {
        self.reference_type as usize
    }

    /// Width of frame ids.
    pub const fn frame(&self) -> usize {
        self.frame as usize
    }
}

#[cfg(feature = "arbitrary")]
impl<'a> arbitrary::Arbitrary<'a> for IdSizes {
    fn arbitrary(u: &mut arbitrary::Unstructured<'a>) -> arbitrary::Result<Self> {
        let mut size = || u.int_in_range(1..=8u8);
        Ok(Self {
            field: size()?,
            method: size()?,
            object: size()?,
            reference_type: size()?,
            frame: size()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_outside_one_to_eight_are_refused_by_name() {
        assert_eq!(IdSizes::new(8, 8, 8, 8, 8), Ok(IdSizes::EIGHT));
        assert!(IdSizes::new(1, 2, 3, 4, 5).is_ok());
        for bad in [0, 9, -1, 264, i32::MAX, i32::MIN] {
            let error = IdSizes::new(8, 8, bad, 8, 8).unwrap_err();
            assert_eq!(
                error,
                InvalidIdSizes {
                    what: "object",
                    size: bad
                }
            );
        }
    }
}
