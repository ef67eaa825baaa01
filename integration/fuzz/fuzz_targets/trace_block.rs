//! Fuzzes a block's bytes.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| jhyde_trace::fuzzing::decode_block(data));
