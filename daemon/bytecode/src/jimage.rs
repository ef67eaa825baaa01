//! The `lib/modules` file of a JDK 9 or later (the "jimage" format, version 1.0): the classes of all
//! its modules in one file. The tables are read once, contents one by one; numbers in the file have
//! the byte order of the machine that it was made for, which its first word tells.
//!
//! Read: files of the JDK, and of `jlink` with or without `--compress=zip`. The old `--compress=1`
//! (constant sharing) is refused by name.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use flate2::read::ZlibDecoder;

use crate::class_path::{ClassPathError, MAX_CLASS_BYTES};

const MAGIC: u32 = 0xcafe_dada;
const HEADER_BYTES: usize = 28;
const COMPRESSED_MAGIC: u32 = 0xcafe_fafa;
const COMPRESSED_HEADER_BYTES: usize = 29;

/// An open `lib/modules` file.
#[derive(Debug)]
pub(crate) struct Jimage {
    path: PathBuf,
    file: File,
    order: Order,
    /// Where contents start, in bytes from the file's start.
    contents: u64,
    strings: Vec<u8>,
    /// Class name in internal form to its place. `module-info` classes are under
    /// `module/module-info`, as there is one per module.
    classes: HashMap<String, Place>,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    /// From `contents`.
    offset: u64,
    /// Bytes in the file, or 0 where it is not compressed.
    compressed: u64,
    /// Bytes of the class.
    size: u64,
}

#[derive(Clone, Copy, Debug)]
enum Order {
    Little,
    Big,
}

impl Order {
    fn u32(self, bytes: &[u8], at: usize) -> Option<u32> {
        let word = *bytes.get(at..)?.first_chunk::<4>()?;
        Some(match self {
            Self::Little => u32::from_le_bytes(word),
            Self::Big => u32::from_be_bytes(word),
        })
    }

    fn u64(self, bytes: &[u8], at: usize) -> Option<u64> {
        let word = *bytes.get(at..)?.first_chunk::<8>()?;
        Some(match self {
            Self::Little => u64::from_le_bytes(word),
            Self::Big => u64::from_be_bytes(word),
        })
    }
}

impl Jimage {
    pub(crate) fn open(path: &Path) -> Result<Self, ClassPathError> {
        let io = |error| ClassPathError::Io {
            path: path.to_owned(),
            error,
        };
        let damaged = |what: &str| ClassPathError::Jimage {
            path: path.to_owned(),
            what: what.to_owned(),
        };
        let file = File::open(path).map_err(io)?;
        let file_length = file.metadata().map_err(io)?.len();
        let mut header = [0; HEADER_BYTES];
        file.read_exact_at(&mut header, 0)
            .map_err(|_| damaged("shorter than a header"))?;
        let order = [Order::Little, Order::Big]
            .into_iter()
            .find(|order| order.u32(&header, 0) == Some(MAGIC))
            .ok_or_else(|| damaged("it does not start with 0xcafedada"))?;
        let field = |at| order.u32(&header, at).unwrap_or_default();
        let version = field(4);
        if version != 1 << 16 {
            let (major, minor) = (version >> 16, version & 0xffff);
            return Err(damaged(&format!("version {major}.{minor}, known is 1.0")));
        }
        let (entries, locations, strings) =
            (field(16) as usize, field(20) as usize, field(24) as usize);
        let tables = entries as u64 * 8 + locations as u64 + strings as u64;
        let contents = HEADER_BYTES as u64 + tables;
        if contents > file_length {
            return Err(damaged("its tables are longer than the file"));
        }
        // The first `entries` words are a hash table, which listing everything does not need.
        let mut index = vec![0; tables as usize];
        file.read_exact_at(&mut index, HEADER_BYTES as u64)
            .map_err(io)?;
        let offsets = index.get(entries * 4..entries * 8).unwrap_or_default();
        let attributes = index
            .get(entries * 8..entries * 8 + locations)
            .unwrap_or_default();
        let strings = index.get(entries * 8 + locations..).unwrap_or_default();

        let mut classes = HashMap::with_capacity(entries);
        for entry in 0..entries {
            let start = order.u32(offsets, entry * 4).unwrap_or_default() as usize;
            let location = read_location(attributes.get(start..).unwrap_or_default());
            let text = |kind: usize| string_at(strings, location[kind]);
            let (Some(module), Some(parent), Some(base), Some(extension)) =
                (text(1), text(2), text(3), text(4))
            else {
                return Err(damaged("a location names strings that are not there"));
            };
            if extension != "class" || module.is_empty() {
                continue;
            }
            let name = match (base.as_str(), parent.as_str()) {
                ("module-info", _) => format!("{module}/module-info"),
                (_, "") => base,
                _ => format!("{parent}/{base}"),
            };
            let place = Place {
                offset: location[5],
                compressed: location[6],
                size: location[7],
            };
            let stored = if place.compressed == 0 {
                place.size
            } else {
                place.compressed
            };
            let end = contents
                .checked_add(place.offset)
                .and_then(|at| at.checked_add(stored));
            if end.is_none_or(|end| end > file_length) {
                return Err(damaged(&format!("{name} lies behind the end of the file")));
            }
            classes.insert(name, place);
        }
        let strings = strings.to_vec();
        Ok(Self {
            path: path.to_owned(),
            file,
            order,
            contents,
            strings,
            classes,
        })
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.classes.keys().map(String::as_str)
    }

    pub(crate) fn read(&self, name: &str) -> Result<Option<Vec<u8>>, ClassPathError> {
        let Some(place) = self.classes.get(name) else {
            return Ok(None);
        };
        let size = place.size.max(place.compressed);
        if size > MAX_CLASS_BYTES {
            return Err(ClassPathError::TooLarge {
                name: name.to_owned(),
                bytes: size,
            });
        }
        let stored = if place.compressed == 0 {
            place.size
        } else {
            place.compressed
        };
        let mut bytes = vec![0; stored as usize];
        self.file
            .read_exact_at(&mut bytes, self.contents + place.offset)
            .map_err(|error| ClassPathError::Io {
                path: self.path.clone(),
                error,
            })?;
        if place.compressed != 0 {
            bytes = self.decompress(name, bytes)?;
        }
        if bytes.len() as u64 != place.size {
            return Err(self.damaged(format!("{name} has another length than its location says")));
        }
        Ok(Some(bytes))
    }

    /// Contents may be compressed several times over; each layer has a header.
    fn decompress(&self, name: &str, mut bytes: Vec<u8>) -> Result<Vec<u8>, ClassPathError> {
        while self.order.u32(&bytes, 0) == Some(COMPRESSED_MAGIC) {
            let broken = || self.damaged(format!("{name} has a broken compression header"));
            let size = self.order.u64(&bytes, 12).ok_or_else(broken)?;
            let method = self.order.u32(&bytes, 20).ok_or_else(broken)?;
            let method = string_at(&self.strings, u64::from(method)).ok_or_else(broken)?;
            let body = bytes.get(COMPRESSED_HEADER_BYTES..).ok_or_else(broken)?;
            if method != "zip" {
                let what = format!("{name} is compressed by `{method}`, only `zip` is known");
                return Err(self.damaged(what));
            }
            if size > MAX_CLASS_BYTES {
                return Err(ClassPathError::TooLarge {
                    name: name.to_owned(),
                    bytes: size,
                });
            }
            let mut plain = Vec::with_capacity(size as usize);
            ZlibDecoder::new(body)
                .take(size)
                .read_to_end(&mut plain)
                .map_err(|error| ClassPathError::Io {
                    path: self.path.clone(),
                    error,
                })?;
            bytes = plain;
        }
        Ok(bytes)
    }

    fn damaged(&self, what: String) -> ClassPathError {
        ClassPathError::Jimage {
            path: self.path.clone(),
            what,
        }
    }
}

/// The attributes of a location by kind (1 module, 2 parent, 3 base, 4 extension, 5 offset,
/// 6 compressed size, 7 size); absent ones are 0, as the format has it.
fn read_location(mut bytes: &[u8]) -> [u64; 8] {
    let mut values = [0; 8];
    while let Some((head, rest)) = bytes.split_first() {
        let (kind, length) = (usize::from(head >> 3), usize::from(head & 7) + 1);
        let (Some(slot), Some(value)) = (values.get_mut(kind), rest.get(..length)) else {
            break;
        };
        if kind == 0 {
            break;
        }
        *slot = value
            .iter()
            .fold(0, |number, byte| number << 8 | u64::from(*byte));
        bytes = rest.get(length..).unwrap_or_default();
    }
    values
}

fn string_at(strings: &[u8], offset: u64) -> Option<String> {
    let rest = strings.get(usize::try_from(offset).ok()?..)?;
    let end = rest.iter().position(|byte| *byte == 0)?;
    Some(crate::mutf8::decode(rest.get(..end)?).0)
}

#[cfg(test)]
#[path = "jimage_tests.rs"]
mod tests;
