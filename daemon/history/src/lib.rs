//! Questions about the past of a recording.
