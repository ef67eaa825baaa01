//! The end of a process waits for databases that are open, and not for ever. The only test of its file: all databases of
//! the process count.

use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use jhyde_store::{Catalogue, StoreOptions, all_closed};
use jhyde_trace::RecordingOptions;

#[test]
fn the_end_waits_for_databases_that_are_open() {
    assert!(all_closed(Duration::ZERO), "none is open yet");
    let folder = tempfile::tempdir().expect("a folder");
    let catalogue = Catalogue::open(folder.path(), StoreOptions::default()).expect("a catalogue");
    let (recording, writer) = catalogue
        .create(None, RecordingOptions::default())
        .expect("a recording");
    assert!(!all_closed(Duration::from_millis(1)), "one is written");
    drop(writer);
    drop(catalogue);
    assert!(!all_closed(Duration::from_millis(1)), "it is still read");
    // Closed by another thread, behind the beginning of the wait.
    let (begin, begun) = channel();
    let last = thread::spawn(move || {
        begun.recv().expect("a sign");
        drop(recording);
    });
    begin.send(()).expect("it waits for the sign");
    assert!(all_closed(Duration::from_secs(60)));
    last.join().expect("closed");
    assert!(all_closed(Duration::ZERO));
}
