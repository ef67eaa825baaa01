//! What a command is, and the table of all of them.

use std::fmt;

use bytes::BytesMut;

use crate::codec::{DecodeError, IdSizes, Reader, Wire, Writer, decode};

/// A command of the protocol: its fields are its out data, [`Reply`](Self::Reply) is its reply
/// data. One type per command, in [`crate::commands`].
pub trait Command: Wire + fmt::Debug + Send + 'static {
    /// The reply data; `()` if there is none.
    type Reply: Wire + fmt::Debug + Send + 'static;
    /// Number of the command set.
    const SET: u8;
    /// Number of the command in its set.
    const COMMAND: u8;
    /// Set and command as the spec writes them, with a dot: `VirtualMachine.Version`.
    const NAME: &'static str;

    /// Appends the out data (without a header; [`crate::Session::send`] writes that).
    #[inline]
    fn encode(&self, writer: &mut Writer<'_>) {
        self.write(writer);
    }

    /// Decodes the body of a successful reply. Every byte must belong to it.
    #[inline]
    fn decode_reply(body: &[u8], sizes: &IdSizes) -> Result<Self::Reply, DecodeError> {
        decode(body, sizes).map_err(|error| error.within(Self::NAME))
    }
}

/// Any message, its type forgotten: what a dissector shows and encodes again.
pub trait Message: fmt::Debug + Send {
    /// The message's bytes.
    fn to_bytes(&self, sizes: &IdSizes) -> Vec<u8>;
}

impl<T: Wire + fmt::Debug + Send> Message for T {
    fn to_bytes(&self, sizes: &IdSizes) -> Vec<u8> {
        let mut out = BytesMut::new();
        self.write(&mut Writer::new(&mut out, *sizes));
        out.into()
    }
}

/// A row of the table of commands: numbers, name, and how to read both of its messages.
#[derive(Clone, Copy)]
pub struct CommandInfo {
    /// Number of the command set.
    pub set: u8,
    /// Number of the command in its set.
    pub command: u8,
    /// Set and command with a dot between.
    pub name: &'static str,
    command_decoder: Decoder,
    reply_decoder: Decoder,
    #[cfg(feature = "arbitrary")]
    generators: [Generator; 2],
}

type Decoder = fn(&[u8], &IdSizes) -> Result<Box<dyn Message>, DecodeError>;
#[cfg(feature = "arbitrary")]
type Generator = fn(&mut arbitrary::Unstructured<'_>) -> arbitrary::Result<Box<dyn Message>>;

fn decode_boxed<T: Wire + fmt::Debug + Send + 'static>(
    body: &[u8],
    sizes: &IdSizes,
) -> Result<Box<dyn Message>, DecodeError> {
    Ok(Box::new(decode::<T>(body, sizes)?))
}

#[cfg(feature = "arbitrary")]
fn generate_boxed<T>(u: &mut arbitrary::Unstructured<'_>) -> arbitrary::Result<Box<dyn Message>>
where
    T: Message + 'static + for<'a> arbitrary::Arbitrary<'a>,
{
    Ok(Box::new(u.arbitrary::<T>()?))
}

impl CommandInfo {
    #[cfg(not(feature = "arbitrary"))]
    pub(crate) const fn of<C: Command>() -> Self {
        Self {
            set: C::SET,
            command: C::COMMAND,
            name: C::NAME,
            command_decoder: decode_boxed::<C>,
            reply_decoder: decode_boxed::<C::Reply>,
        }
    }

    #[cfg(feature = "arbitrary")]
    pub(crate) const fn of<C>() -> Self
    where
        C: Command + for<'a> arbitrary::Arbitrary<'a>,
        C::Reply: for<'a> arbitrary::Arbitrary<'a>,
    {
        Self {
            set: C::SET,
            command: C::COMMAND,
            name: C::NAME,
            command_decoder: decode_boxed::<C>,
            reply_decoder: decode_boxed::<C::Reply>,
            generators: [generate_boxed::<C>, generate_boxed::<C::Reply>],
        }
    }

    /// Decodes the command's out data. The three commands that send values without tags
    /// (`SetValues` of classes, objects and arrays) cannot be decoded this way unless they are
    /// empty; their types have `read_with_tags`.
    pub fn decode_command(
        &self,
        body: &[u8],
        sizes: &IdSizes,
    ) -> Result<Box<dyn Message>, DecodeError> {
        (self.command_decoder)(body, sizes).map_err(|error| error.within(self.name))
    }

    /// Decodes the reply data of a successful reply.
    pub fn decode_reply(
        &self,
        body: &[u8],
        sizes: &IdSizes,
    ) -> Result<Box<dyn Message>, DecodeError> {
        (self.reply_decoder)(body, sizes).map_err(|error| error.within(self.name))
    }

    /// Any out data of this command, made from random bytes.
    #[cfg(feature = "arbitrary")]
    pub fn arbitrary_command(
        &self,
        u: &mut arbitrary::Unstructured<'_>,
    ) -> arbitrary::Result<Box<dyn Message>> {
        (self.generators[0])(u)
    }

    /// Any reply data of this command, made from random bytes.
    #[cfg(feature = "arbitrary")]
    pub fn arbitrary_reply(
        &self,
        u: &mut arbitrary::Unstructured<'_>,
    ) -> arbitrary::Result<Box<dyn Message>> {
        (self.generators[1])(u)
    }
}

impl fmt::Debug for CommandInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}, {})", self.name, self.set, self.command)
    }
}

/// Reads a list of counted elements by hand, for lists whose elements need to be told more than
/// the reader knows.
pub(crate) fn read_list<T>(
    reader: &mut Reader<'_>,
    min_len: usize,
    mut read: impl FnMut(&mut Reader<'_>, usize) -> Result<T, DecodeError>,
) -> Result<Vec<T>, DecodeError> {
    let count = reader.count(min_len)?;
    (0..count).map(|index| read(reader, index)).collect()
}
