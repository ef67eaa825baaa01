//! Programs made at random that tell what they do, recorded and compared: see `integration/GENERATOR.md`.
//!
//! A program is a tree of texts ([`node`]) that is printed twice: plainly, to be recorded, and with statements that
//! tell each write, branch, call, throw and catch, to be run without jhyde. What the second one tells ([`log`]) and
//! what the recording of the first one tells ([`recorded`]) are compared in order ([`compare`]). [`program`] makes
//! a program from a seed, of [`expressions`], [`statements`], [`methods`] and [`features`]; [`group`] compiles, runs
//! and records many in one JVM; [`shrink`] makes a program that fails small.

pub mod bench;
pub mod compare;
pub mod event;
pub mod expressions;
pub mod features;
pub mod group;
pub mod javap;
pub mod log;
pub mod maker;
pub mod methods;
pub mod node;
pub mod program;
pub mod random;
pub mod recorded;
pub mod shrink;
pub mod statements;
pub mod types;

pub use program::Program;
