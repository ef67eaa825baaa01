//! Questions about the past of a recording (design, section 4).
//!
//! Everything is a method of [`History`], which is a recording and what is needed to speak of it in the
//! words of its source: names, types, places. In reading order:
//! - [`history`]: the type itself; calls, values and places in words ([`view`]); `code`: places and declarations
//!   that are known by number;
//! - [`mod@reference`] and [`variables`]: how people and scripts name calls and variables;
//! - [`tree`], [`events`], [`writes`], [`navigate`], [`exceptions`],
//!   [`escapes`], [`exits`], [`gap_list`], [`tables`], [`find`]: lists and steps;
//! - [`lines`]: which lines a call ran, and how often;
//! - [`objects`], [`state`], [`statics`], [`reach`], [`input_output`]: what variables held at a time; `gaps`, `doubt`: and what
//!   is not known of that; [`end`]: what comes behind the end of a recording is not known either;
//! - [`mod@slice`]: what a value came from; [`content`]: calls without the numbers of their run, to be compared;
//! - [`java`]: a call as a test; `plain_arrays`: long arrays that lead nowhere;
//! - [`exact`] and [`certain`]: values for those who compute with them, and until when nothing is missing;
//! - `snapshots`: what level `calls` knows of objects;
//! - `contents`: what objects of the JDK held; `values`: values in words;
//! - [`page`]: pages and their tokens.
//!
//! What the level of a recording leaves out is said to be missing, never shown as unchanged. Nothing here
//! writes, is async, or knows of gRPC; every method may read from the disk.

#![forbid(unsafe_code)]

mod as_told;
pub mod certain;
mod code;
pub mod content;
mod contents;
mod deadline;
mod doubt;
pub mod end;
pub mod error;
pub mod escapes;
pub mod events;
pub mod exact;
pub mod exceptions;
pub mod exits;
pub mod find;
pub mod gap_list;
mod gaps;
pub mod history;
pub mod input_output;
pub mod java;
mod levels;
pub mod lines;
pub mod navigate;
pub mod objects;
pub mod page;
mod path;
mod place;
mod plain_arrays;
pub mod reach;
pub mod reference;
pub mod slice;
mod snapshots;
pub mod state;
pub mod statics;
pub mod tables;
pub mod text;
mod throwables;
pub mod tree;
mod values;
pub mod variables;
pub mod view;
pub mod writes;

pub use error::{Error, Result};
pub use history::History;
