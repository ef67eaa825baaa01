//! Recordings on disk: blocks, indexes and the catalogue, in RocksDB.
