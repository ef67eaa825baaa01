//! Memory of this process, for benches: resident bytes, as Linux tells them.

/// Resident bytes of the process, at most since they were last forgotten.
///
/// # Panics
/// Where Linux does not tell.
pub fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux tells it");
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().nth(1));
    number
        .and_then(|number| number.parse::<u64>().ok())
        .expect("kilobytes")
        << 10
}

/// Forgets how many there were.
///
/// # Panics
/// Where Linux does not let it.
pub fn forget_peak() {
    std::fs::write("/proc/self/clear_refs", "5").expect("Linux lets it be forgotten");
}
