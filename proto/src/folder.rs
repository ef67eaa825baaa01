//! Whose a data folder is. What is recorded may be secret, and whoever can write in a folder can put a socket or links
//! there: client and daemon use none that belongs to another user.

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use thiserror::Error;

/// The superuser: whoever cannot trust it cannot trust the machine.
const ROOT: u32 = 0;

/// A folder that is not used.
#[derive(Debug, Error)]
pub enum FolderError {
    /// It is another user's.
    #[error(
        "the folder {} belongs to user {owner}, and this is user {user}: other users' folders are not used; \
         name one of your own (--data), or have this one given to you (chown)",
        .folder.display()
    )]
    Foreign {
        /// The folder.
        folder: PathBuf,
        /// Whose it is.
        owner: u32,
        /// Who we are.
        user: u32,
    },
    /// Others can write in it.
    #[error(
        "other users can write in the folder {}: what is recorded would not be safe there; name one of your own \
         (--data), or take that permission away (chmod go-w)",
        .0.display()
    )]
    Shared(PathBuf),
    /// It cannot be made, or not be looked at.
    #[error("the folder {} cannot be used: {source}", .folder.display())]
    Unusable {
        /// The folder.
        folder: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// The user as whom this process acts.
pub fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Makes sure that the folder, if there is one, is nobody else's, and closes it to others.
///
/// # Errors
/// It is another user's, others can write in it, it is no folder, or it cannot be looked at.
pub fn secure(folder: &Path) -> Result<(), FolderError> {
    let unusable = |source| FolderError::Unusable {
        folder: folder.to_owned(),
        source,
    };
    let found = match fs::metadata(folder) {
        Ok(found) if found.is_dir() => found,
        Ok(_) => return Err(unusable(io::ErrorKind::NotADirectory.into())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(unusable(error)),
    };
    let (owner, user) = (found.uid(), user());
    if owner != user && owner != ROOT {
        return Err(FolderError::Foreign {
            folder: folder.to_owned(),
            owner,
            user,
        });
    }
    let mode = found.permissions().mode() & 0o7777;
    let closed = mode & 0o700;
    let may_close = owner == user && (is_data_folder(folder) || is_empty(folder));
    let open = if mode == closed || !may_close {
        mode
    } else {
        match fs::set_permissions(folder, Permissions::from_mode(closed)) {
            Ok(()) => closed,
            // Nobody writes there.
            Err(error) if error.kind() == io::ErrorKind::ReadOnlyFilesystem => closed,
            Err(_) => mode,
        }
    };
    if open & WRITTEN_BY_OTHERS != 0 {
        return Err(FolderError::Shared(folder.to_owned()));
    }
    Ok(())
}

/// Others' permissions to write.
const WRITTEN_BY_OTHERS: u32 = 0o022;

fn is_data_folder(folder: &Path) -> bool {
    folder.join("recordings").is_dir()
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}

/// Makes the folder where it is not there: this user's alone, whatever the umask.
///
/// # Errors
/// See [`secure`]; or it cannot be made.
pub fn make(folder: &Path) -> Result<(), FolderError> {
    let unusable = |source| FolderError::Unusable {
        folder: folder.to_owned(),
        source,
    };
    if !folder.exists() {
        if let Some(parent) = folder.parent() {
            let parents = DirBuilder::new().recursive(true).mode(0o700).create(parent);
            parents.map_err(unusable)?;
        }
        match DirBuilder::new().mode(0o700).create(folder) {
            Ok(()) => {
                // A umask may take permissions from the user, too.
                let own = Permissions::from_mode(0o700);
                fs::set_permissions(folder, own).map_err(unusable)?;
            }
            // Somebody else was faster: who?
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(unusable(error)),
        }
    }
    secure(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn a_folder_is_made_and_closed_to_others() {
        let outer = tempfile::tempdir().unwrap();
        let fresh = outer.path().join("a/b");
        make(&fresh).unwrap();
        assert_eq!(mode(&fresh), 0o700);
        let open = outer.path().join("open");
        fs::create_dir(&open).unwrap();
        fs::set_permissions(&open, Permissions::from_mode(0o777)).unwrap();
        make(&open).unwrap();
        assert_eq!(mode(&open), 0o700);
        // One that its owner has made read-only stays so.
        fs::set_permissions(&open, Permissions::from_mode(0o555)).unwrap();
        make(&open).unwrap();
        assert_eq!(mode(&open), 0o500);
    }

    #[test]
    fn a_folder_that_is_something_else_is_left_as_it_is() {
        let outer = tempfile::tempdir().unwrap();
        fs::write(outer.path().join("letter"), "").unwrap();
        fs::set_permissions(outer.path(), Permissions::from_mode(0o755)).unwrap();
        secure(outer.path()).unwrap();
        assert_eq!(mode(outer.path()), 0o755);
        fs::set_permissions(outer.path(), Permissions::from_mode(0o1777)).unwrap();
        let error = secure(outer.path()).unwrap_err();
        assert!(matches!(error, FolderError::Shared(_)), "{error}");
        assert_eq!(mode(outer.path()), 0o1777);
        fs::create_dir(outer.path().join("recordings")).unwrap();
        secure(outer.path()).unwrap();
        assert_eq!(mode(outer.path()), 0o700);
    }

    #[test]
    fn no_folder() {
        let outer = tempfile::tempdir().unwrap();
        let file = outer.path().join("file");
        fs::write(&file, "").unwrap();
        let error = make(&file).unwrap_err().to_string();
        assert!(
            error.contains("file") && error.contains("not a directory"),
            "{error}"
        );
    }

    #[test]
    fn another_users_folder() {
        let outer = tempfile::tempdir().unwrap();
        let (owner, user) = match user() {
            // The superuser can give it away.
            ROOT => {
                std::os::unix::fs::chown(outer.path(), Some(12_345), None).unwrap();
                (12_345, ROOT)
            }
            user => {
                let error = FolderError::Foreign {
                    folder: outer.path().to_owned(),
                    owner: user + 1,
                    user,
                };
                assert!(error.to_string().contains(&(user + 1).to_string()));
                return;
            }
        };
        let error = secure(outer.path()).unwrap_err();
        assert!(
            matches!(error, FolderError::Foreign { owner: o, user: u, .. } if (o, u) == (owner, user)),
            "{error}"
        );
    }
}
