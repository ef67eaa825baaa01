//! What end-to-end tests and benchmarks share: the JDKs of the machine, the Java programs compiled with
//! each, the real `jhyded` and `jhyde`, and a data folder of one's own. The tests are in `tests/`, the
//! benchmark in `benches/`, the Java side in `java/`. Nothing of jhyde is linked in: all goes through
//! the two binaries, as it does for people.
//!
//! What is missing is an error that says how to get it, never a test that is left out.

#![forbid(unsafe_code)]

pub mod compiled;
pub mod cut;
pub mod generate;
pub mod jdk;
pub mod peak;
pub mod person;
pub mod programs;
pub mod same;
pub mod scraped;
pub mod session;
pub mod terminal;
pub mod ticker;
pub mod till;
pub mod tools;
pub mod waits;

pub use jdk::{Jdk, jdks};
pub use tools::{Folder, Run};
