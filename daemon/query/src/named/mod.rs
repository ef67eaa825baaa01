//! The queries, by what they are about.
//!
//! Questions to be answered by yes or no (`yes_no`) go by three rules. "Yes" needs something that is told for certain.
//! "No" needs that nothing was found, and that nothing of its kind can have gone unseen: no gap, no lower level, no damage,
//! and the end of the run if the question reaches so far. Anything else is "cannot be told", with the reason.

pub(crate) mod calls;
pub(crate) mod executed;
pub(crate) mod fields;
pub(crate) mod histories;
pub(crate) mod instances;
pub(crate) mod objects;
mod reached;
pub(crate) mod thrown;
mod writes;
pub(crate) mod yes_no;
