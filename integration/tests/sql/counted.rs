//! Columns that are answered from what is counted of each block, against the events themselves.

use jhyde_integration::{Folder, jdks};
use serde_json::json;

use crate::explained::words;
use crate::{ask, merge_sort, rows};

/// What is counted, and the same by going through all events.
const COUNTED: [(&str, &str); 4] = [
    (
        "SELECT class, name AS of, sum(events) AS n FROM methods GROUP BY 1, 2 HAVING n > 0 ORDER BY 1, 2",
        "SELECT class, method AS of, count(*) AS n FROM events WHERE class IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2",
    ),
    (
        "SELECT class, line AS of, sum(events) AS n FROM lines GROUP BY 1, 2 HAVING n > 0 ORDER BY 1, 2",
        "SELECT class, line AS of, count(*) AS n FROM events WHERE line IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2",
    ),
    (
        "SELECT name AS class, made AS n FROM classes WHERE made > 0 ORDER BY 1",
        "SELECT object_class AS class, count(*) AS n FROM objects WHERE call IS NOT NULL GROUP BY 1 ORDER BY 1",
    ),
    (
        "SELECT class, method, bytecode_index, to_index, times AS n FROM coverage WHERE bytecode_index IS NOT NULL AND times > 0 ORDER BY 1, 2, 3, 4",
        "SELECT e.class, e.method, e.bytecode_index, e.to_index, count(*) AS n FROM edges e \
         WHERE (e.class, e.method, e.bytecode_index) IN (SELECT class, method, bytecode_index FROM coverage) GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4",
    ),
];

fn compare(folder: &Folder, words: &[&str]) -> u64 {
    let mut all = 0;
    for (counted, looked_at) in COUNTED {
        let (found, end) = ask(folder, &[words, &["-c", counted]].concat());
        let (expected, _) = ask(folder, &[words, &["-c", looked_at]].concat());
        assert_eq!(found, expected, "{counted}");
        if words.is_empty() {
            assert_eq!(end["blocks"], json!(0), "no event is read for {counted}");
        }
        all += found
            .iter()
            .filter_map(|row| row["n"].as_u64())
            .sum::<u64>();
    }
    all
}

#[test]
fn what_is_counted_is_what_the_events_say_and_no_event_is_read_for_it() {
    for jdk in jdks() {
        for folder in [merge_sort(&jdk, "full"), words(&jdk)] {
            let all = compare(&folder, &[]);
            // A part of what there is, which ends within a block.
            let end = rows(&folder, "SELECT max(timestamp) FROM events");
            let end = end[0][0].as_u64().expect("a time");
            let part = compare(&folder, &["--to", &(end / 2 + 7).to_string()]);
            assert!(0 < part && part < all, "{part} of {all}");
        }
    }
}

#[test]
fn what_the_level_leaves_out_is_not_counted_as_none() {
    let folder = merge_sort(&jdks()[0], "calls");
    let made = rows(&folder, "SELECT DISTINCT made FROM classes");
    assert_eq!(made, [[json!(null)]]);
}
