//! Fuzzes a run of the index.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| jhyde_store::fuzzing::decode_postings(data));
