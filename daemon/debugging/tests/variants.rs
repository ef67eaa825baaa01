//! Which reading of v(e) asks fewer questions (design, section 5): the calls answered valid, or also those inside
//! them. Measured over mutants of a small program, where a call is valid iff the unchanged program gives the
//! same result for the same arguments.
//!
//! `cargo test -p jhyde-debugging --test variants -- --nocapture` prints the table of the README.

#[path = "../../history/tests/common/machine.rs"]
mod machine;

use std::collections::HashMap;
use std::sync::Arc;

use jhyde_bytecode::ClassFile;
use jhyde_debugging::coverage::{Rule, ValidCalls};
use jhyde_debugging::strategy::choose;
use jhyde_debugging::suspicious::{End, Suspicious};
use jhyde_debugging::{
    Answer, Answers, CallFacts, ComputationTree, Coverage, Entities, Forest, Given,
    RecordedCoverage, Strategy,
};
use jhyde_store::{Catalogue, Recording, StoreOptions};
use jhyde_trace::{
    CallId, ClassId, Level, MethodId, Outcome, RecordingOptions, State, ThreadId, Value,
};
use machine::{Machine, compile};

const RIGHT: &str = "
class Test {
    static int run(int n) {
        int total = 0;
        for (int i = 1; i <= n; i++) {
            total += step(i);
        }
        return total + calendar(n) + numbers(n);
    }
    static int step(int i) {
        if (isPrime(i) == 1) {
            return power(i, 2);
        }
        return digits(i * 37) + gcd(i, 12);
    }
    static int isPrime(int n) {
        if (n < 2) {
            return 0;
        }
        for (int d = 2; d * d <= n; d++) {
            if (n % d == 0) {
                return 0;
            }
        }
        return 1;
    }
    static int power(int base, int exponent) {
        if (exponent == 0) {
            return 1;
        }
        int half = power(base, exponent / 2);
        int result = half * half;
        if (exponent % 2 == 1) {
            result = result * base;
        }
        return result;
    }
    static int digits(int n) {
        int sum = 0;
        while (n > 0) {
            sum += n % 10;
            n /= 10;
        }
        return sum;
    }
    static int gcd(int a, int b) {
        while (b != 0) {
            int rest = a % b;
            a = b;
            b = rest;
        }
        return a;
    }
    static int calendar(int n) {
        int sum = 0;
        for (int year = 1998; year < 1998 + n; year++) {
            sum += daysOf(year);
        }
        return sum % 7;
    }
    static int daysOf(int year) {
        int days = 0;
        for (int month = 1; month <= 12; month++) {
            days += daysIn(month, year);
        }
        return days;
    }
    static int daysIn(int month, int year) {
        switch (month) {
            case 2:
                return 28 + leap(year);
            case 4:
            case 6:
            case 9:
            case 11:
                return 30;
            default:
                return 31;
        }
    }
    static int leap(int year) {
        if (year % 400 == 0) {
            return 1;
        }
        if (year % 100 == 0) {
            return 0;
        }
        return year % 4 == 0 ? 1 : 0;
    }
    static int numbers(int n) {
        int sum = 0;
        for (int k = 0; k <= n && k < 6; k++) {
            sum += binomial(5, k) * fibonacci(k);
        }
        return sum + collatz(n + 6, 0);
    }
    static int binomial(int n, int k) {
        if (k == 0 || k == n) {
            return 1;
        }
        return binomial(n - 1, k - 1) + binomial(n - 1, k);
    }
    static int fibonacci(int n) {
        int a = 0;
        int b = 1;
        for (int i = 0; i < n; i++) {
            int next = a + b;
            a = b;
            b = next;
        }
        return a;
    }
    static int collatz(int n, int steps) {
        if (n <= 1) {
            return steps;
        }
        return collatz(half(n), steps + 1);
    }
    static int half(int n) {
        if (n % 2 == 0) {
            return n / 2;
        }
        return (3 * n + 1) / 2;
    }
}
";

/// What is right, and what stands there instead.
const MUTANTS: &[(&str, &str)] = &[
    ("total += step(i)", "total = step(i)"),
    (
        "i <= n; i++) {\n            total",
        "i < n; i++) {\n            total",
    ),
    ("power(i, 2)", "power(i, 3)"),
    ("digits(i * 37) + gcd(i, 12)", "digits(i * 37) - gcd(i, 12)"),
    ("if (n < 2)", "if (n < 3)"),
    ("d * d <= n", "d * d < n"),
    ("if (n % d == 0)", "if (n % d == 1)"),
    (
        "if (exponent == 0) {\n            return 1",
        "if (exponent == 0) {\n            return 2",
    ),
    ("result = result * base", "result = result + base"),
    ("exponent % 2 == 1", "exponent % 2 == 0"),
    ("sum += n % 10", "sum = n % 10"),
    ("while (n > 0)", "while (n > 9)"),
    ("int rest = a % b", "int rest = a % (b + 1) % b"),
    (
        "return a;\n    }\n    static int calendar",
        "return b;\n    }\n    static int calendar",
    ),
    ("year < 1998 + n", "year < 1997 + n"),
    ("month <= 12", "month < 12"),
    ("28 + leap(year)", "29 - leap(year)"),
    (
        "case 11:\n                return 30",
        "case 12:\n                return 30",
    ),
    (
        "default:\n                return 31",
        "default:\n                return 32",
    ),
    (
        "year % 400 == 0) {\n            return 1",
        "year % 400 == 0) {\n            return 0",
    ),
    ("year % 100 == 0", "year % 50 == 0"),
    ("year % 4 == 0 ? 1 : 0", "year % 4 == 1 ? 1 : 0"),
    ("* fibonacci(k)", "+ fibonacci(k)"),
    ("k < 6", "k < 5"),
    (
        "binomial(n - 1, k - 1) + binomial(n - 1, k)",
        "binomial(n - 1, k - 1) + binomial(n - 1, k) + k / 3",
    ),
    ("k == 0 || k == n", "k == 0 || k == n || k == 2"),
    ("int b = 1", "int b = 2"),
    ("b = next", "b = next + a / 5"),
    ("return steps;", "return steps + n;"),
    ("steps + 1)", "steps + 2)"),
    ("return n / 2", "return n / 2 - n / 20"),
    ("(3 * n + 1) / 2", "(3 * n + 1) / 4"),
];

struct Recorded {
    _folder: tempfile::TempDir,
    _catalogue: Catalogue,
    recording: Arc<Recording>,
}

fn record(class: &ClassFile, work: impl FnOnce(&mut Machine<'_>)) -> Recorded {
    let classes = vec![class.clone()];
    let folder = tempfile::tempdir().expect("a temporary folder");
    let catalogue =
        Catalogue::open(folder.path(), StoreOptions::default()).expect("a new data folder");
    let options = RecordingOptions {
        level: Level::Full,
        ..RecordingOptions::default()
    };
    let (recording, mut writer) = catalogue.create(None, options).expect("a recording");
    work(&mut Machine::new(&mut writer, classes));
    writer
        .finish(State::Complete { exit_code: Some(0) })
        .expect("can be closed");
    Recorded {
        recording,
        _folder: folder,
        _catalogue: catalogue,
    }
}

/// A recording as a tree.
struct Tree<'a>(&'a Recording);

impl ComputationTree for Tree<'_> {
    type Error = jhyde_store::Error;

    fn is_live(&self) -> Result<bool, Self::Error> {
        Ok(false)
    }

    fn threads(&self) -> Result<Vec<(ThreadId, u64)>, Self::Error> {
        Ok(vec![(ThreadId(1), self.0.root(ThreadId(1))?.calls)])
    }

    fn calls(
        &self,
        thread: ThreadId,
        preorders: std::ops::Range<u64>,
        visit: &mut dyn FnMut(CallFacts),
    ) -> Result<(), Self::Error> {
        for record in self.0.preorder(thread, preorders) {
            let record = record?;
            visit(CallFacts {
                subtree: record.size,
                enter: record.enter,
                method: record.method,
                boundary: record.boundary,
                complete: record.exit.is_some(),
                lost: false,
            });
        }
        Ok(())
    }

    fn class_of(&self, _: MethodId) -> Result<Option<ClassId>, Self::Error> {
        Ok(None)
    }
}

/// Of each call of a recording: its method, its arguments, its result.
fn calls(recording: &Recording) -> Vec<(CallId, String, Vec<i32>, i32)> {
    let int = |value: &Value| match value {
        Value::Int(value) => *value,
        other => panic!("{other:?} is no int"),
    };
    let all = recording.preorder(ThreadId(1), 1..u64::MAX);
    all.map(|record| {
        let record = record.expect("a call");
        let method = recording
            .method(record.method)
            .expect("can be read")
            .expect("is known");
        let given = recording.arguments(&record).expect("can be read").arguments;
        let Some(Outcome::Returned(Some(result))) =
            recording.outcome(&record).expect("can be read")
        else {
            panic!("every method returns an int")
        };
        let name = method.method().name.clone();
        (
            record.id,
            name,
            given.iter().map(int).collect(),
            int(&result),
        )
    })
    .collect()
}

/// How many questions until the buggy call is found.
fn questions(
    strategy: Strategy,
    valid_calls: ValidCalls,
    forest: &Forest,
    coverage: &dyn Coverage,
    wrong: &HashMap<CallId, bool>,
) -> usize {
    let mut answers = Answers::default();
    for asked in 0.. {
        let suspicious = Suspicious::after(forest, &answers, None);
        match suspicious.end() {
            Some(End::Found(found)) => {
                assert!(wrong[found]);
                return asked;
            }
            Some(other) => panic!("{strategy} ended with {other:?}"),
            None => {}
        }
        let chosen = choose(strategy, forest, &suspicious, Some(coverage), valid_calls);
        let call = chosen
            .expect("has coverage")
            .expect("some call is unanswered");
        let answer = if wrong[&call] {
            Answer::Invalid
        } else {
            Answer::Valid
        };
        answers.give(Given { call, answer }, None);
    }
    unreachable!("a search ends")
}

#[test]
fn counting_the_calls_inside_too_asks_less() {
    const RUN: i32 = 14;
    let coverage_of = |recorded: &Recorded| {
        let mut coverage = RecordedCoverage::default();
        let never = std::sync::atomic::AtomicBool::new(false);
        let read = coverage.refresh(&recorded.recording, &never);
        assert!(read.expect("can be read").is_continue());
        coverage
    };
    // All of them in one file, each a class of its own.
    let mut source = RIGHT.to_owned();
    for (number, (right, wrong)) in MUTANTS.iter().enumerate() {
        assert_eq!(RIGHT.matches(right).count(), 1, "{right}");
        let class = RIGHT.replace(right, wrong);
        source.push_str(&class.replace("class Test", &format!("class Mutant{number}")));
    }
    let classes = compile("Test.java", &source, &["-g"]);
    let class = |name: &str| {
        let found = classes.iter().find(|class| class.name == name);
        found.expect("was compiled")
    };
    let mut sums: HashMap<(Strategy, ValidCalls), usize> = HashMap::new();
    let mut tree_sizes = Vec::new();
    let mut truth: HashMap<(String, Vec<i32>), Option<Value>> = HashMap::new();
    // The unchanged program says for each call what is right.
    let _oracle = record(class("Test"), |oracle| {
        for number in 0..MUTANTS.len() {
            let mutant = record(class(&format!("Mutant{number}")), |machine| {
                machine.call("run", &[RUN]);
            });
            let made = calls(&mutant.recording);
            let mut wrong = HashMap::new();
            for (id, name, given, result) in &made {
                let key = (name.clone(), given.clone());
                let expected = *truth.entry(key).or_insert_with(|| oracle.call(name, given));
                wrong.insert(*id, expected != Some(Value::Int(*result)));
            }
            if !wrong[&made[0].0] {
                // It does not show in the result: nobody would search.
                continue;
            }
            tree_sizes.push(made.len());
            let forest = Forest::read(&Tree(&mutant.recording)).expect("can be read");
            let coverage = coverage_of(&mutant);
            for strategy in Strategy::ALL {
                for valid_calls in [ValidCalls::Answered, ValidCalls::WithInside] {
                    let asked = questions(strategy, valid_calls, &forest, &coverage, &wrong);
                    *sums.entry((strategy, valid_calls)).or_default() += asked;
                }
            }
        }
    });
    assert!(
        tree_sizes.len() > 20,
        "{} of the mutants show",
        tree_sizes.len()
    );
    let mutants = tree_sizes.len() as f64;
    let calls = tree_sizes.iter().sum::<usize>() as f64 / mutants;
    println!("{mutants} mutants, {calls:.0} calls each; questions per search:");
    let mut both = [0, 0];
    for strategy in Strategy::ALL {
        let of = |valid_calls| sums[&(strategy, valid_calls)];
        let (answered, inside) = (of(ValidCalls::Answered), of(ValidCalls::WithInside));
        println!(
            "{strategy:28} answered {:5.2}   with inside {:5.2}",
            answered as f64 / mutants,
            inside as f64 / mutants
        );
        if strategy.needs_coverage() {
            both[0] += answered;
            both[1] += inside;
        }
    }
    let by_halves = sums[&(Strategy::DivideAndQuery, ValidCalls::Answered)];
    let edges = Strategy::Coverage(Rule::Halving, Entities::Edges);
    assert!(sums[&(Strategy::TopDown, ValidCalls::Answered)] > by_halves);
    assert!(sums[&(edges, ValidCalls::Answered)] <= by_halves + tree_sizes.len());
    // What the documentation says of the two.
    assert!(
        both[1] < both[0],
        "counting those inside too no longer asks less: {both:?}"
    );
}
