//! The classes of the probe itself, under names that no recording before has used: a JVM that is recorded again has those of
//! the recordings before still, and code of the program that has not returned since may call them.

use jdwp::commands::virtual_machine;

use crate::error::CaptureError;
use crate::jvm::Link;

/// The class files: names and bytes. What a class needs stands before it.
const CLASSES: [(&str, &[u8]); 4] = [
    (
        "Identity$Other",
        include_bytes!(concat!(
            env!("OUT_DIR"),
            "/java/lang/JhydeIdentity$Other.class"
        )),
    ),
    (
        "Identity",
        include_bytes!(concat!(env!("OUT_DIR"), "/java/lang/JhydeIdentity.class")),
    ),
    (
        "Contents",
        include_bytes!(concat!(env!("OUT_DIR"), "/java/lang/JhydeContents.class")),
    ),
    (
        "Probe",
        include_bytes!(concat!(env!("OUT_DIR"), "/java/lang/JhydeProbe.class")),
    ),
];
/// The class that instrumented code calls, in a JVM that has had no recording before.
pub(super) const FIRST: &str = "java/lang/JhydeProbe";
/// What the names begin with in the class files.
const PREFIX: &str = "Jhyde";

/// How many recordings by the probe a JVM had before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OwnNames(u16);

impl OwnNames {
    /// The first that the JVM does not have.
    pub(crate) fn unused(link: &mut Link) -> Result<Self, CaptureError> {
        for names in (0..=u16::MAX).map(Self) {
            let signature = format!("L{};", names.probe()).as_str().into();
            let found = link.request(&virtual_machine::ClassesBySignature { signature })??;
            if found.is_empty() {
                return Ok(names);
            }
        }
        let reason = "it was recorded too often by the engine probe: use the engine events";
        Err(CaptureError::Unsupported(reason.into()))
    }

    /// As long as [`PREFIX`].
    fn prefix(self) -> String {
        match self.0 {
            0 => PREFIX.to_owned(),
            n => format!("J{n:04x}"),
        }
    }

    /// The class that instrumented code calls, as class files write it.
    pub(crate) fn probe(self) -> String {
        format!("java/lang/{}Probe", self.prefix())
    }

    /// Names with dots, and class files, in the order in which they are to be defined; the probe is the last.
    pub(crate) fn class_files(self) -> impl Iterator<Item = (String, Vec<u8>)> {
        let prefix = self.prefix();
        CLASSES.into_iter().map(move |(name, bytes)| {
            let name = format!("java.lang.{prefix}{name}");
            (name, renamed(bytes, &prefix))
        })
    }
}

/// A class file with other names of the same length: they stand in its texts and nowhere else.
fn renamed(bytes: &[u8], prefix: &str) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let mut at = 0;
    while let Some(rest) = bytes.get_mut(at..) {
        if rest.starts_with(PREFIX.as_bytes()) {
            rest[..PREFIX.len()].copy_from_slice(prefix.as_bytes());
        }
        at += 1;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use jhyde_bytecode::ClassFile;

    use super::*;

    #[test]
    fn each_recording_has_its_own() {
        for names in [0, 1, 0xffff].map(OwnNames) {
            for (name, bytes) in names.class_files() {
                let file = ClassFile::parse(bytes.clone()).expect("a class file");
                assert_eq!(file.name.replace('/', "."), name);
                let other = "Jhyde".as_bytes();
                let old = bytes.windows(other.len()).any(|text| text == other);
                assert_eq!(old, names.0 == 0, "{name}");
            }
            let (last, _) = names.class_files().last().expect("classes");
            assert_eq!(last.replace('.', "/"), names.probe());
        }
    }
}
