//! Entry points for fuzzers: one function per decoder of the store. Blocks have theirs in
//! `jhyde_trace::fuzzing`.

use std::path::Path;

use crate::archive;
use crate::database::open_value;
use crate::folder;
use crate::index::run;
use crate::objects;
use crate::state::{BlockEntry, LongCall, ThreadEntry};
use crate::tally::Tally;

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

/// Decodes hostile bytes as a class, a thread, and the records of blocks, threads, calls and counts.
pub fn decode_tables(bytes: &[u8]) {
    let _ = open_value::<jhyde_trace::ClassInfo>(bytes);
    let _ = open_value::<jhyde_trace::ThreadInfo>(bytes);
    let _ = postcard::from_bytes::<jhyde_trace::ClassInfo>(bytes);
    let _ = postcard::from_bytes::<BlockEntry>(bytes);
    let _ = postcard::from_bytes::<ThreadEntry>(bytes);
    let _ = postcard::from_bytes::<LongCall>(bytes);
    let _ = Tally::decode(bytes);
    let _ = postcard::from_bytes::<Tally>(bytes);
}

/// Decodes hostile bytes as a `recording.json`; what decodes comes back.
pub fn decode_description(bytes: &[u8]) {
    let path = Path::new("fuzzed");
    if let Ok(meta) = folder::parse_meta(bytes, path)
        && let Ok(text) = meta.text()
    {
        let again = folder::parse_meta(text.as_bytes(), path);
        assert!(
            again.is_ok_and(|again| again.meta == meta.meta && again.files == meta.files),
            "descriptions come back"
        );
    }
}

/// Decodes hostile bytes as an exported file, and as the tar in one whose frame is right. Files go below
/// `folder`, and nowhere else; it is emptied.
pub fn decode_archive(bytes: &[u8], folder: &Path) {
    let framed = archive::framed(bytes);
    for bytes in [Some(bytes), framed.as_deref()].into_iter().flatten() {
        let inside = folder.join("inside");
        if std::fs::create_dir(&inside).is_err() {
            return;
        }
        let _ = archive::read(bytes, Path::new("fuzzed"), &inside, &mut |_, _| true);
        let removed = std::fs::remove_dir_all(&inside);
        assert!(removed.is_ok(), "what was made can be deleted");
        let left = std::fs::read_dir(folder).map(Iterator::count);
        assert!(matches!(left, Ok(0)), "nothing is written outside");
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_bytes_are_refused_or_read(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let folder = tempfile::tempdir().expect("a folder");
            decode_archive(&bytes, folder.path());
            decode_description(&bytes);
            decode_tables(&bytes);
        }
    }
}
