//! End-to-end tests against real JVMs, fixtures and benchmarks.
