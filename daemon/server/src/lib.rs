//! The gRPC services, the configuration and the binary jhyded.
