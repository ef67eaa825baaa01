//! What waits to be derived, where there is no file for it. In tests memory and file are so small that others go through the file: those of
//! `threads` fail where it changes the order.

use super::*;

#[test]
fn the_program_waits_where_there_is_no_file() {
    for jdk in jdks() {
        let jdk = jdk.as_deref();
        let folder = compiled(jdk, &source("Shop"));
        let list = List {
            has_no_scratch: true,
            ..List::default()
        };
        let options = RecordingOptions {
            engine: EngineKind::Probe,
            level: Level::Full,
            contents: false,
            ..RecordingOptions::default()
        };
        let probe = record_into(list, options, jdk, folder.path(), &["Shop"]);
        let events = record(jdk, folder.path(), "Shop", EngineKind::Events);
        assert_eq!(probe.printed, events.printed);
        assert_eq!(probe.list.levels, [], "{:?}", probe.notes);
        let stories = [story(&probe.list), story(&events.list)];
        differ_nowhere(&stories, "Shop", jdk, &probe.notes);
    }
}
