//! Fuzzes a run of objects.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| jhyde_store::fuzzing::decode_objects(data));
