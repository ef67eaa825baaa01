//! Runs the entry point `command` of `jdwp/tests/harness` under libFuzzer.
#![no_main]

#[path = "../../../jdwp/tests/harness/mod.rs"]
#[allow(dead_code, reason = "each target uses one entry point of the harness")]
mod harness;

libfuzzer_sys::fuzz_target!(|data: &[u8]| harness::command(data));
