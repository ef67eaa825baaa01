//! All commands, one module per command set in the spec's order, one type per command.
//!
//! Each set is declared once, in a table that reads like the spec: name, number, out data, reply
//! data. A command without out data is a unit type; a command whose reply has one field replies
//! with that field's type, one without reply data with `()`. Set 8 (`Field`) is empty in the spec
//! and set 64 holds what the JVM sends: see [`crate::event`].

use crate::command::CommandInfo;

/// Declares a command set: every row makes a type with its [`crate::Command`] implementation, and
/// `COMMANDS`, the set's part of the table of all commands.
macro_rules! command_set {
    (
        $set_name:ident = $set:literal;
        $(
            $(#[doc = $doc:literal])+
            $name:ident = $number:literal
            $({ $($(#[doc = $field_doc:literal])+ $field:ident: $ty:ty,)* })?
            -> $reply:ty;
        )*
    ) => {
        /// The number of this command set.
        pub const SET: u8 = $set;

        /// This set's rows of the table of all commands.
        pub const COMMANDS: &[$crate::command::CommandInfo] = &[
            $($crate::command::CommandInfo::of::<$name>(),)*
        ];

        $(
            command_set!(@struct
                [$(#[doc = $doc])+ #[doc = ""]
                 #[doc = concat!("Command ", $number, " of set ", $set, " (`", stringify!($set_name), "`).")]]
                $name $({ $($(#[doc = $field_doc])+ $field: $ty,)* })?
            );

            impl $crate::command::Command for $name {
                type Reply = $reply;
                const SET: u8 = $set;
                const COMMAND: u8 = $number;
                const NAME: &'static str = concat!(stringify!($set_name), ".", stringify!($name));
            }
        )*
    };

    (@struct [$($meta:tt)*] $name:ident { $($(#[$field_meta:meta])* $field:ident: $ty:ty,)* }) => {
        wire_struct! {
            $($meta)*
            pub struct $name { $($(#[$field_meta])* pub $field: $ty,)* }
        }
    };

    (@struct [$($meta:tt)*] $name:ident) => {
        $($meta)*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        #[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
        pub struct $name;

        impl $crate::codec::Wire for $name {
            fn min_len(_: &$crate::codec::IdSizes) -> usize {
                0
            }

            fn read(
                _: &mut $crate::codec::Reader<'_>,
            ) -> Result<Self, $crate::codec::DecodeError> {
                Ok(Self)
            }

            fn write(&self, _: &mut $crate::codec::Writer<'_>) {}
        }
    };
}

pub mod array_reference;
pub mod array_type;
pub mod class_loader_reference;
pub mod class_object_reference;
pub mod class_type;
pub mod event_request;
pub mod interface_type;
pub mod method;
mod modifier;
pub mod module_reference;
pub mod object_reference;
pub mod reference_type;
pub mod stack_frame;
pub mod string_reference;
pub mod thread_group_reference;
pub mod thread_reference;
pub mod virtual_machine;

/// The table of all command sets in the spec's order, the JVM's own `Event` set at the end.
pub const SETS: &[&[CommandInfo]] = &[
    virtual_machine::COMMANDS,
    reference_type::COMMANDS,
    class_type::COMMANDS,
    array_type::COMMANDS,
    interface_type::COMMANDS,
    method::COMMANDS,
    object_reference::COMMANDS,
    string_reference::COMMANDS,
    thread_reference::COMMANDS,
    thread_group_reference::COMMANDS,
    array_reference::COMMANDS,
    class_loader_reference::COMMANDS,
    event_request::COMMANDS,
    stack_frame::COMMANDS,
    class_object_reference::COMMANDS,
    module_reference::COMMANDS,
    crate::event::COMMANDS,
];

/// Every command of every set.
pub fn all() -> impl Iterator<Item = &'static CommandInfo> {
    SETS.iter().flat_map(|set| set.iter())
}

/// The command with these numbers, if the spec has one.
pub fn find(set: u8, command: u8) -> Option<&'static CommandInfo> {
    all().find(|info| (info.set, info.command) == (set, command))
}

/// The name of a command for messages: the spec's, or its numbers.
pub fn name(set: u8, command: u8) -> String {
    find(set, command).map_or_else(
        || format!("command {command} of set {set}"),
        |info| info.name.to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_holds_every_command_of_the_spec_once() {
        // Highest command number of each set of the spec (JDK 21 and later). ObjectReference has
        // no command 4 (retired before JDWP was published).
        let sets = [
            (1, 22),
            (2, 19),
            (3, 4),
            (4, 1),
            (5, 1),
            (6, 5),
            (9, 10),
            (10, 1),
            (11, 15),
            (12, 3),
            (13, 3),
            (14, 1),
            (15, 3),
            (16, 4),
            (17, 1),
            (18, 2),
        ];
        let mut expected: Vec<(u8, u8)> = sets
            .iter()
            .flat_map(|&(set, last)| (1..=last).map(move |command| (set, command)))
            .filter(|numbers| *numbers != (9, 4))
            .collect();
        expected.push((64, 100));
        let got: Vec<(u8, u8)> = all().map(|info| (info.set, info.command)).collect();
        assert_eq!(got, expected);
        assert_eq!(
            find(1, 1).map(|info| info.name),
            Some("VirtualMachine.Version")
        );
        assert_eq!(name(99, 3), "command 3 of set 99");
    }
}
