//! The table `divergences`, held against `jhyde compare`.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use jhyde_integration::Folder;
use serde_json::{Value as Json, json};

use crate::{Compared, both, compiled, replaced, source};

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

#[test]
fn one_that_ends_while_the_statement_runs_is_refused_still() {
    let jdk = jhyde_integration::jdks().swap_remove(0);
    let folder = Folder::new();
    // It ends when there is a file.
    let text = replaced(
        &source("compare", "Steps"),
        "Steps steps = new Steps();",
        "while (!new java.io.File(args[0]).exists()) { java.util.concurrent.locks.LockSupport.parkNanos(1000000); } Steps steps = new Steps();",
    );
    let classes = compiled(&folder, &jdk, ("both", "Steps"), &text);
    let go_on = folder.data().with_file_name("go-on");
    let words = |name: &str| {
        let mut launch = folder.jhyde(&["launch", "--name", name, "--engine", "auto", "--"]);
        launch
            .arg(jdk.java())
            .args(["-cp", &classes, "Steps"])
            .arg(&go_on);
        launch.stdout(Stdio::null()).stderr(Stdio::null());
        launch
    };
    fs::write(&go_on, "").expect("a file");
    assert!(words("right").status().expect("jhyde").success());
    fs::remove_file(&go_on).expect("it was there");
    let mut running = words("wrong").spawn().expect("jhyde");
    let shown = |name: &str| {
        let all = folder.json(&["list"]);
        all.into_iter().find(|of| of["name"] == name)
    };
    while shown("wrong").is_none_or(|of| of["events"].as_u64() < Some(1)) {
        assert!(running.try_wait().expect("its state").is_none());
    }
    // More rows than fit between the daemon and who reads them slowly: what follows is asked when all of them are read.
    let statement = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000) \
                     SELECT i FROM n UNION ALL SELECT left_line FROM divergences('right', 'wrong')";
    let mut asking = folder
        .jhyde(&["sql", "right", "wrong", "--json", "-c", statement])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("jhyde");
    let mut rows = BufReader::new(asking.stdout.take().expect("an output"));
    let mut first = String::new();
    rows.read_line(&mut first).expect("a row");
    assert!(first.contains('1'), "{first}");
    fs::write(&go_on, "").expect("a file");
    running.wait().expect("it ends");
    assert_eq!(shown("wrong").expect("it is there")["state"], "complete");
    let read = rows.lines().map_while(Result::ok).count();
    assert!(read >= 2_999_999, "{read}");
    let output = asking.wait_with_output().expect("it ends");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && told.contains("still runs"),
        "{told}"
    );
}
