//! A program that runs when the probe comes, and goes on when it leaves.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Write as _};

use super::*;
use crate::control::Ending;
use crate::jvm::Connection;
use crate::record::Capture;

const PATIENCE: Duration = Duration::from_secs(60);

/// Attaches with the probe. Detaches when `until` says so.
fn attached(port: &str, until: impl FnOnce() + Send + 'static) -> Result<Recorded, String> {
    let controller = Controller::default();
    let address = format!("127.0.0.1:{port}");
    let connection = Connection::attach(&address, PATIENCE, &controller).expect("it listens");
    let options = RecordingOptions {
        engine: EngineKind::Probe,
        level: Level::Full,
        ..RecordingOptions::default()
    };
    let begun = Capture::begin(connection, options, List::default());
    let capture = begun.map_err(|(_, error)| error.to_string())?;
    let waits = std::thread::spawn(move || {
        until();
        controller.end(Ending::Detach);
    });
    let finished = capture.run();
    waits.join().expect("it was waited for");
    assert_eq!(finished.state, State::Detached, "{:?}", finished.notes);
    Ok(Recorded {
        list: finished.sink,
        notes: finished.notes,
        printed: String::new(),
    })
}

/// What calls of `step` were given and returned.
fn steps(list: &List) -> Vec<(i32, i64)> {
    let methods = list.classes.iter().flat_map(|class| &class.methods);
    let step = methods.clone().rfind(|method| method.name == "step");
    let step = step.expect("the method is recorded").id;
    let mut running = HashMap::new();
    let mut all = Vec::new();
    for event in &list.events {
        match &event.kind {
            EventKind::Enter {
                method, arguments, ..
            } if *method == step => {
                running.insert(event.call, arguments.clone());
            }
            EventKind::Exit {
                outcome: Outcome::Returned(Some(Value::Long(result))),
            } => {
                if let Some([Value::Int(number)]) = running.get(&event.call).map(Vec::as_slice) {
                    all.push((*number, *result));
                }
            }
            _ => {}
        }
    }
    all
}

#[test]
fn a_program_that_runs() {
    for jdk in jdks() {
        let jdk = jdk.as_deref();
        let folder = compiled(jdk, &source("Running"));
        let agent = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0";
        let mut java = tool(jdk, "java");
        java.args([agent, "-cp"]).arg(folder.path()).arg("Running");
        java.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut jvm = Jvm(java.spawn().expect("a JVM can be started"));
        let mut input = jvm.0.stdin.take().expect("an input");
        let mut lines = BufReader::new(jvm.0.stdout.take().expect("an output")).lines();
        let mut line = move || lines.next().expect("it prints").expect("text");
        let listens = line();
        let port = listens.rsplit(' ').next().expect("a port").to_owned();
        assert_eq!(line(), "runs");
        // It has made and written much by then, and its classes are initialised.
        let mut printed: Vec<String> = (0..100).map(|_| line()).collect();
        let (ready, all) = std::sync::mpsc::channel();
        let recorded = attached(&port, move || {
            let more: Vec<String> = (0..400).map(|_| line()).collect();
            ready.send((more, line)).expect("somebody waits");
        });
        let recorded = recorded.expect("it is recorded");
        let (more, mut line) = all.recv().expect("it printed");
        printed.extend(more);
        // It listens again, at another port.
        let is_new = |line: &String| line.starts_with("Listening");
        while !printed.iter().any(is_new) {
            printed.push(line());
        }
        let listens = printed.iter().find(|line| is_new(line)).cloned();
        let port = listens.and_then(|line| Some(line.rsplit_once(' ')?.1.to_owned()));
        let port = port.expect("a port");
        let again = attached(&port, || {})
            .map(|_| ())
            .expect_err("it was there");
        assert!(again.contains("use engine events"), "{again}");
        printed.extend((0..50).map(|_| line()));
        input.write_all(b"\n").expect("it reads");
        drop(input);
        while printed.last().is_some_and(|last| last != "ends") {
            printed.push(line());
        }
        assert!(jvm.0.wait().expect("it ends").success());

        let mut gaps = recorded.list.events.iter();
        let gap = gaps.find(|event| matches!(event.kind, EventKind::Gap { back: true, .. }));
        assert!(gap.is_none(), "{jdk:?}: {gap:?} {:?}", recorded.notes);
        let told = steps(&recorded.list);
        assert!(told.len() >= 200, "{jdk:?}: {} steps", told.len());
        let said: HashMap<i32, i64> = printed
            .iter()
            .filter_map(|line| {
                let (number, result) = line.split_once(' ')?;
                Some((number.parse().ok()?, result.parse().ok()?))
            })
            .collect();
        for (number, result) in told {
            assert_eq!(said.get(&number), Some(&result), "{jdk:?}: step {number}");
        }
    }
}
