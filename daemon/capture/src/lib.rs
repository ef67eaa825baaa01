//! Attaches to JVMs and turns what happens there into events.
