//! Code out of the scope, and what it does to what the scope can see: boundary calls, what they are shown and given, what
//! they wrote, and what is changed later, or by others at the same time.
//!
//! - `before`: where threads stop for calls out of the scope; `boundary`: these calls; `handed`: what they are given;
//!   `foreign`: fields of classes out of the scope.
//! - `compare`: what they did, `races`: whether they did it or another thread.
//! - `aliases`, `libraries`, `refresh`, `gone`: what code out of the scope has, and changes later.

pub(in crate::events) mod aliases;
pub(in crate::events) mod before;
pub(in crate::events) mod boundary;
pub(in crate::events) mod compare;
pub(in crate::events) mod foreign;
pub(in crate::events) mod gone;
pub(in crate::events) mod handed;
pub(in crate::events) mod libraries;
pub(in crate::events) mod races;
pub(in crate::events) mod refresh;
