//! Runs the entry point `handshake` of `jdwp/tests/harness` under libFuzzer.
#![no_main]

#[path = "../../../jdwp/tests/harness/mod.rs"]
#[allow(dead_code, reason = "each target uses one entry point of the harness")]
mod harness;

libfuzzer_sys::fuzz_target!(|data: &[u8]| harness::handshake(data));
