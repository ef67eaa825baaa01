//! Sealing: a finished recording in its smallest form.

use std::sync::Arc;

use crate::error::Result;
use crate::flusher;
use crate::index::merge;
use crate::state::Inner;
use crate::view::View;

/// Is it in its smallest form already: one file per table and one group of the index?
pub(crate) fn is_compact(inner: &Arc<Inner>) -> Result<bool> {
    let persisted = inner.persisted();
    let indexed = persisted.groups.len() <= 1 && persisted.pending.is_empty();
    Ok(indexed && inner.db.most_files()? <= 1 && inner.meta().files.is_some())
}

/// Merges the whole index into one group and rewrites every table without what was deleted or
/// overwritten. A recording that a crash cut gets the rest of its index here.
pub(crate) fn compact(inner: &Arc<Inner>) -> Result<()> {
    flusher::write_group(inner)?;
    merge::merge_all(&View::of_database(inner))?;
    inner.db.flush()?;
    for family in inner.db.families() {
        inner.db.compact(*family)?;
    }
    Ok(())
}
