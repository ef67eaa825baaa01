//! Objects whose description the disk has lost are said to be so, and not shown as objects with nothing inside.

mod common;

use std::fs;

use common::{Builder, STATIC, method};
use jhyde_history::view::{ObjectView, ValueView};
use jhyde_store::{Catalogue, StoreOptions};
use jhyde_trace::{Content, Level, Text, Value};

#[test]
fn an_object_that_cannot_be_read_is_no_plain_object() {
    let mut builder = Builder::new(Level::Full);
    let thread = builder.thread("main");
    let string = builder.plain_class("java.lang.String");
    let methods = vec![method("f", "(Ljava/lang/String;)V", STATIC, 10, &[])];
    let object = Some("java.lang.Object");
    let (_, _, methods) = builder.class("p.Q", object, true, &[], methods);
    let text = Text {
        prefix: "5".into(),
        length: 1,
    };
    let five = builder.object(string, Content::String(text));
    builder.enter(thread, methods[0], None, &[Value::Object(five)]);
    builder.leave(thread);
    builder.end_thread(thread);
    let made = builder.finish();
    let whole = made.history().value(Value::Object(five)).expect("a value");
    assert!(
        matches!(&whole, ValueView::Object(ObjectView { class, .. }) if class == "java.lang.String")
    );

    let folder = made.into_folder();
    let recording = fs::read_dir(folder.path().join("recordings")).expect("the recordings");
    let recording = recording
        .map(|entry| entry.expect("an entry").path())
        .next();
    let mut spoiled = 0;
    for entry in fs::read_dir(recording.expect("one").join("db")).expect("the database") {
        let path = entry.expect("an entry").path();
        let mut bytes = fs::read(&path).expect("a file");
        // RocksDB's files name their table.
        let of_objects = bytes.windows(7).any(|window| window == b"objects");
        if path.extension().is_some_and(|end| end == "sst") && of_objects {
            bytes[5] ^= 0x10;
            fs::write(&path, bytes).expect("spoiled");
            spoiled += 1;
        }
    }
    assert!(spoiled > 0, "a table of objects");
    let catalogue = Catalogue::open(folder.path(), StoreOptions::default()).expect("opens");
    let recording = catalogue
        .open_recording(&catalogue.list()[0].id)
        .expect("opens");
    let history = jhyde_history::History::new(recording);
    match history.value(Value::Object(five)).expect("a value") {
        ValueView::NotRecorded(reason) => assert!(
            reason.contains(&format!("object#{five}")) && reason.contains("damaged"),
            "{reason}"
        ),
        other => panic!("{other:?}"),
    }
}
