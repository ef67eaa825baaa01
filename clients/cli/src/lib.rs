//! The command line client jhyde.
