//! The Java Debug Wire Protocol: every command, event and error as a type, a codec without I/O and a tokio client.
