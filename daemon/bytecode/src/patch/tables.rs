//! The tables of a method's code, with their indexes moved. All but code indexes stays as it is in the file.

use crate::class_file::ClassFileError;
use crate::patch::code::Layout;
use crate::patch::{Fault, put_u2};
use crate::reader::Reader;

/// An added entry of the exception table, that catches all; new indexes.
#[derive(Clone, Copy)]
pub(super) struct Guard {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) handler: u32,
}

/// The exception table, with its number of entries (JVMS §4.7.3). The added entry is the last one: those of the method
/// come first. In front of one whose handler it guards itself stands an entry for what was put in front of that handler:
/// it leads to the handler behind that. Else an exception of what was put there would arrive there again, for ever.
pub(super) fn exceptions(
    reader: &mut Reader<'_>,
    layout: &Layout<'_>,
    added: Option<Guard>,
    out: &mut Vec<u8>,
) -> Result<(), Fault> {
    let table = "the exception table";
    let count_at = out.len();
    let entries = count(reader, out, table)?;
    let mut all = usize::from(entries) + usize::from(added.is_some());
    for _ in 0..entries {
        let mut index = || index(reader, table);
        let (start, end, handler) = (index()?, index()?, index()?);
        let caught = index()?;
        let (arrival, standing) = (layout.arrival(handler)?, layout.standing(handler)?);
        if guards_itself(start, end, handler) && arrival < standing {
            for index in [arrival, standing, standing, caught] {
                put_u2(out, index);
            }
            all += 1;
        }
        put_u2(out, layout.guard_start(start));
        put_u2(out, layout.gap_start(end));
        put_u2(out, arrival);
        put_u2(out, caught);
    }
    let all = u16::try_from(all).map_err(|_| Fault::FramesTooLarge)?;
    for (at, byte) in (count_at..).zip(all.to_be_bytes()) {
        if let Some(place) = out.get_mut(at) {
            *place = byte;
        }
    }
    if let Some(Guard {
        start,
        end,
        handler,
    }) = added
    {
        for index in [start, end, handler, 0] {
            put_u2(out, index);
        }
    }
    Ok(())
}

/// Does an exception that is thrown in the handler arrive there again?
pub(super) fn guards_itself(start: u32, end: u32, handler: u32) -> bool {
    (start..end).contains(&handler)
}

/// `LineNumberTable` (JVMS §4.7.12).
pub(super) fn lines(mut reader: Reader<'_>, layout: &Layout<'_>) -> Result<Vec<u8>, Fault> {
    let (mut out, table) = (Vec::new(), "LineNumberTable");
    for _ in 0..count(&mut reader, &mut out, table)? {
        let start = index(&mut reader, table)?;
        // What runs at entry belongs to the first line.
        put_u2(
            &mut out,
            if start == 0 {
                0
            } else {
                layout.gap_arrival(start)
            },
        );
        copy(&mut reader, &mut out, 2, table)?;
    }
    whole(&reader, table)?;
    Ok(out)
}

/// `LocalVariableTable` and `LocalVariableTypeTable` (JVMS §4.7.13, §4.7.14).
pub(super) fn variables(mut reader: Reader<'_>, layout: &Layout<'_>) -> Result<Vec<u8>, Fault> {
    let (mut out, table) = (Vec::new(), "LocalVariableTable");
    for _ in 0..count(&mut reader, &mut out, table)? {
        let start = index(&mut reader, table)?;
        let end = start + index(&mut reader, table)?;
        put_u2(&mut out, layout.gap_start(start));
        put_u2(&mut out, layout.gap_start(end) - layout.gap_start(start));
        copy(&mut reader, &mut out, 6, table)?;
    }
    whole(&reader, table)?;
    Ok(out)
}

fn broken(table: &'static str) -> impl Fn(crate::Cut) -> Fault {
    move |cut| Fault::Table {
        table,
        error: cut.into(),
    }
}

fn count(reader: &mut Reader<'_>, out: &mut Vec<u8>, table: &'static str) -> Result<u16, Fault> {
    let count = reader.u2().map_err(broken(table))?;
    put_u2(out, u32::from(count));
    Ok(count)
}

fn index(reader: &mut Reader<'_>, table: &'static str) -> Result<u32, Fault> {
    Ok(u32::from(reader.u2().map_err(broken(table))?))
}

fn copy(
    reader: &mut Reader<'_>,
    out: &mut Vec<u8>,
    bytes: usize,
    table: &'static str,
) -> Result<(), Fault> {
    out.extend_from_slice(reader.take(bytes).map_err(broken(table))?);
    Ok(())
}

/// Refuses bytes left over.
pub(super) fn whole(reader: &Reader<'_>, table: &'static str) -> Result<(), Fault> {
    let (position, count) = (reader.position(), reader.left());
    let error = ClassFileError::Trailing { position, count };
    match count {
        0 => Ok(()),
        _ => Err(Fault::Table { table, error }),
    }
}
