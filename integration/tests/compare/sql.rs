//! The table `divergences`, held against `jhyde compare`.

use serde_json::{Value as Json, json};

use crate::{Compared, both};

#[test]
fn the_table_tells_what_the_comparison_tells_first() {
    for (class, change) in [
        ("Steps", ("sum += round;", "sum += round / 3 * 4;")),
        ("Workers", ("new Thing(i)", "new Thing(i * 2)")),
        ("Workers", ("WORKERS = 2", "WORKERS = 3")),
        ("Steps", ("sum += round;", "sum += round;")),
    ] {
        let (folder, _) = both(class, change, &[]);
        let compared = Compared::new(&folder, &["right", "wrong", "--all"]);
        let mut thread = Json::Null;
        let mut wanted = Vec::new();
        for part in &compared.parts {
            match part["part"].as_str() {
                Some("threads") => thread = part["name"].clone(),
                Some("divergence") => {
                    let side = |side: &str| {
                        let of = &part[side];
                        let call = of["call"].as_str().filter(|call| !call.ends_with(".0"));
                        [
                            of["event"]["timestamp"].clone(),
                            json!(call),
                            of["place"]["line"].clone(),
                        ]
                    };
                    let ([left_event, left_call, left_line], [right_event, right_call, right_line]) =
                        (side("left"), side("right"));
                    wanted.push(json!({
                        "thread": thread, "aspect": part["aspect"], "effect": part["effect"], "what": part["what"],
                        "left_event": left_event, "left_call": left_call, "left_line": left_line,
                        "right_event": right_event, "right_call": right_call, "right_line": right_line,
                    }));
                }
                _ => {}
            }
        }
        let mut told = folder.json(&[
            "sql",
            "right",
            "wrong",
            "-c",
            "SELECT thread, aspect, effect, what, left_event, left_call, left_line, right_event, right_call, right_line FROM divergences('right', 'wrong')",
        ]);
        let end = told.pop().expect("an end");
        assert_eq!(told, wanted, "{class}: {end}");
        assert_eq!(told.is_empty(), change.0 == change.1);
        for name in compared.footer()["only_right"]
            .as_array()
            .into_iter()
            .flatten()
        {
            let name = name.as_str().expect("a name");
            assert!(end["notes"].to_string().contains(name), "{end}");
        }
    }
}

#[test]
fn what_cannot_be_compared_is_refused_here_too() {
    let (folder, _) = both("Steps", ("value * 2", "value * 3"), &[]);
    let says = |words: &[&str], said: &str| {
        let output = folder.jhyde(words).output().expect("jhyde");
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && told.contains(said), "{told}");
    };
    let of = |sides: &str| format!("SELECT * FROM divergences({sides})");
    let one = of("'right', 'right'");
    says(
        &["sql", "right", "wrong", "-c", &one],
        "not held against itself",
    );
    let other = of("'right', 'nobody'");
    says(
        &["sql", "right", "wrong", "-c", &other],
        "'nobody' is none of them: right, wrong",
    );
    says(
        &["sql", "right", "wrong", "-c", &of("'right'")],
        "divergences",
    );
}
