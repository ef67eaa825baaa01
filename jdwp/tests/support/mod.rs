//! What the tests against real JVMs share: finding JDKs, compiling the fixture, running it under
//! the debug agent. They fail loudly where there is no JDK.
#![allow(dead_code, reason = "each test binary uses a part of this")]
#![allow(unreachable_pub, reason = "test binaries export nothing")]

pub mod jdks;
pub mod jvm;
pub mod peer;
pub mod proxy;
pub mod tour;
pub mod transcript;
