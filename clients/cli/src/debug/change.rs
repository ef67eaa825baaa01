//! `--changed`: a diff from a file, or from git.

use std::path::Path;
use std::process::Command;

use jhyde_proto::v1::Change;

use crate::error::Error;

/// What a range of commits, or a file with a unified diff, says was changed. git is asked in `folder`.
pub(super) fn of(text: &str, folder: &Path, only: bool) -> Result<Change, Error> {
    let file = Path::new(text);
    let diff = match file.is_file() {
        true => std::fs::read(file)
            .map_err(|error| Error::Usage(format!("{text} cannot be read: {error}")))?,
        false => asked(text, folder)?,
    };
    let diff = String::from_utf8_lossy(&diff).into_owned();
    if diff.trim().is_empty() {
        return Err(Error::Usage(format!(
            "--changed {text}: nothing was changed"
        )));
    }
    Ok(Change {
        from: text.to_owned(),
        diff,
        only,
    })
}

fn asked(range: &str, folder: &Path) -> Result<Vec<u8>, Error> {
    let refused = |told: &str| {
        Error::Usage(format!(
            "--changed {range}: it is neither a file with a diff nor a range that git knows in {}: {told}",
            folder.display()
        ))
    };
    if range.starts_with('-') {
        return Err(refused("a range does not begin with -"));
    }
    let done = Command::new("git")
        .arg("-C")
        .arg(folder)
        // Whatever the user's settings make of diffs for people.
        .args(["diff", "--no-color", "--no-ext-diff", "--unified=3", range])
        .arg("--")
        .output()
        .map_err(|error| refused(&format!("git cannot be started ({error})")))?;
    match done.status.success() {
        true => Ok(done.stdout),
        false => {
            let told = String::from_utf8_lossy(&done.stderr);
            let told = told.lines().next().unwrap_or("git says nothing");
            Err(refused(told.trim_start_matches("fatal: ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_neither_file_nor_range_says_so() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("none.diff");
        std::fs::write(&file, "\n").expect("it is written");
        let of = |text: &str| of(text, folder.path(), false).unwrap_err().to_string();
        assert!(of(&file.display().to_string()).ends_with("nothing was changed"));
        assert!(of("no-such..range").contains("neither a file with a diff nor a range"));
        assert!(of("--output=x").contains("does not begin with -"));
    }
}
