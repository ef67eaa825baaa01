//! Reading a recording from one file, without believing any of it.

use std::fs::{self, File};
use std::io::{self, Read, Write as _};
use std::path::Path;

use lz4_flex::frame::FrameDecoder;

use super::{
    HEAD, MAGIC, MANIFEST, MAX_TEXT, META, Manifest, ManifestFile, Progress, VERSION, split,
};
use crate::error::{Error, Result};
use crate::folder::{self, FolderMeta, io_error};

/// Reads a recording: its files go to `folder`, an empty one, except for what it says of itself, which is
/// returned. When this fails the folder may hold anything.
pub(crate) fn read(
    mut input: impl Read,
    origin: &Path,
    folder: &Path,
    progress: Progress<'_>,
) -> Result<FolderMeta> {
    let bad = |reason: &str| Error::BadArchive {
        path: origin.to_owned(),
        reason: reason.to_owned(),
    };
    let broken = |error: io::Error| bad(&error.to_string());
    let total = read_head(&mut input, origin)?;
    let mut tar = tar::Archive::new(FrameDecoder::new(input));
    let mut files: Vec<ManifestFile> = Vec::new();
    let mut meta = None;
    let mut manifest: Option<Manifest> = None;
    let mut done = 0;
    let parts = [
        folder::database(folder),
        folder::sessions(folder),
        folder::sources(folder),
    ];
    for part in parts {
        fs::create_dir(&part).map_err(|error| io_error("making", &part, &error))?;
    }
    // Raw: what would give an entry another name or meaning is an entry of its own, and refused.
    for entry in tar.entries().map_err(broken)?.raw(true) {
        let mut entry = entry.map_err(broken)?;
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        if entry.header().entry_type() != tar::EntryType::Regular {
            return Err(bad(&format!("'{name}' in it is not a plain file")));
        }
        if manifest.is_some() {
            return Err(bad(&format!("'{name}' stands behind its end")));
        }
        let size = entry.header().size().map_err(broken)?;
        match (name.as_str(), split(&name)) {
            (META, _) if meta.is_none() && size <= MAX_TEXT => {
                let mut text = Vec::new();
                entry.read_to_end(&mut text).map_err(broken)?;
                meta = Some(folder::parse_meta(&text, origin)?);
            }
            (MANIFEST, _) if size <= MAX_TEXT => {
                let mut text = String::new();
                entry.read_to_string(&mut text).map_err(broken)?;
                let parsed = serde_json::from_str(&text);
                manifest = Some(parsed.map_err(|error| bad(&error.to_string()))?);
            }
            (_, Some((part, file))) => {
                if size > total - done {
                    return Err(bad("it holds more than it announces"));
                }
                let path = folder.join(part).join(file);
                let crc32 = extract(&mut entry, &path, origin, &mut |copied| {
                    progress(done + copied, total)
                })?;
                done += size;
                files.push(ManifestFile {
                    name,
                    bytes: size,
                    crc32,
                });
            }
            _ => return Err(bad(&format!("'{name}' is no part of a recording"))),
        }
    }
    let manifest = manifest.ok_or_else(|| bad("it is cut"))?;
    // The end of the frame, with the checksum over all.
    let mut frame = tar.into_inner();
    io::copy(&mut frame, &mut io::sink()).map_err(broken)?;
    if frame.into_inner().read(&mut [0]).map_err(broken)? != 0 {
        return Err(bad("something stands behind its end"));
    }
    if files != manifest.files || done != total {
        let odd = files.iter().zip(&manifest.files).find(|(a, b)| a != b);
        let odd = odd.map_or_else(|| "a file".to_owned(), |(a, _)| format!("'{}'", a.name));
        return Err(bad(&format!("{odd} is not as its list of files says")));
    }
    meta.ok_or_else(|| bad("it has no recording.json"))
}

/// Returns the bytes that are announced.
fn read_head(input: &mut impl Read, origin: &Path) -> Result<u64> {
    let bad = |reason: &str| Error::BadArchive {
        path: origin.to_owned(),
        reason: reason.to_owned(),
    };
    let mut head = [0; HEAD];
    let mut read = 0;
    while read < HEAD {
        match input.read(&mut head[read..]) {
            Ok(0) => break,
            Ok(n) => read += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(io_error("reading", origin, &error)),
        }
    }
    if !head.starts_with(&MAGIC) {
        return Err(bad("it does not begin like one"));
    }
    let number =
        |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    if read >= 12 && number(8) > VERSION {
        return Err(Error::UnknownVersion {
            what: origin.display().to_string(),
            found: number(8),
            known: VERSION,
        });
    }
    if read < HEAD {
        return Err(bad("it is cut"));
    }
    if number(20) != crc32fast::hash(&head[..20]) {
        return Err(bad("the checksum of its head does not fit"));
    }
    Ok(u64::from(number(12)) | u64::from(number(16)) << 32)
}

/// Writes one file and returns its checksum.
fn extract(
    from: &mut impl Read,
    path: &Path,
    origin: &Path,
    progress: &mut dyn FnMut(u64) -> bool,
) -> Result<u32> {
    let failed = |error: io::Error| io_error("writing", path, &error);
    let mut out = File::create_new(path).map_err(failed)?;
    let mut crc32 = crc32fast::Hasher::new();
    let mut copied = 0;
    let mut buffer = vec![0; 1 << 18];
    loop {
        if !progress(copied) {
            return Err(Error::Cancelled("the import"));
        }
        let read = match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                return Err(Error::BadArchive {
                    path: origin.to_owned(),
                    reason: error.to_string(),
                });
            }
        };
        let bytes = buffer.get(..read).unwrap_or_default();
        crc32.update(bytes);
        out.write_all(bytes).map_err(failed)?;
        copied += read as u64;
    }
    out.sync_all().map_err(failed)?;
    Ok(crc32.finalize())
}
