//! How the store works, for a whole data folder.

/// How the store works, for a whole data folder.
#[derive(Clone, Debug)]
pub struct StoreOptions {
    /// Memory for all recordings of the daemon together: block cache, write buffers, decoded
    /// blocks, index builders. Bytes; at least 64 MiB, default 512 MiB.
    pub memory_bytes: u64,
    /// Events per block; also the unit in which decoding costs. Default 4096; 64 to 65535.
    pub block_events: u32,
    /// What is appended is on its way to the disk after at most this long. Milliseconds, default 200.
    pub flush_ms: u64,
    /// Blocks whose index is written together, and merged by eights later. More make queries a little
    /// faster and take more memory while recording. Default 256; 2 to 4096.
    pub group_blocks: u32,
    /// Finished recordings that stay open after everybody has let go of them, so that the next
    /// question need not open them again. Each holds some files and a few bytes per block. Default 8.
    pub kept_open: usize,
    /// The clock on the wall: milliseconds since 1970-01-01 UTC. It may jump, in either direction: the times
    /// of a recording's events never go back. Default the system's.
    pub clock: fn() -> u64,
    /// Do not take the writer's lock: nothing can be created, changed or deleted.
    pub read_only: bool,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self {
            memory_bytes: 512 << 20,
            block_events: 4096,
            flush_ms: 200,
            group_blocks: 256,
            kept_open: 8,
            clock: crate::folder::now_ms,
            read_only: false,
        }
    }
}
