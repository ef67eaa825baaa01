//! Texts are sequences of UTF-16 units: surrogates without a partner are kept and shown as they are, and what
//! follows from a text follows from its units.

use jhyde_integration::{Folder, Jdk, jdks};
use serde_json::{Value, json};

const NAME: &str = "texts";

fn recorded(jdk: &Jdk, level: &str) -> Folder {
    let folder = Folder::new();
    let classes = jdk.classes("odd").display().to_string();
    let java = ["-cp".to_owned(), classes, "odd.LoneSurrogates".to_owned()];
    let options = ["--level", level, "--include", "odd"];
    let run = folder.launch(jdk, NAME, &options, &java);
    assert!(run.status.success(), "{}", run.stderr);
    let printed = String::from_utf8_lossy(&run.stdout).into_owned();
    let hash = 0xde00_i32 * 31 + 0xd83d;
    assert_eq!(printed, format!("603 false true {hash} 6 3\n"));
    folder
}

/// Every value that was written to a variable of this name, in order.
fn written(events: &[Value], name: &str) -> Vec<Value> {
    let of_name = events
        .iter()
        .filter(|event| event["kind"] == "write" && event["name"] == name);
    of_name.map(|event| event["value"].clone()).collect()
}

/// A text as JSON tells one that is not valid UTF-16.
fn units(value: &Value) -> Value {
    value["units"].clone()
}

#[test]
fn surrogates_without_a_partner_stay_what_they_are() {
    for jdk in jdks() {
        let folder = recorded(&jdk, "full");
        let gaps = folder.json(&["gaps", NAME]);
        assert_eq!(gaps, Vec::<Value>::new());
        let events = folder.json(&["events", NAME]);
        assert!(events.iter().all(|event| event["kind"] != "gap"), "a gap");
        for k in 0..3 {
            let count = format!("count#{k}");
            let call = folder.json(&["call", NAME, &count]).remove(0);
            assert_eq!(call["result"], 201, "{call}");
            assert_eq!(
                units(&call["arguments"][0]["value"]),
                json!([0x61, 0x62, 0xd83d])
            );
            let own: Vec<Value> = events
                .iter()
                .filter(|event| event["call"] == call["id"])
                .cloned()
                .collect();
            let chars = written(&own, "c");
            assert_eq!(chars, [json!("a"), json!("b"), json!({"char": 0xd83d})]);
            assert_eq!(written(&own, "n"), [0, 100, 200, 201].map(Value::from));
        }
        assert_eq!(written(&events, "same"), [Value::from(false)]);
        assert_eq!(written(&events, "pair"), [Value::from(true)]);
        let hash = 0xde00_i32 * 31 + 0xd83d;
        assert_eq!(written(&events, "hash"), [Value::from(hash)]);
        let constants: Vec<Value> = events
            .iter()
            .filter(|event| {
                let name = event["name"].as_str().unwrap_or_default();
                event["kind"] == "write" && name.starts_with("array#")
            })
            .map(|event| event["value"].clone())
            .collect();
        assert_eq!(constants.len(), 3, "{constants:?}");
        assert_eq!(units(&constants[0]), json!([0x78, 0xd83d]));
        assert_eq!(constants[1], "x\u{fffd}");
        assert_eq!(units(&constants[2]), json!([0x78, 0xd83e]));
    }
}

#[test]
fn texts_are_told_exactly_at_every_level() {
    for jdk in jdks() {
        for level in ["calls", "state", "full"] {
            let folder = recorded(&jdk, level);
            let joined = folder.json(&["call", NAME, "joined#0"]).remove(0);
            assert_eq!(units(&joined["arguments"][0]["value"]), json!([0xd83d]));
            assert_eq!(units(&joined["arguments"][1]["value"]), json!([0xde00]));
            assert_eq!(joined["result"], "\u{1f600}", "{level}");
            let text = folder.ask(&["call", NAME, "joined#0"]);
            assert!(
                text.contains(r#""\ud83d""#) && text.contains(r#""\ude00""#),
                "{text}"
            );
            let thrown = folder.json(&["call", NAME, "thrown#0"]).remove(0);
            let lost: Vec<u16> = "lost ".encode_utf16().chain([0xdead]).collect();
            assert_eq!(units(&thrown["arguments"][0]["value"]), json!(lost));
            assert_eq!(units(&thrown["result"]), json!(lost));
            let raised = folder
                .json(&["events", NAME])
                .into_iter()
                .find(|event| event["kind"] == "thrown")
                .expect("it was thrown");
            assert_eq!(units(&raised["value"]["content"]), json!(lost), "{raised}");
        }
    }
}
