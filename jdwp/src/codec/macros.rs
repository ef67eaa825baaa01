//! The small languages in which the protocol is declared: structures, identifiers and codes.
//! Commands and events have theirs beside their tables (`commands/mod.rs`, `event.rs`).

/// Structures whose encoding is their fields' encodings, one after the other.
macro_rules! wire_struct {
    ($(
        $(#[$meta:meta])*
        pub struct $name:ident { $($(#[$field_meta:meta])* pub $field:ident: $ty:ty,)* }
    )*) => { $(
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq)]
        #[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
        pub struct $name { $($(#[$field_meta])* pub $field: $ty,)* }

        impl $crate::codec::Wire for $name {
            fn min_len(sizes: &$crate::codec::IdSizes) -> usize {
                0 $(+ <$ty as $crate::codec::Wire>::min_len(sizes))*
            }

            #[inline]
            fn read(
                reader: &mut $crate::codec::Reader<'_>,
            ) -> Result<Self, $crate::codec::DecodeError> {
                Ok(Self { $($field: reader.read().map_err(|error| {
                    error.within(concat!(stringify!($name), ".", stringify!($field)))
                })?,)* })
            }

            #[inline]
            fn write(&self, writer: &mut $crate::codec::Writer<'_>) {
                $(writer.write(&self.$field);)*
            }
        }
    )* };
}

/// Identifiers: opaque numbers whose width the JVM says.
macro_rules! ids {
    ($($(#[$meta:meta])* $name:ident: $width:ident;)*) => { $(
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        #[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
        #[repr(transparent)]
        pub struct $name(pub u64);

        impl $name {
            /// The null id, 0.
            pub const NULL: Self = Self(0);

            /// True of the null id.
            pub const fn is_null(self) -> bool {
                self.0 == 0
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{}({})", stringify!($name), self.0)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }

        impl $crate::codec::Wire for $name {
            fn min_len(sizes: &$crate::codec::IdSizes) -> usize {
                sizes.$width()
            }

            #[inline]
            fn read(
                reader: &mut $crate::codec::Reader<'_>,
            ) -> Result<Self, $crate::codec::DecodeError> {
                let width = reader.sizes().$width();
                Ok(Self(reader.id(width)?))
            }

            #[inline]
            fn write(&self, writer: &mut $crate::codec::Writer<'_>) {
                let width = writer.sizes().$width();
                writer.id(self.0, width);
            }
        }
    )* };
}

/// Codes: a raw number and the names that the spec gives to some of them. Numbers without a name
/// stay what they are, so a newer JVM never breaks decoding.
macro_rules! codes {
    ($(
        $(#[$meta:meta])*
        pub struct $type:ident($raw:ty) {
            $($(#[doc = $doc:literal])+ $name:ident = $number:expr;)*
        }
    )*) => { $(
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
        #[repr(transparent)]
        pub struct $type(pub $raw);

        impl $type {
            $($(#[doc = $doc])+ pub const $name: Self = Self($number);)*

            /// Every code that has a name, in the spec's order.
            pub const KNOWN: &'static [Self] = &[$(Self::$name),*];

            /// The spec's name of this code, if it has one.
            pub const fn name(self) -> Option<&'static str> {
                match self {
                    $(Self::$name => Some(stringify!($name)),)*
                    _ => None,
                }
            }

            /// What the code means, in a sentence, if it has a name.
            pub const fn description(self) -> Option<&'static str> {
                match self {
                    $(Self::$name => Some(concat!($($doc),+).trim_ascii()),)*
                    _ => None,
                }
            }
        }

        impl std::fmt::Debug for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(self, f)
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self.name() {
                    Some(name) => f.pad(name),
                    None => write!(f, "{}({})", stringify!($type), self.0),
                }
            }
        }

        impl $crate::codec::Wire for $type {
            fn min_len(sizes: &$crate::codec::IdSizes) -> usize {
                <$raw as $crate::codec::Wire>::min_len(sizes)
            }

            #[inline]
            fn read(
                reader: &mut $crate::codec::Reader<'_>,
            ) -> Result<Self, $crate::codec::DecodeError> {
                Ok(Self(reader.read()?))
            }

            #[inline]
            fn write(&self, writer: &mut $crate::codec::Writer<'_>) {
                writer.write(&self.0);
            }
        }
    )* };
}
