//! Writing a recording as one file.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use lz4_flex::frame::{BlockMode, BlockSize, FrameEncoder, FrameInfo};

use super::{MANIFEST, META, Manifest, ManifestFile, Progress, head, split};
use crate::error::{Error, Result};
use crate::folder::{FolderMeta, io_error};

/// Writes a file that is there, complete and on the disk, or not at all. Returns its bytes.
pub(crate) fn write_file(
    to: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> Result<()>,
) -> Result<u64> {
    let mut part = to.as_os_str().to_owned();
    part.push(".part");
    let part = PathBuf::from(part);
    let file = File::create(&part).map_err(|error| io_error("writing", &part, &error))?;
    let mut out = BufWriter::with_capacity(1 << 20, file);
    let written = write(&mut out).and_then(|()| {
        let finish = || -> io::Result<u64> {
            let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.sync_all()?;
            fs::rename(&part, to)?;
            Ok(file.metadata()?.len())
        };
        finish().map_err(|error| io_error("writing", to, &error))
    });
    if written.is_err() {
        // It is of no use to anybody; where it cannot be deleted its name says so.
        let _ = fs::remove_file(&part);
    }
    written
}

/// Writes a recording whose database does not change meanwhile.
pub(crate) fn write(
    mut out: impl Write,
    meta: &FolderMeta,
    folder: &Path,
    progress: Progress<'_>,
) -> Result<()> {
    let mut files = files_of(folder, "db")?;
    files.extend(files_of(folder, "sessions")?);
    files.extend(files_of(folder, "sources")?);
    let total = files.iter().map(|file| file.1).sum();
    let failed = |error: io::Error| io_error("writing the export of", folder, &error);
    out.write_all(&head(total)).map_err(failed)?;
    let frame = FrameInfo::new()
        .block_mode(BlockMode::Independent)
        .block_size(BlockSize::Max1MB)
        .block_checksums(true)
        .content_checksum(true);
    let mut tar = tar::Builder::new(FrameEncoder::with_frame_info(frame, out));
    let text = meta.text().map_err(failed)?;
    append(&mut tar, META, text.len() as u64, text.as_bytes()).map_err(failed)?;
    let mut manifest = Manifest { files: Vec::new() };
    let mut done = 0;
    for (name, bytes) in files {
        let path = folder.join(&name);
        let file = File::open(&path).map_err(|error| io_error("reading", &path, &error))?;
        let mut told = Told {
            input: file,
            crc32: crc32fast::Hasher::new(),
            done,
            total,
            progress,
            cancelled: false,
        };
        let appended = append(&mut tar, &name, bytes, &mut told);
        if told.cancelled {
            return Err(Error::Cancelled("the export"));
        }
        appended.map_err(failed)?;
        if told.done - done != bytes {
            let reason = io::Error::other("it changed while it was being read");
            return Err(io_error("reading", &path, &reason));
        }
        done = told.done;
        let crc32 = told.crc32.finalize();
        manifest.files.push(ManifestFile { name, bytes, crc32 });
    }
    let text = serde_json::to_vec_pretty(&manifest).map_err(|e| failed(e.into()))?;
    append(&mut tar, MANIFEST, text.len() as u64, text.as_slice()).map_err(failed)?;
    let frame = tar.into_inner().map_err(failed)?;
    let mut out = frame.finish().map_err(|error| failed(error.into()))?;
    out.flush().map_err(failed)
}

/// The files of one of its folders, with their sizes, by name. A folder need not be there.
fn files_of(recording: &Path, folder: &str) -> Result<Vec<(String, u64)>> {
    let path = recording.join(folder);
    let failed = |error: io::Error| io_error("reading", &path, &error);
    let mut files = Vec::new();
    let entries = match fs::read_dir(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(files),
        entries => entries.map_err(failed)?,
    };
    for entry in entries {
        let entry = entry.map_err(failed)?;
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        let name = format!("{folder}/{name}");
        let meta = entry.metadata().map_err(failed)?;
        if meta.is_file() && split(&name).is_some() {
            files.push((name, meta.len()));
        }
    }
    files.sort();
    Ok(files)
}

fn append(
    tar: &mut tar::Builder<impl Write>,
    name: &str,
    bytes: u64,
    content: impl Read,
) -> io::Result<()> {
    let mut header = tar::Header::new_ustar();
    header.set_path(name)?;
    header.set_size(bytes);
    header.set_mode(0o644);
    header.set_cksum();
    tar.append(&header, content.take(bytes))
}

/// Reads, and tells how far it is.
struct Told<'a, R> {
    input: R,
    crc32: crc32fast::Hasher,
    done: u64,
    total: u64,
    progress: &'a mut dyn FnMut(u64, u64) -> bool,
    cancelled: bool,
}

impl<R: Read> Read for Told<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(into)?;
        self.crc32.update(into.get(..read).unwrap_or_default());
        self.done += read as u64;
        if !(self.progress)(self.done, self.total) {
            self.cancelled = true;
            return Err(io::Error::other("cancelled"));
        }
        Ok(read)
    }
}
