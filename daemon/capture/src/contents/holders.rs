//! Which objects may hold others that nobody sees: those of the JDK that hold something and are no container that is told, such as a
//! `CompletableFuture`, a `ThreadLocal` or a `WeakReference`. A function of the JDK that is run over such a one (`List::clear`) may change what no
//! walk over what is known would find.
//!
//! What is not named here is taken for such a holder: a class that is forgotten costs contents that are "not recorded", not false ones.

use jhyde_trace::{ObjectId, Value};
use rustc_hash::FxHashSet;

use super::Contents;
use crate::mirror::Heap;
use crate::program::Program;

/// These objects, what they hold, arrays among them, and what that holds. An error, with what was found so far: it is not known what one of them
/// holds, or there are more than `most`.
pub(crate) fn held_by(
    contents: &Contents,
    heap: &Heap,
    program: &Program,
    mut all: Vec<ObjectId>,
    most: usize,
) -> Result<Vec<ObjectId>, Vec<ObjectId>> {
    let mut known: FxHashSet<ObjectId> = all.iter().copied().collect();
    let mut next = 0;
    while let Some(&object) = all.get(next) {
        next += 1;
        let held = holds(contents, heap, program, object);
        let Some(held) = held.filter(|_| all.len() <= most) else {
            return Err(all);
        };
        let held = contents.behind(&held);
        all.extend(held.into_iter().filter(|&held| known.insert(held)));
    }
    Ok(all)
}

/// The objects that an object holds, one of the JDK or an array; nothing if that is not known.
fn holds(
    contents: &Contents,
    heap: &Heap,
    program: &Program,
    object: ObjectId,
) -> Option<Vec<ObjectId>> {
    if let Some(container) = contents.get(object) {
        let objects = container.items().map(|items| {
            let values = items.values().into_iter();
            values.filter_map(Value::object).collect()
        });
        return objects.or_else(|| container.shape.holds_no_others().then(Vec::new));
    }
    if let Some(elements) = heap.elements(object) {
        let values = elements.references();
        return Some(values.filter_map(|value| value.object()).collect());
    }
    let class = program.outside_above(heap.class(object)?)?;
    (!keeps_unseen(&class)).then(Vec::new)
}

/// May an object of this class, a dotted name of one out of the scope, hold objects that nobody sees? Not asked of what is told: containers,
/// and arrays that are known.
fn keeps_unseen(class: &str) -> bool {
    let class = class.trim_end_matches("[]");
    // What they captured is followed from where they were made.
    if class.contains("$$Lambda") {
        return false;
    }
    let (package, name) = class.rsplit_once('.').unwrap_or(("", class));
    let outer = name.split_once('$').map_or(name, |(outer, _)| outer);
    match package {
        "java.lang" => matches!(
            outer,
            "ThreadLocal" | "InheritableThreadLocal" | "ClassValue" | "ScopedValue"
        ),
        // A stream goes through what it was made of; what is put into these two is theirs.
        "java.util.stream" => keeps_elements(name),
        "java.util.concurrent.atomic" => {
            name.contains("Reference") && !name.contains("FieldUpdater")
        }
        "java.util" => {
            !HOLDS_NONE.contains(&outer)
                && !goes_through(name)
                && !name.starts_with("Collections$ReverseComparator")
        }
        "java.util.concurrent" => !HOLDS_NONE_CONCURRENT.contains(&outer) && !goes_through(name),
        _ => !PACKAGES.iter().any(|begins| {
            let below = package.strip_prefix(begins);
            below.is_some_and(|below| below.is_empty() || below.starts_with('.'))
        }),
    }
}

/// Iterators, spliterators and enumerations: what they go through is followed from where they were made.
fn goes_through(name: &str) -> bool {
    let ends = [
        "Itr",
        "Iterator",
        "Spliterator",
        "Enumeration",
        "Enumerator",
    ];
    ends.iter().any(|end| name.ends_with(end)) || name.starts_with("Spliterators$")
}

fn keeps_elements(name: &str) -> bool {
    ["Streams$", "SpinedBuffer", "Nodes$", "Collectors$Partition"]
        .iter()
        .any(|begins| name.starts_with(begins))
}

/// Packages, with those below, whose objects hold texts, numbers and times, and nothing that a program gave them which has contents.
const PACKAGES: &[&str] = &[
    "java.io",
    "java.lang.constant",
    "java.lang.module",
    "java.math",
    "java.net",
    "java.nio",
    "java.security",
    "java.text",
    "java.time",
    "java.util.concurrent.locks",
    "java.util.function",
    "java.util.random",
    "java.util.regex",
    "java.util.zip",
    "sun.nio",
];

/// Classes of `java.util` of which the same is so, and comparators, which hold functions that are followed from where they were made.
const HOLDS_NONE: &[&str] = &[
    "Base64",
    "BitSet",
    "Calendar",
    "Comparators",
    "Currency",
    "Date",
    "DoubleSummaryStatistics",
    "Formatter",
    "GregorianCalendar",
    "HexFormat",
    "IntSummaryStatistics",
    "Locale",
    "LongSummaryStatistics",
    "OptionalDouble",
    "OptionalInt",
    "OptionalLong",
    "Random",
    "Scanner",
    "SimpleTimeZone",
    "SplittableRandom",
    "StringJoiner",
    "StringTokenizer",
    "TimeZone",
    "UUID",
];

/// Likewise of `java.util.concurrent`.
const HOLDS_NONE_CONCURRENT: &[&str] = &[
    "CountDownLatch",
    "CyclicBarrier",
    "Phaser",
    "Semaphore",
    "ThreadLocalRandom",
    "TimeUnit",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_hold_others_unseen_is_known_by_its_class() {
        let holders = [
            "java.lang.ThreadLocal",
            "java.lang.ThreadLocal$SuppliedThreadLocal",
            "java.lang.ref.WeakReference",
            "java.util.Timer",
            "java.util.WeakHashMap$Entry",
            "java.util.concurrent.CompletableFuture",
            "java.util.concurrent.ThreadPoolExecutor",
            "java.util.concurrent.atomic.AtomicReferenceArray",
            "java.util.stream.Collectors$Partition",
            "java.util.stream.Streams$StreamBuilderImpl",
            "javax.swing.DefaultListModel",
            "org.foo.Box",
            "org.foo.Box[]",
        ];
        for class in holders {
            assert!(keeps_unseen(class), "{class}");
        }
        let others = [
            "java.lang.String",
            "java.lang.IllegalStateException",
            "java.io.PrintStream",
            "java.math.BigDecimal",
            "java.nio.charset.CharsetEncoder",
            "java.time.LocalDate",
            "java.util.ArrayList$Itr",
            "java.util.Comparators$NaturalOrderComparator",
            "java.util.Random",
            "java.util.concurrent.atomic.LongAdder",
            "java.util.concurrent.locks.ReentrantLock",
            "java.util.function.Function$$Lambda/0x01",
            "java.util.stream.Collectors$CollectorImpl",
            "java.util.stream.ReferencePipeline$Head",
            "org.foo.Box$$Lambda/0x02",
        ];
        for class in others {
            assert!(!keeps_unseen(class), "{class}");
        }
    }
}
