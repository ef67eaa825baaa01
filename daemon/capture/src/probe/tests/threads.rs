//! Programs of several threads: what the engine `probe` tells of them has the order that it had.

use jhyde_trace::ProbeLog;

use super::*;

fn recorded(jdk: Option<&Path>, name: &str, log: ProbeLog) -> Recorded {
    let folder = compiled(jdk, &source(name));
    let options = RecordingOptions {
        engine: EngineKind::Probe,
        // Threads that spin are as busy as the machine lets them: each read would be an event, gigabytes of them.
        level: Level::State,
        contents: false,
        probe_log: log,
        ..RecordingOptions::default()
    };
    let recorded = record_with(options, jdk, folder.path(), &[name]);
    let gaps = recorded.list.events.iter();
    let gaps: Vec<_> = gaps
        .filter(|event| matches!(event.kind, EventKind::Gap { .. }))
        .take(3)
        .collect();
    assert!(
        gaps.is_empty() && recorded.notes.is_empty(),
        "{jdk:?}: {:?} {gaps:?}; {} events",
        recorded.notes,
        recorded.list.events.len()
    );
    recorded
}

/// What calls of a method of this name were given, in order.
fn given(recorded: &Recorded, name: &str) -> Vec<Vec<Value>> {
    let classes = recorded.list.classes.iter();
    let mut methods = classes.flat_map(|class| &class.methods);
    let method = methods.rfind(|method| method.name == name);
    let wanted = method.expect("the method is recorded").id;
    let events = recorded.list.events.iter();
    let calls = events.filter_map(|event| match &event.kind {
        EventKind::Enter {
            method, arguments, ..
        } if *method == wanted => Some(arguments.clone()),
        _ => None,
    });
    calls.collect()
}

/// Each way in which threads can wait for each other: what happened one after the other is told one after the other.
#[test]
fn what_threads_hand_on_has_its_order() {
    for jdk in jdks() {
        let recorded = recorded(jdk.as_deref(), "Tokens", ProbeLog::Auto);
        let steps = given(&recorded, "step");
        let expected: Vec<Vec<Value>> = (0..8)
            .flat_map(|_| (0..60).map(|number| vec![Value::Long(number)]))
            .collect();
        assert_eq!(steps, expected);
        let sum = (0..8 * 60).fold(0_i64, |sum, at| sum.wrapping_mul(31).wrapping_add(at % 60));
        let last = recorded.printed.trim_end().rsplit(' ').next();
        assert_eq!(last, Some(sum.to_string().as_str()));
    }
}

/// Nothing but what was read tells what it was: the sums that the threads print are those that are derived, and so is each value that they
/// write.
#[test]
fn races_are_told_as_they_went() {
    for (jdk, log) in each_with(&[ProbeLog::Auto, ProbeLog::Writes]) {
        let recorded = recorded(jdk.as_deref(), "Races", log);
        let reports = given(&recorded, "report");
        let told: Vec<String> = reports
            .iter()
            .map(|report| match report[..] {
                [Value::Int(thread), Value::Long(seen)] => format!("{thread} {seen}"),
                _ => panic!("{report:?}"),
            })
            .collect();
        let printed: Vec<&str> = recorded.printed.lines().collect();
        assert_eq!(printed.len(), 8);
        assert_eq!(told, printed, "{log}");
    }
}

/// Each JDK with each log.
fn each_with(logs: &[ProbeLog]) -> impl Iterator<Item = (Option<PathBuf>, ProbeLog)> {
    let jdks = jdks().into_iter();
    jdks.flat_map(|jdk| logs.iter().map(move |&log| (jdk.clone(), log)))
}

/// A thread's last word may be long before it gives up the turn: it is derived to its end all the same before another goes on. One that
/// waits for a lock then has passed a point besides.
#[test]
fn long_loops_are_derived_to_their_end() {
    for jdk in jdks() {
        let jdk = jdk.as_deref();
        let folder = compiled(jdk, &source("Crunch"));
        let record = |engine| {
            record_at(
                Level::Calls,
                jdk,
                folder.path(),
                &["Crunch"],
                engine,
                (&[], &[]),
            )
        };
        let [probe, events] = [EngineKind::Probe, EngineKind::Events].map(record);
        assert_eq!(probe.printed, events.printed);
        assert_eq!(probe.list.levels, [], "{:?}", probe.notes);
        let calls = |told: &Recorded| {
            let entered = |event: &&Event| {
                matches!(
                    event.kind,
                    EventKind::Enter {
                        boundary: false,
                        ..
                    }
                )
            };
            told.list.events.iter().filter(entered).count()
        };
        assert_eq!(calls(&probe), calls(&events));
    }
}
