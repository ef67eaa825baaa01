//! The gRPC services. Generated types stop here: nothing below knows them.

pub mod status;
