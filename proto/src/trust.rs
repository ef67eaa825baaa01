//! Over TLS: whose certificates a client trusts, and the one that it shows itself.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

use thiserror::Error;
use tonic::transport::{Certificate, ClientTlsConfig, Identity};

/// Where a certificate begins in PEM.
const CERTIFICATE: &str = "-----BEGIN CERTIFICATE-----";
/// Where a key ends its first line in PEM: `PRIVATE KEY`, `EC PRIVATE KEY`, `RSA PRIVATE KEY`.
const KEY: &str = "PRIVATE KEY-----";

/// A file that TLS cannot be spoken with.
#[derive(Debug, Error)]
pub enum TrustError {
    /// It cannot be read.
    #[error("cannot read {}: {source}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// It is something else.
    #[error("{} has no {what} in PEM ({wanted})", .path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is missing.
        what: &'static str,
        /// What the line looks like that is looked for.
        wanted: &'static str,
    },
    /// Others may read the key in it.
    #[error(
        "other users can read or write the key in {0}: it is not used; close it (chmod 600 {0}), and if one of them may \
         have read it, have the certificate made anew"
    )]
    Open(PathBuf),
}

/// See the module. By default: who is trusted on this machine, and no certificate of one's own.
#[derive(Clone, Default)]
pub struct Trust {
    authority: Option<Certificate>,
    identity: Option<Identity>,
}

impl std::fmt::Debug for Trust {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // A key is nobody's business.
        f.debug_struct("Trust")
            .field("authority", &self.authority.is_some())
            .field("identity", &self.identity.is_some())
            .finish()
    }
}

impl Trust {
    /// With the CA of this file alone (else those that the system trusts), and the certificate and key of that one.
    ///
    /// # Errors
    /// [`TrustError`]: a file cannot be used.
    pub fn of_files(authority: Option<&Path>, identity: Option<&Path>) -> Result<Self, TrustError> {
        let authority = authority.map(|path| {
            let text = read(path, false)?;
            has(path, &text, "certificate", CERTIFICATE)?;
            Ok(Certificate::from_pem(text))
        });
        let identity = identity.map(|path| {
            let text = read(path, true)?;
            has(path, &text, "certificate", CERTIFICATE)?;
            has(path, &text, "private key", KEY)?;
            Ok(Identity::from_pem(&text, &text))
        });
        Ok(Self {
            authority: authority.transpose()?,
            identity: identity.transpose()?,
        })
    }

    /// As the transport wants it.
    pub(crate) fn config(&self) -> ClientTlsConfig {
        let config = ClientTlsConfig::new();
        let config = match &self.authority {
            // Who names a CA means that one: another that the system trusts must not stand in for it.
            Some(authority) => config.ca_certificate(authority.clone()),
            None => config.with_native_roots(),
        };
        match &self.identity {
            Some(identity) => config.identity(identity.clone()),
            None => config,
        }
    }
}

fn read(path: &Path, is_secret: bool) -> Result<String, TrustError> {
    let unreadable = |source| TrustError::Unreadable {
        path: path.to_owned(),
        source,
    };
    let file = fs::File::open(path).map_err(unreadable)?;
    let found = file.metadata().map_err(unreadable)?;
    // Pipes (`<(pass show …)`) have no one else to read them.
    if is_secret && found.is_file() && found.mode() & 0o077 != 0 {
        return Err(TrustError::Open(path.to_owned()));
    }
    io::read_to_string(file).map_err(unreadable)
}

fn has(
    path: &Path,
    text: &str,
    what: &'static str,
    wanted: &'static str,
) -> Result<(), TrustError> {
    match text.contains(wanted) {
        true => Ok(()),
        false => Err(TrustError::Malformed {
            path: path.to_owned(),
            what,
            wanted,
        }),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn files_are_looked_at_before_they_are_used() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.pem");
        let with = |text: &str, mode| {
            fs::write(&file, text).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        };
        with("-----BEGIN CERTIFICATE-----\n", 0o644);
        Trust::of_files(Some(&file), None).unwrap();
        let open = Trust::of_files(None, Some(&file)).unwrap_err();
        assert!(open.to_string().contains("chmod 600"), "{open}");
        with("-----BEGIN CERTIFICATE-----\n", 0o600);
        let keyless = Trust::of_files(None, Some(&file)).unwrap_err();
        assert!(keyless.to_string().contains("private key"), "{keyless}");
        with("hello", 0o600);
        for (authority, identity) in [(Some(&*file), None), (None, Some(&*file))] {
            let none = Trust::of_files(authority, identity).unwrap_err();
            assert!(none.to_string().contains("no certificate"), "{none}");
        }
        let missing = Trust::of_files(Some(Path::new("/none.pem")), None).unwrap_err();
        assert!(missing.to_string().contains("/none.pem"), "{missing}");
    }
}
