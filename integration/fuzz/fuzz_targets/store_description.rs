//! Fuzzes what a recording says of itself.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| jhyde_store::fuzzing::decode_description(data));
