//! A program that runs when the probe comes, and goes on when it leaves.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::time::Instant;

use super::*;
use crate::control::Ending;
use crate::jvm::Connection;
use crate::record::Capture;

const PATIENCE: Duration = Duration::from_secs(60);

/// Attaches with the probe. Detaches when `until` says so.
pub(super) fn attached(port: &str, until: impl FnOnce() + Send + 'static) -> Recorded {
    let controller = Controller::default();
    let address = format!("127.0.0.1:{port}");
    let connection = Connection::attach(&address, PATIENCE, &controller).expect("it listens");
    let options = RecordingOptions {
        engine: EngineKind::Probe,
        level: Level::Full,
        ..RecordingOptions::default()
    };
    let begun = Capture::begin(connection, options, List::default());
    let capture = begun.map_err(|(_, error)| error).expect("it begins");
    let waits = std::thread::spawn(move || {
        until();
        controller.end(Ending::Detach);
    });
    let finished = capture.run();
    waits.join().expect("it was waited for");
    assert_eq!(finished.state, State::Detached, "{:?}", finished.notes);
    Recorded {
        list: finished.sink,
        notes: finished.notes,
        printed: String::new(),
    }
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
        let mut port = port;
        let mut printed: Vec<String> = Vec::new();
        let mut recordings = Vec::new();
        // The second time it has the probe of the first still, and code that goes on calling it.
        for _ in 0..2 {
            // It has made and written much by then, and its classes are initialised.
            printed.extend((0..100).map(|_| line()));
            let (ready, all) = std::sync::mpsc::channel();
            recordings.push(attached(&port, move || {
                let more: Vec<String> = (0..1000).map(|_| line()).collect();
                ready.send((more, line)).expect("somebody waits");
            }));
            let (more, told) = all.recv().expect("it printed");
            line = told;
            // It listens again, at another port.
            let from = printed.len();
            printed.extend(more);
            port = loop {
                let is_new = |line: &&String| line.starts_with("Listening");
                if let Some(listens) = printed[from..].iter().find(is_new) {
                    break listens.rsplit(' ').next().expect("a port").to_owned();
                }
                printed.push(line());
            };
        }
        input.write_all(b"\n").expect("it reads");
        drop(input);
        while printed.last().is_some_and(|last| last != "ends") {
            printed.push(line());
        }
        assert!(jvm.0.wait().expect("it ends").success());

        let said: HashMap<i32, i64> = printed
            .iter()
            .filter_map(|line| {
                let (number, result) = line.split_once(' ')?;
                Some((number.parse().ok()?, result.parse().ok()?))
            })
            .collect();
        for recorded in recordings {
            let mut gaps = recorded.list.events.iter();
            let gap = gaps.find(|event| matches!(event.kind, EventKind::Gap { back: true, .. }));
            assert!(gap.is_none(), "{jdk:?}: {gap:?} {:?}", recorded.notes);
            let told = steps(&recorded.list);
            assert!(told.len() >= 100, "{jdk:?}: {} steps", told.len());
            for (number, result) in told {
                assert_eq!(said.get(&number), Some(&result), "{jdk:?}: step {number}");
            }
        }
    }
}

/// An event that is to suspend its thread, and that the JVM has not told when the session ends, would leave that thread suspended for
/// ever. Here there are such events when the classes have their own code back.
#[test]
fn threads_that_prepare_classes_run_on_when_the_jvm_is_left() {
    const TIMES: usize = 5;
    for jdk in jdks() {
        let jdk = jdk.as_deref();
        let folder = compiled(jdk, &source("Relinking"));
        let agent = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0";
        let mut java = tool(jdk, "java");
        java.args([agent, "-cp"])
            .arg(folder.path())
            .arg("Relinking");
        java.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut jvm = Jvm(java.spawn().expect("a JVM can be started"));
        let input = jvm.0.stdin.take().expect("an input");
        let mut lines = BufReader::new(jvm.0.stdout.take().expect("an output")).lines();
        let mut line = || lines.next().expect("it prints").expect("text");
        for time in 0..=TIMES {
            let listens = loop {
                let line = line();
                if line.starts_with("Listening") {
                    break line;
                }
            };
            let mut passes = || loop {
                if let Some(numbers) = line().strip_prefix('[') {
                    let numbers = numbers.trim_end_matches(']').split(", ");
                    let numbers = numbers.map(|number| number.parse().expect("a number"));
                    break numbers.collect::<Vec<u64>>();
                }
            };
            let first = passes();
            let patient = Instant::now() + PATIENCE;
            while first
                .iter()
                .zip(passes())
                .any(|(before, now)| *before >= now)
            {
                assert!(Instant::now() < patient, "{jdk:?}: it stands after {time}");
            }
            let port = listens.rsplit(' ').next().expect("a port").to_owned();
            if time < TIMES {
                attached(&port, || std::thread::sleep(Duration::from_millis(300)));
            }
        }
        drop(input);
    }
}
