//! Entry points for fuzzers: one function per decoder of the store. Blocks have theirs in
//! `jhyde_trace::fuzzing`.

use crate::database::open_value;
use crate::index::run;
use crate::objects;

/// Decodes hostile bytes as a run of postings; what decodes is sorted.
pub fn decode_postings(bytes: &[u8]) {
    for postings in [run::decode(bytes), run::decode_columns(bytes)]
        .into_iter()
        .flatten()
    {
        assert!(postings.is_sorted(), "postings are sorted");
        assert_eq!(
            run::decode(&run::encode(&postings)),
            Ok(postings),
            "postings come back"
        );
    }
}

/// Decodes hostile bytes as a run of objects.
pub fn decode_objects(bytes: &[u8]) {
    let _ = objects::decode(bytes);
    let _ = objects::decode_columns(bytes);
}

/// Decodes hostile bytes as a class and as a thread.
pub fn decode_tables(bytes: &[u8]) {
    let _ = open_value::<jhyde_trace::ClassInfo>(bytes);
    let _ = open_value::<jhyde_trace::ThreadInfo>(bytes);
    let _ = postcard::from_bytes::<jhyde_trace::ClassInfo>(bytes);
}
