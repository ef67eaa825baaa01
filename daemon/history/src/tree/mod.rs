//! Lists of calls: a subtree or the whole recording in preorder, down to a depth, in pages that begin anywhere or as a
//! stream.
//!
//! In reading order: here the pages, `extent` (which calls a list is made of, and its places), `walk` (from there on
//! in preorder), `back` (the other way), `by_method` (only a method's calls, by the index of methods).

mod back;
mod by_method;
mod extent;
mod walk;

use jhyde_store::records::CallRecord;
use jhyde_trace::CallId;

use crate::error::{Error, Result};
use crate::history::History;
use crate::page::{Turn, Wanted, Ways, rows};
use crate::view::CallView;
pub use extent::Extent;
pub use walk::{CallWalk, Walked};

/// Which calls a list holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallList {
    /// The subtree's root, itself in the list; the root of a thread stands for its thread. `None`: all threads.
    pub subtree: Option<CallId>,
    /// How many levels below the subtree's root (or the threads' roots) are listed; 0: all.
    pub max_depth: u32,
    /// Leave boundary calls out.
    pub without_boundary: bool,
    /// Leave the subtree's root out.
    pub without_root: bool,
    /// Only calls of methods that go by this name (`method`, `Class.method`, with or without descriptor).
    pub method: Option<String>,
}

/// A page of calls, and which calls are missing in it or, on the last page, behind it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallPage {
    /// The calls that can be read.
    pub rows: Vec<CallView>,
    /// The token of the next page; `None` on the last one.
    pub next: Option<String>,
    /// The token of the page before; `None` on the first one.
    pub previous: Option<String>,
    /// Which calls are missing, and why, for people.
    pub notes: Vec<String>,
    /// How many places the list has.
    pub places: u64,
    /// The place of the first row; of a page without rows, where it would be.
    pub place: u64,
}

impl History {
    /// The calls from the outermost one down to this one, itself last.
    ///
    /// # Errors
    /// When the call is not there or the recording cannot be read.
    pub fn path(&self, call: CallId) -> Result<Vec<CallView>> {
        if call.is_root() {
            return Err(Error::Root(call));
        }
        let records = self.recording.path(call)?;
        records
            .into_iter()
            .map(|record| self.call(record, true))
            .collect()
    }

    /// A page of calls in preorder. What a damaged block holds is left out and said.
    ///
    /// # Errors
    /// When the request makes no sense or the recording cannot be read.
    pub fn calls<'a>(
        &self,
        list: &CallList,
        with_values: bool,
        page_size: u32,
        page: impl Into<Wanted<'a>>,
    ) -> Result<CallPage> {
        let limit = rows(page_size)?;
        let wanted = page.into();
        let ways = Ways::of(&[&"calls", &self.recording.id(), list]);
        let extent = self.extent(list)?;
        let turn = match (ways.turn(wanted.token)?, wanted.start) {
            (Some(turn), _) => turn,
            (None, None) => Turn::From(extent.first().pack()),
            (None, Some(start)) => {
                let at = self.row_at(&extent, start.at)?.pack();
                match start.backward {
                    false => Turn::From(at),
                    true => Turn::Before(at),
                }
            }
        };
        let mut found = Found::default();
        let mut page = match turn {
            Turn::From(at) => {
                let at = CallId::unpack(at);
                self.take(list, &extent, at, false, limit, &mut found)?;
                let first = found.calls.first().map_or(at, |call| call.id);
                let before = extent.place(first) > 0;
                CallPage {
                    next: found.more.map(|more| ways.from(more.pack())),
                    previous: before.then(|| ways.before(first.pack())),
                    place: extent.place(first),
                    ..CallPage::default()
                }
            }
            Turn::Before(at) => {
                let at = CallId::unpack(at);
                self.take(list, &extent, at, true, limit, &mut found)?;
                found.calls.reverse();
                let first = found.calls.first().map_or(at, |call| call.id);
                let mut behind = Found::default();
                self.take(list, &extent, at, false, 1, &mut behind)?;
                let next = behind.calls.first();
                CallPage {
                    next: next.map(|next| ways.from(next.id.pack())),
                    previous: found.more.map(|_| ways.before(first.pack())),
                    place: extent.place(first),
                    ..CallPage::default()
                }
            }
        };
        page.places = extent.places();
        page.notes = found.notes;
        let calls = found.calls.into_iter();
        page.rows = calls
            .map(|record| self.call(record, with_values))
            .collect::<Result<_>>()?;
        if page.next.is_none() {
            page.notes.extend(match list.subtree {
                Some(call) => self.end_note_of(call)?,
                None => self.end_note(),
            });
        }
        Ok(page)
    }

    /// Takes at most so many calls of the list, those from a place on or, `backward`, those before it, the nearest first.
    fn take(
        &self,
        list: &CallList,
        extent: &Extent,
        at: CallId,
        backward: bool,
        limit: usize,
        found: &mut Found,
    ) -> Result<()> {
        let methods = self.listed_methods(list)?;
        if let Some(methods) = &methods {
            let calls = self.calls_by_method(list, extent, methods, at, backward, limit + 1);
            match calls {
                // Whoever has only some calls of a method need not read all others; but calls in a damaged block have
                // no number, and what is missing is told by going over all of them.
                Err(Error::Store(jhyde_store::Error::Damaged { .. })) => {}
                calls => {
                    calls?.into_iter().all(|call| found.push(call, limit));
                    return Ok(());
                }
            }
        }
        let mut walked: Box<dyn Iterator<Item = Result<Walked>>> = match backward {
            false => Box::new(CallWalk::new(self, list, extent, at, methods)),
            true => Box::new(back::BackWalk::new(self, list, extent, at, methods)),
        };
        walked
            .try_for_each(|walked| {
                self.check()?;
                match walked? {
                    Walked::Missing(note) => found.notes.push(note),
                    Walked::Call(record) if found.push(record, limit) => {}
                    Walked::Call(_) => return Err(Stop::Full),
                }
                Ok(())
            })
            .or_else(|stop| match stop {
                Stop::Full => Ok(()),
                Stop::Failed(error) => Err(error),
            })
    }
}

/// Why no more calls are taken.
enum Stop {
    Full,
    Failed(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// Calls of a page.
#[derive(Debug, Default)]
struct Found {
    calls: Vec<CallRecord>,
    /// The first one that was too much.
    more: Option<CallId>,
    notes: Vec<String>,
}

impl Found {
    /// Takes a call. Whether there was room.
    fn push(&mut self, call: CallRecord, limit: usize) -> bool {
        if self.calls.len() == limit {
            self.more = Some(call.id);
            return false;
        }
        self.calls.push(call);
        true
    }
}
