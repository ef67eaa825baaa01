//! How a client says who it is: a token, from a file or the environment, as a header of every call.
//!
//! Never from the command line, which every user of a machine can see.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use thiserror::Error;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::Channel;
use tonic::{Request, Status};

use crate::folder::user;

/// Names a file with a token.
pub const FILE_VARIABLE: &str = "JHYDE_TOKEN_FILE";
/// Holds a token.
pub const VARIABLE: &str = "JHYDE_TOKEN";

/// A connection on which every call says who it is from.
pub type Connection = InterceptedService<Channel, Bearer>;

/// There is no token to be had.
#[derive(Debug, Error)]
pub enum TokenError {
    /// Others may read it.
    #[error(
        "other users can read or write the token in {}: it is not used; close it (chmod 600), and if one of them may have \
         read it, have it revoked",
        .0.display()
    )]
    Open(PathBuf),
    /// It is another user's.
    #[error("the token in {} belongs to user {owner}, and this is user {user}: it is not used", .path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// Whose it is.
        owner: u32,
        /// Who we are.
        user: u32,
    },
    /// It cannot be read.
    #[error("cannot read the token in {}: {source}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// What is there is none. It is not shown.
    #[error(
        "what stands in {0} is no token: one is a single word, as jhyded token create prints it"
    )]
    Malformed(String),
}

/// Puts a token, if there is one, into every call.
#[derive(Clone, Debug, Default)]
pub struct Bearer(Option<MetadataValue<Ascii>>);

impl Bearer {
    /// Calls say nothing.
    pub fn none() -> Self {
        Self(None)
    }

    /// Is there a token?
    pub fn has_token(&self) -> bool {
        self.0.is_some()
    }

    /// The token of this file; else of the file that `JHYDE_TOKEN_FILE` names, else the one in `JHYDE_TOKEN`, else none.
    ///
    /// # Errors
    /// What was named is not to be used.
    pub fn find(file: Option<&Path>) -> Result<Self, TokenError> {
        let given = |name| env::var_os(name).filter(|value| !value.is_empty());
        if let Some(file) = file {
            return Self::of_file(file);
        }
        if let Some(file) = given(FILE_VARIABLE) {
            return Self::of_file(Path::new(&file));
        }
        match given(VARIABLE) {
            Some(token) => Self::of_text(&token.to_string_lossy(), VARIABLE),
            None => Ok(Self::none()),
        }
    }

    fn of_file(path: &Path) -> Result<Self, TokenError> {
        let unreadable = |source| TokenError::Unreadable {
            path: path.to_owned(),
            source,
        };
        let file = fs::File::open(path).map_err(unreadable)?;
        let found = file.metadata().map_err(unreadable)?;
        // Pipes (`<(pass show …)`) have no one else to read them.
        if found.is_file() {
            let user = user();
            if found.uid() != user && found.uid() != 0 {
                return Err(TokenError::Foreign {
                    path: path.to_owned(),
                    owner: found.uid(),
                    user,
                });
            }
            if found.mode() & 0o077 != 0 {
                return Err(TokenError::Open(path.to_owned()));
            }
        }
        let text = io::read_to_string(file).map_err(unreadable)?;
        Self::of_text(&text, &path.display().to_string())
    }

    fn of_text(text: &str, from: &str) -> Result<Self, TokenError> {
        let token = text.trim();
        let is_word = !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic());
        let header = is_word.then(|| MetadataValue::try_from(format!("Bearer {token}")));
        match header {
            Some(Ok(mut header)) => {
                // Kept out of logs and of HTTP/2's tables.
                header.set_sensitive(true);
                Ok(Self(Some(header)))
            }
            _ => Err(TokenError::Malformed(from.to_owned())),
        }
    }
}

impl Interceptor for Bearer {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(header) = &self.0 {
            let metadata = request.metadata_mut();
            metadata.insert("authorization", header.clone());
        }
        Ok(request)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_token_is_one_word_of_a_file_that_nobody_else_can_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("token");
        let with = |text: &str, mode: u32| {
            fs::write(&file, text).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
            Bearer::find(Some(&file))
        };
        let mut bearer = with("jhyde_12\n", 0o600).unwrap();
        let request = bearer.call(Request::new(())).unwrap();
        let header = request.metadata().get("authorization").unwrap();
        assert!(header.is_sensitive() && header == "Bearer jhyde_12");
        assert!(!format!("{bearer:?}").contains("jhyde_12"));
        for mode in [0o640, 0o604, 0o602] {
            let refused = with("jhyde_12", mode).unwrap_err();
            assert!(matches!(refused, TokenError::Open(_)), "{refused}");
        }
        for text in ["", " \n", "two words", "é"] {
            let refused = with(text, 0o600).unwrap_err();
            assert!(matches!(refused, TokenError::Malformed(_)), "{text}");
        }
        fs::remove_file(&file).unwrap();
        let refused = Bearer::find(Some(&file)).unwrap_err();
        assert!(
            matches!(refused, TokenError::Unreadable { .. }),
            "{refused}"
        );
    }
}
