//! The public API jhyde.v1, compiled.
