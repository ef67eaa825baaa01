//! Fuzzes events made of the bytes, encoded and decoded.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| jhyde_trace::fuzzing::encode_and_decode(data, 256));
