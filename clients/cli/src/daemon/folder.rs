//! Which data folder: the flag, then what the daemon's own configuration would say. A client and a
//! `jhyded` that are told nothing mean the same folder.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use jhyde_proto::endpoint::default_data_folder;
use serde::Deserialize;

use crate::error::Error;

/// The one key of the daemon's configuration that a client has to know.
#[derive(Deserialize)]
struct Configuration {
    data: Option<PathBuf>,
}

/// The data folder, absolute.
///
/// # Errors
/// When a configuration file is there and cannot be read.
pub fn data_folder(named: Option<&Path>) -> Result<PathBuf, Error> {
    let here = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    if let Some(folder) = named.filter(|folder| !folder.as_os_str().is_empty()) {
        return Ok(here(&with_home(folder)));
    }
    // The user's file is stronger than the machine's, as in the daemon.
    for file in configuration_files() {
        if let Some(folder) = configured(&file)? {
            return Ok(here(&folder));
        }
    }
    Ok(here(&default_data_folder()))
}

/// Has this user chosen a folder, by the flag, the environment or a configuration of its own?
///
/// # Errors
/// As [`data_folder`].
pub(super) fn is_chosen(named: Option<&Path>) -> Result<bool, Error> {
    let is_given = |word: &std::ffi::OsStr| !word.is_empty();
    let named = named.is_some_and(|folder| is_given(folder.as_os_str()));
    if named || env::var_os("JHYDE_DATA").is_some_and(|folder| is_given(&folder)) {
        return Ok(true);
    }
    match user_file() {
        Some(file) => Ok(configured(&file)?.is_some()),
        None => Ok(false),
    }
}

fn configuration_files() -> impl Iterator<Item = PathBuf> {
    user_file()
        .into_iter()
        .chain([PathBuf::from("/etc/jhyde/jhyded.toml")])
}

fn user_file() -> Option<PathBuf> {
    env::var_os("XDG_CONFIG_HOME")
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
        .or_else(|| env::var_os("HOME").map(|home| Path::new(&home).join(".config")))
        .map(|folder| folder.join("jhyde/jhyded.toml"))
}

/// What this file says of the data folder; relative paths mean the file's own folder.
fn configured(file: &Path) -> Result<Option<PathBuf>, Error> {
    let failed = |reason: String| Error::Config {
        path: file.to_owned(),
        reason,
    };
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error.to_string())),
    };
    let configuration: Configuration =
        toml::from_str(&text).map_err(|error| failed(error.message().to_owned()))?;
    Ok(configuration.data.map(|folder| {
        let folder = with_home(&folder);
        file.parent()
            .map_or_else(|| folder.clone(), |base| base.join(&folder))
    }))
}

fn with_home(path: &Path) -> PathBuf {
    match (path.strip_prefix("~"), env::var_os("HOME")) {
        (Ok(rest), Some(home)) => Path::new(&home).join(rest),
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_names_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("jhyded.toml");
        assert_eq!(configured(&file).unwrap(), None);
        fs::write(&file, "memory = \"1GB\"\n[log]\nformat = \"json\"\n").unwrap();
        assert_eq!(configured(&file).unwrap(), None);
        fs::write(&file, "data = \"/var/lib/jhyde\"\n").unwrap();
        assert_eq!(configured(&file).unwrap(), Some("/var/lib/jhyde".into()));
        fs::write(&file, "data = \"recordings\"\n").unwrap();
        assert_eq!(
            configured(&file).unwrap(),
            Some(folder.path().join("recordings"))
        );
    }

    #[test]
    fn a_broken_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("jhyded.toml");
        fs::write(&file, "data = [").unwrap();
        let error = configured(&file).unwrap_err().to_string();
        assert!(
            error.contains("jhyded.toml") && error.contains("--data"),
            "{error}"
        );
    }

    #[test]
    fn the_flag_is_strongest_and_made_absolute() {
        let folder = data_folder(Some(Path::new("some/where"))).unwrap();
        assert!(folder.is_absolute() && folder.ends_with("some/where"));
    }
}
