//! Ends of JVMs, one after the other and on a busy machine: whichever way it ends, a program that has ended by itself is
//! a complete recording with its exit code, and nothing of it is lost.
//!
//! `JHYDE_ENDS=500` makes 500 ends of each kind on each JDK instead of a few.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::available_parallelism;

use jhyde_integration::{Folder, Jdk, jdks};
use serde_json::Value;

/// Calls of `step` before the end.
const STEPS: usize = 200;

const ENDS: [(&str, i32); 4] = [("exit", 3), ("halt", 3), ("uncaught", 1), ("last", 0)];

fn rounds() -> usize {
    let asked = std::env::var("JHYDE_ENDS").ok();
    asked.map_or(3, |rounds| rounds.parse().expect("JHYDE_ENDS is a number"))
}

fn one(folder: &Folder, jdk: &Jdk, level: &str, how: &str, code: i32) {
    let path = jdk.classes("fixtures").display().to_string();
    let steps = STEPS.to_string();
    let arguments = ["-cp", &path, "fx.Ends", how, &steps].map(str::to_owned);
    let options = ["--level", level, "--include", "fx.Ends"];
    let run = folder.launch(jdk, "end", &options, &arguments);
    let told = format!("{how} on JDK {} at {level}: {}", jdk.major, run.stderr);
    assert_eq!(run.status.code(), Some(code), "{told}");
    let list = folder.json(&["list"]);
    assert_eq!(list[0]["state"], "complete", "{told} {list:?}");
    assert_eq!(list[0]["exit_code"], Value::from(code), "{told} {list:?}");
    let calls = folder.json(&["tree", "end", "--all"]);
    let steps = calls.iter().filter(|call| call["method"] == "step");
    let ended = steps.filter(|call| call["result"].is_number());
    assert_eq!(ended.count(), STEPS, "{told}");
    folder.ask(&["delete", "end"]);
}

#[test]
fn however_it_ends_nothing_is_lost() {
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let ended = scope.spawn(|| {
            let folder = Folder::new();
            for jdk in jdks() {
                for round in 0..rounds() {
                    for (how, code) in ENDS {
                        let level = ["calls", "state", "full"][round % 3];
                        one(&folder, &jdk, level, how, code);
                    }
                }
            }
        });
        let ended = ended.join();
        over.store(true, Ordering::Relaxed);
        ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    });
}
