//! Fuzzes a text of SQL with functions, macros and modules.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| jhyde_query::sql::fuzzing::go_through_script(data));
