//! What is seen of the daemon from outside, by those who run it: metrics for Prometheus, and a file that says who did what.
//!
//! Every call is looked at in one place around the gates (`observed`), counted ([`metrics`]) and written down ([`audit`]).
//! What is not counted but looked up is looked up when somebody scrapes ([`now`]), at an address of its own (`scraped`).
//!
//! No label's value comes from a program or a client: methods are those of [`crate::access::table`], and all others are one;
//! codes are gRPC's, reasons those of [`metrics::REASONS`], states those of recordings.

pub mod audit;
pub mod metrics;
pub mod now;
pub(crate) mod observed;
pub(crate) mod scraped;

pub use audit::Audit;
pub use metrics::Metrics;

/// Where calls are counted and written down.
#[derive(Debug, Default)]
pub struct Seen {
    /// In numbers.
    pub metrics: Metrics,
    /// In words.
    pub audit: Audit,
}
