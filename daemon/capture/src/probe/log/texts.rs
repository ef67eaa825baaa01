//! Texts that were told and may be meant again without being told.

use rustc_hash::FxHashMap;

use super::LongText;

/// Texts that this log has told lately, by the identity of their strings: where the probe says of one that it was told, this
/// is what was. Who reads the log may have had no use for the record in which that was.
#[derive(Clone, Debug, Default)]
pub(super) struct Texts {
    /// Under the places that the probe has for them: identity, `hashCode` and text.
    pub(super) known: FxHashMap<u32, (u32, u32, LongText)>,
    pub(super) units: usize,
}

impl Texts {
    /// Places in the probe's table.
    pub(super) const PLACES: u32 = 1 << 10;
    /// UTF-16 units that are kept at most: 8 MiB.
    pub(super) const MOST: usize = 1 << 22;

    pub(super) fn learn(&mut self, identity: u32, hash: u32, text: &LongText) {
        let place = identity % Self::PLACES;
        if let Some((.., before)) = self.known.remove(&place) {
            self.units -= before.units.len();
        }
        if self.units + text.units.len() > Self::MOST {
            *self = Self::default();
        }
        if text.units.len() <= Self::MOST {
            self.units += text.units.len();
            self.known.insert(place, (identity, hash, text.clone()));
        }
    }

    pub(super) fn get(&self, identity: u32, hash: u32) -> Option<LongText> {
        let (of, with, text) = self.known.get(&(identity % Self::PLACES))?;
        (*of == identity && *with == hash).then(|| text.clone())
    }
}
