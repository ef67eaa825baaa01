//! Where it is asked: random places of a recording, the same ones each time.

use jhyde_history::History;
use jhyde_query::sql::Datum;
use jhyde_trace::{CallId, ThreadId};

use crate::measure::ask;

/// How often a place is chosen.
const PLACES: usize = 200;

/// SplitMix64 (Steele, Lea and Flood 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound.max(1)
    }
}

/// A place in a recording.
pub(crate) struct Place {
    pub(crate) call: CallId,
    pub(crate) at: u64,
    pub(crate) object: i64,
    pub(crate) variable: String,
}

pub(crate) fn places(history: &History) -> Vec<Place> {
    let recording = history.recording();
    let thread = ThreadId(1);
    let calls = recording.root(thread).expect("a thread").calls;
    let mut random = Random(7);
    let place = |_| {
        let at = random.below(recording.end().0);
        let found = |text: String| ask(history, &text).0.into_iter().next();
        let object = found(format!(
            "SELECT id FROM objects WHERE timestamp < {at} ORDER BY timestamp LIMIT 1"
        ));
        let variable = found(format!(
            "SELECT variable FROM writes WHERE timestamp >= {at} AND variable LIKE '%#%.%' LIMIT 1"
        ));
        Place {
            call: CallId::new(thread, 1 + random.below(calls)),
            at,
            object: match object {
                Some(Datum::Int(object)) => object,
                _ => 1,
            },
            variable: match variable {
                Some(Datum::Text(variable)) => variable,
                _ => "object#1.key".to_owned(),
            },
        }
    };
    (0..PLACES).map(place).collect()
}
