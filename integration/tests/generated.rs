//! Programs made at random are recorded as they say that they run: `GENERATOR.md` has the commands.
//!
//! `JHYDE_SEEDS` (60) and `JHYDE_SEED` (new each time, printed) choose the programs, `JHYDE_LEVEL` (`full`) the level,
//! `JHYDE_ENGINE` (`events`) the engine.

use std::collections::BTreeMap;
use std::env;
use std::sync::Mutex;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use jhyde_integration::generate::compare::Difference;
use jhyde_integration::generate::group::{GROUP, Outcome, Settings, Worker};
use jhyde_integration::generate::node::Printing;
use jhyde_integration::generate::{Program, shrink};
use jhyde_integration::{Jdk, jdks};

/// Families that are left out because their defects are known and not yet mended.
const WITHOUT: [(&str, &str); 0] = [];

/// At most so many failing seeds are made small.
const SHRUNK: usize = 3;

#[derive(Default)]
struct Sum {
    programs: usize,
    events: usize,
    values: usize,
    not_recorded: BTreeMap<String, usize>,
    gaps: BTreeMap<String, usize>,
    excused: Vec<String>,
    wrong: Vec<String>,
    refused: Vec<String>,
}

fn number(name: &str) -> Option<u64> {
    env::var(name).ok()?.parse().ok()
}

/// Left out: names without their reasons.
fn without() -> Vec<&'static str> {
    WITHOUT.iter().map(|one| one.0).collect()
}

fn check_group(
    worker: &mut Worker,
    seeds: &[u64],
    (engine, level): (&str, &str),
    sum: &Mutex<Sum>,
) {
    let settings = Settings::of(seeds[0], &worker.jdk, level, engine);
    let make = |seed: &u64| Program::new(*seed, settings.release, &without());
    let programs: Vec<Program> = seeds.iter().map(make).collect();
    let (outcomes, refused) = worker.check(&programs, &settings);
    {
        let mut sum = sum.lock().expect("no thread has failed");
        for one in refused {
            sum.refused
                .push(format!("seed {} ({settings:?}): {}", one.seed, one.reason));
        }
    }
    for outcome in outcomes {
        let program = programs.iter().find(|one| one.seed == outcome.seed);
        let wrong = add(&mut sum.lock().expect("no thread has failed"), &outcome);
        if let (Some(program), true) = (program, wrong) {
            let small = sum.lock().expect("no thread has failed").wrong.len() < SHRUNK;
            let text = describe(worker, program, &outcome, &settings, small);
            println!("{text}");
            sum.lock().expect("no thread has failed").wrong.push(text);
        }
    }
}

/// Counts it; does it have a difference that no gap excuses?
fn add(sum: &mut Sum, outcome: &Outcome) -> bool {
    sum.programs += 1;
    sum.events += outcome.events;
    sum.values += outcome.values;
    for (reason, count) in &outcome.not_recorded {
        *sum.not_recorded.entry(reason.clone()).or_default() += count;
    }
    for (reason, count) in &outcome.gaps {
        *sum.gaps.entry(reason.clone()).or_default() += count;
    }
    match &outcome.difference {
        Some(difference) => {
            if let Some(reason) = &difference.excused {
                let text = format!("seed {}: {} ({reason})", outcome.seed, difference.kind);
                sum.excused.push(text);
            }
            difference.excused.is_none()
        }
        None => false,
    }
}

fn describe(
    worker: &mut Worker,
    program: &Program,
    outcome: &Outcome,
    settings: &Settings,
    small: bool,
) -> String {
    let Some(difference) = &outcome.difference else {
        return String::new();
    };
    let mut text = format!(
        "== JDK {}, seed {}, {settings:?}, families {:?}: {} in thread {}\n{}",
        worker.jdk.major,
        program.seed,
        program.families,
        difference.kind,
        difference.thread,
        difference.text
    );
    if !small {
        return text;
    }
    let rounds = number("JHYDE_SHRINK").unwrap_or(30) as usize;
    let mut check = |programs: &[Program]| worker.check(programs, settings).0;
    match shrink::shrink(&mut check, program, &difference.kind, rounds) {
        Some((small, outcome)) => {
            let said = outcome.difference.map(|one| one.text).unwrap_or_default();
            text.push_str(&format!(
                "-- made small:\n{said}-- its source:\n{}",
                small.text(Printing::Plain)
            ));
        }
        None => text.push_str("-- alone in a JVM it is recorded well\n"),
    }
    text
}

fn check(jdk: &Jdk, first: u64, count: u64, how: (&str, &str)) -> Sum {
    let mut groups: Vec<Vec<u64>> = Vec::new();
    for seed in first..first + count {
        match groups.last_mut() {
            Some(group) if group[0] / GROUP == seed / GROUP => group.push(seed),
            _ => groups.push(vec![seed]),
        }
    }
    groups.reverse();
    let groups = Mutex::new(groups);
    let sum = Mutex::new(Sum::default());
    let workers = std::thread::available_parallelism()
        .map_or(2, usize::from)
        .min(4);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                let mut worker = Worker::new(jdk);
                loop {
                    let group = groups.lock().expect("no thread has failed").pop();
                    let Some(group) = group else { return };
                    check_group(&mut worker, &group, how, &sum);
                }
            });
        }
    });
    sum.into_inner().expect("no thread has failed")
}

fn print(jdk: &Jdk, level: &str, seconds: f64, sum: &Sum) {
    let unknown: usize = sum.not_recorded.values().sum();
    println!(
        "JDK {}, level {level}: {} programs, {} events told alike, {} values, {unknown} of them not recorded ({:.3} %), {} gaps, {} differences, {} excused by a gap, {seconds:.0} s",
        jdk.major,
        sum.programs,
        sum.events,
        sum.values,
        100.0 * unknown as f64 / sum.values.max(1) as f64,
        sum.gaps.values().sum::<usize>(),
        sum.wrong.len(),
        sum.excused.len(),
    );
    for (reason, count) in &sum.not_recorded {
        println!("  not recorded {count} times: {reason}");
    }
    for (reason, count) in &sum.gaps {
        println!("  {count} gaps: {reason}");
    }
    for text in &sum.excused {
        println!("  excused: {text}");
    }
}

#[test]
fn programs_made_at_random_are_recorded_as_they_run() {
    let engine = env::var("JHYDE_ENGINE").unwrap_or_else(|_| "events".into());
    check_all(&engine, 60);
}

/// Which call out of the program wrote something is not compared.
#[test]
fn the_probe_records_them_as_they_run() {
    check_all("probe", 40);
}

fn check_all(engine: &str, least: u64) {
    let count = number("JHYDE_SEEDS").unwrap_or(least);
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    // The seeds of a group in one JVM: a base that one ends with.
    let fresh = now.map_or(0, |time| time.as_millis() as u64 % 1_000_000_000 * GROUP);
    let first = number("JHYDE_SEED").unwrap_or(fresh);
    let level = env::var("JHYDE_LEVEL").unwrap_or_else(|_| "full".into());
    println!(
        "seeds: JHYDE_SEED={first} JHYDE_SEEDS={count} JHYDE_LEVEL={level} JHYDE_ENGINE={engine}"
    );
    for (family, reason) in WITHOUT {
        println!("left out: {family}: {reason}");
    }
    let mut wrong = Vec::new();
    for jdk in jdks() {
        let begun = Instant::now();
        let sum = check(&jdk, first, count, (engine, &level));
        print(&jdk, &level, begun.elapsed().as_secs_f64(), &sum);
        assert!(
            sum.refused.is_empty(),
            "the generator's own fault: {}",
            sum.refused.join("\n")
        );
        assert_eq!(sum.programs as u64, count, "every program is compared");
        // One that is lost takes those behind it in its JVM along: that must stay the exception.
        assert!(
            4 * sum.excused.len() <= 3 * sum.programs,
            "{} of {} programs are excused: nothing is shown",
            sum.excused.len(),
            sum.programs
        );
        wrong.extend(sum.wrong);
    }
    assert!(
        wrong.is_empty(),
        "{} programs are recorded wrongly (JHYDE_SEED={first}):\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Making small is shown by a kind of difference that does not exist: a program counts as recorded wrongly if it runs,
/// is compared in truth, and shifts to the left somewhere.
#[test]
fn a_program_that_fails_is_made_small() {
    const KIND: &str = "it shifts";
    let jdk = jdks().remove(0);
    let mut worker = Worker::new(&jdk);
    let settings = Settings::of(1, &jdk, "full", "probe");
    let shifts = |program: &Program| program.text(Printing::Plain).contains(" << ");
    let make = |seed| Program::new(seed, settings.release, &without());
    let program = (1..200).map(make).find(shifts).expect("one that shifts");
    let mut check = |programs: &[Program]| -> Vec<Outcome> {
        let (mut outcomes, _) = worker.check(programs, &settings);
        for outcome in &mut outcomes {
            assert_eq!(outcome.difference, None, "a real one: {}", program.seed);
            let of = programs.iter().find(|one| one.seed == outcome.seed);
            outcome.difference = of.filter(|one| shifts(one)).map(|_| Difference {
                thread: "main".to_owned(),
                kind: KIND.to_owned(),
                text: String::new(),
                excused: None,
                ended: false,
            });
        }
        outcomes
    };
    let (small, _) = shrink::shrink(&mut check, &program, KIND, 10).expect("it fails alone");
    let lines = |program: &Program| program.text(Printing::Plain).lines().count();
    let said = small.text(Printing::Plain);
    println!("{} lines, then {}:\n{said}", lines(&program), lines(&small));
    assert!(shifts(&small), "{said}");
    assert!(2 * lines(&small) < lines(&program), "{said}");
}
