//! Access flags of classes and members as class files and JDWP tell them (JVMS 4.1, 4.5, 4.6).

pub(crate) const PUBLIC: u32 = 0x0001;
pub(crate) const PRIVATE: u32 = 0x0002;
pub(crate) const PROTECTED: u32 = 0x0004;
pub(crate) const STATIC: u32 = 0x0008;
pub(crate) const FINAL: u32 = 0x0010;
pub(crate) const SYNCHRONIZED: u32 = 0x0020;
pub(crate) const VOLATILE: u32 = 0x0040;
pub(crate) const NATIVE: u32 = 0x0100;
pub(crate) const INTERFACE: u32 = 0x0200;
pub(crate) const ABSTRACT: u32 = 0x0400;
pub(crate) const SYNTHETIC: u32 = 0x1000;
pub(crate) const ENUM: u32 = 0x4000;

/// All that a field may have, and all that a method may: JVMs say some of their own besides (HotSpot 17: that a field has a generic type).
pub(crate) const OF_FIELDS: u32 = 0x50df;
pub(crate) const OF_METHODS: u32 = 0x1dff;
