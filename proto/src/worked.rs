//! How long the program's own threads have had a processor: against the clock, that is how much a recording slows them.

use std::fs;
use std::time::Duration;

/// Threads of the JVM itself, by the beginnings of their names (which the system cuts at 15 bytes).
const OF_THE_JVM: [&str; 18] = [
    "GC Thread",
    "G1 ",
    "Parallel",
    "ZWorker",
    "Shenandoah",
    "C1 Comp",
    "C2 Comp",
    "JVMCI",
    "VM ",
    "JDWP ",
    "Signal Disp",
    "Finalizer",
    "Reference Handl",
    "Service Thread",
    "Monitor Deflati",
    "Common-Cleaner",
    "Notification",
    "Sweeper",
];

/// See the module; of a process's threads that are there now. `None` where the system does not tell.
pub fn worked(pid: u32) -> Option<Duration> {
    let ticks_per_second = rustix::param::clock_ticks_per_second();
    let mut ticks = 0;
    for thread in fs::read_dir(format!("/proc/{pid}/task")).ok()?.flatten() {
        // A thread may end meanwhile.
        let Ok(stat) = fs::read_to_string(thread.path().join("stat")) else {
            continue;
        };
        ticks += own_ticks(&stat).unwrap_or(0);
    }
    let nanos = u128::from(ticks) * 1_000_000_000 / u128::from(ticks_per_second.max(1));
    Some(Duration::from_nanos(u64::try_from(nanos).ok()?))
}

/// Processor time of one thread in the system's ticks (proc_pid_stat(5), fields 14 and 15); nothing for the JVM's own.
fn own_ticks(stat: &str) -> Option<u64> {
    // The name stands in parentheses and may hold any.
    let (before, after) = stat.rsplit_once(')')?;
    let (_, name) = before.split_once('(')?;
    if OF_THE_JVM.iter().any(|start| name.starts_with(start)) {
        return None;
    }
    let mut times = after.split_whitespace().skip(11);
    let user: u64 = times.next()?.parse().ok()?;
    let system: u64 = times.next()?.parse().ok()?;
    Some(user + system)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_jvms_own_threads_do_not_count() {
        let stat = |name: &str| format!("7 ({name}) S 1 1 1 0 -1 0 10 0 0 0 250 30 0 0 20 0");
        assert_eq!(own_ticks(&stat("main")), Some(280));
        assert_eq!(own_ticks(&stat("a) b (")), Some(280));
        assert_eq!(own_ticks(&stat("C2 CompilerThre")), None);
        assert_eq!(own_ticks("nonsense"), None);
    }

    #[test]
    fn this_process_has_worked() {
        let mut sum = 0_u64;
        while worked(std::process::id()).is_some_and(|worked| worked.is_zero()) {
            sum = (0..1_000_000).fold(sum, |a, b| a.rotate_left(1) ^ b);
        }
        assert!(worked(std::process::id()).is_some(), "{sum}");
        assert_eq!(worked(u32::MAX), None);
    }
}
