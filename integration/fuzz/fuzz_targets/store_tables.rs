//! Fuzzes classes and threads.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| jhyde_store::fuzzing::decode_tables(data));
