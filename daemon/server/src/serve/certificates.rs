//! What TLS is served with: the files that the settings name, read as a whole or not at all, and read anew while the
//! daemon runs.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{SystemTime, UNIX_EPOCH};
use std::{fs, io};

use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use thiserror::Error;
use x509_parser::certificate::X509Certificate;
use x509_parser::prelude::FromDer as _;
use x509_parser::time::ASN1Time;

use crate::config::settings::TlsFiles;

/// What clients and we agree on (ALPN): gRPC is HTTP/2.
const HTTP2: &[u8] = b"h2";

/// Files that TLS cannot be served with.
#[derive(Debug, Error)]
pub enum TlsError {
    /// One setting needs another.
    #[error("{given} is set, and {missing} is not: TLS needs both")]
    Half {
        /// The setting that is there.
        given: &'static str,
        /// The one that is not.
        missing: &'static str,
    },
    /// Others may read the key.
    #[error(
        "other users can read or write the key {0}: it is not used; close it (chmod 600 {0}), and if one of them may have \
         read it, make another"
    )]
    Open(PathBuf),
    /// A file cannot be read.
    #[error("cannot read {path} ({setting}): {source}")]
    Unreadable {
        /// The setting that names it.
        setting: &'static str,
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A file is not what it should be.
    #[error("{path} ({setting}) is not usable: {reason}")]
    Malformed {
        /// The setting that names it.
        setting: &'static str,
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// Certificate and key are no pair.
    #[error(
        "the key {key} does not fit the certificate {certificate}: one of them was replaced without the other"
    )]
    NoPair {
        /// The certificate's file.
        certificate: PathBuf,
        /// The key's file.
        key: PathBuf,
    },
    /// The library refuses them.
    #[error("TLS cannot be served with the certificate {certificate}: {source}")]
    Refused {
        /// The certificate's file.
        certificate: PathBuf,
        /// Why.
        source: rustls::Error,
    },
}

/// The setting of the certificate.
const CERTIFICATE: &str = "listen.tls.certificate";
/// The setting of its key.
const KEY: &str = "listen.tls.key";
/// The setting of the authority whose certificates clients may have.
const CLIENT_CA: &str = "listen.tls.client_ca";

/// What TLS is served with now; another from the next connection on once it was changed.
pub struct Tls(RwLock<Certificates>);

/// What was read of the files: all that is needed to serve TLS.
#[derive(Clone)]
pub struct Certificates {
    config: Arc<ServerConfig>,
    /// When the server's certificate ends, in seconds since 1970.
    ends: i64,
    /// When the first of the clients' authorities does, where there are any.
    authority_ends: Option<i64>,
}

impl std::fmt::Debug for Certificates {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The key is nobody's business.
        f.write_str("Certificates")
    }
}

impl std::fmt::Debug for Tls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The key is nobody's business.
        f.write_str("Tls")
    }
}

impl Tls {
    /// With what was read.
    pub fn new(read: Certificates) -> Self {
        Self(RwLock::new(read))
    }

    /// From the next connection on with this.
    pub fn change(&self, read: Certificates) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = read;
    }

    pub(super) fn now(&self) -> Arc<ServerConfig> {
        let now = self.0.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&now.config)
    }

    /// When the server's certificate ends, and the first one of the clients' authorities, in seconds since 1970.
    pub(crate) fn ends(&self) -> (i64, Option<i64>) {
        let now = self.0.read().unwrap_or_else(PoisonError::into_inner);
        (now.ends, now.authority_ends)
    }
}

/// Reads all files that the settings name; `None` where they name none.
///
/// # Errors
/// [`TlsError`]: which file, and what is wrong with it.
pub fn read(files: &TlsFiles) -> Result<Option<Certificates>, TlsError> {
    let half = |given, missing| Err(TlsError::Half { given, missing });
    match (files.certificate(), files.key(), files.client_ca()) {
        (None, None, None) => Ok(None),
        (Some(_), None, _) => half(CERTIFICATE, KEY),
        (None, Some(_), _) => half(KEY, CERTIFICATE),
        (None, None, Some(_)) => half(CLIENT_CA, CERTIFICATE),
        (Some(certificate), Some(key), authority) => whole(certificate, key, authority).map(Some),
    }
}

fn whole(
    certificate: &Path,
    key: &Path,
    authority: Option<&Path>,
) -> Result<Certificates, TlsError> {
    let chain = certificates(CERTIFICATE, certificate)?;
    let private = private_key(key)?;
    let refused = |source| TlsError::Refused {
        certificate: certificate.to_owned(),
        source,
    };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(refused)?;
    let mut authority_ends = None;
    let builder = match authority {
        None => builder.with_no_client_auth(),
        Some(path) => {
            let roots = certificates(CLIENT_CA, path)?;
            let ends = roots.iter().map(|root| validity(CLIENT_CA, path, root));
            let ends = ends.collect::<Result<Vec<_>, _>>()?;
            authority_ends = ends.into_iter().map(|(_, ends)| ends).min();
            builder.with_client_cert_verifier(client_verifier(path, roots, provider)?)
        }
    };
    // A file without any was refused.
    let ends = match chain.first() {
        Some(first) => tell_validity(certificate, first)?,
        None => 0,
    };
    let config = builder.with_single_cert(chain, private);
    let mut config = config.map_err(|error| match error {
        rustls::Error::InconsistentKeys(_) => TlsError::NoPair {
            certificate: certificate.to_owned(),
            key: key.to_owned(),
        },
        source => refused(source),
    })?;
    config.alpn_protocols = vec![HTTP2.to_vec()];
    Ok(Certificates {
        config: Arc::new(config),
        ends,
        authority_ends,
    })
}

/// Certificates of this authority are looked at where a client has one. None is demanded: a token does, too.
fn client_verifier(
    path: &Path,
    authorities: Vec<CertificateDer<'static>>,
    provider: Arc<CryptoProvider>,
) -> Result<Arc<dyn rustls::server::danger::ClientCertVerifier>, TlsError> {
    let malformed = |reason: String| TlsError::Malformed {
        setting: CLIENT_CA,
        path: path.to_owned(),
        reason,
    };
    let mut roots = RootCertStore::empty();
    for root in authorities {
        roots
            .add(root)
            .map_err(|error| malformed(error.to_string()))?;
    }
    WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider)
        .allow_unauthenticated()
        .build()
        .map_err(|error| malformed(error.to_string()))
}

fn bytes(setting: &'static str, path: &Path) -> Result<Vec<u8>, TlsError> {
    fs::read(path).map_err(|source| TlsError::Unreadable {
        setting,
        path: path.to_owned(),
        source,
    })
}

fn certificates(
    setting: &'static str,
    path: &Path,
) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let malformed = |reason: String| TlsError::Malformed {
        setting,
        path: path.to_owned(),
        reason,
    };
    let bytes = bytes(setting, path)?;
    let all: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&bytes).collect();
    let all = all.map_err(|error| malformed(format!("{error}; is the file whole?")))?;
    match all.is_empty() {
        true => Err(malformed(
            "there is no certificate in PEM in it (-----BEGIN CERTIFICATE-----)".to_owned(),
        )),
        false => Ok(all),
    }
}

fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>, TlsError> {
    let unreadable = |source| TlsError::Unreadable {
        setting: KEY,
        path: path.to_owned(),
        source,
    };
    let mut file = fs::File::open(path).map_err(unreadable)?;
    let found = file.metadata().map_err(unreadable)?;
    if found.is_file() && found.mode() & 0o077 != 0 {
        return Err(TlsError::Open(path.to_owned()));
    }
    let mut bytes = Vec::new();
    io::Read::read_to_end(&mut file, &mut bytes).map_err(unreadable)?;
    PrivateKeyDer::from_pem_slice(&bytes).map_err(|error| TlsError::Malformed {
        setting: KEY,
        path: path.to_owned(),
        // The library's words name sections of the file, not what is in them.
        reason: format!(
            "there is no whole private key in PEM in it that is not encrypted (-----BEGIN PRIVATE KEY-----): {error}"
        ),
    })
}

/// Logs until when a certificate is good, and says it. One that is not good now is served nevertheless: who knows the daemon
/// by it can still tell what is wrong, and others reach it by the unix socket.
fn tell_validity(path: &Path, certificate: &CertificateDer<'_>) -> Result<i64, TlsError> {
    let (from, until) = validity(CERTIFICATE, path, certificate)?;
    let subject = subject(certificate);
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = i64::try_from(now.unwrap_or_default().as_secs()).unwrap_or(i64::MAX);
    let shown = |seconds| ASN1Time::from_timestamp(seconds).map(|time| time.to_string());
    let (begins, ends) = (
        shown(from).unwrap_or_default(),
        shown(until).unwrap_or_default(),
    );
    match from <= now && now <= until {
        true => {
            tracing::info!(%subject, from = %begins, until = %ends, "the certificate for TLS was read");
        }
        false => tracing::warn!(
            %subject, from = %begins, until = %ends,
            "the certificate for TLS is not valid now: clients will refuse it"
        ),
    }
    Ok(until)
}

/// From when and until when a certificate is good, in seconds since 1970.
fn validity(
    setting: &'static str,
    path: &Path,
    certificate: &CertificateDer<'_>,
) -> Result<(i64, i64), TlsError> {
    let (_, parsed) =
        X509Certificate::from_der(certificate).map_err(|error| TlsError::Malformed {
            setting,
            path: path.to_owned(),
            reason: error.to_string(),
        })?;
    let validity = parsed.validity();
    Ok((
        validity.not_before.timestamp(),
        validity.not_after.timestamp(),
    ))
}

/// Whose certificate it is, in words for people: its subject.
pub(crate) fn subject(certificate: &CertificateDer<'_>) -> String {
    // It was verified before; what cannot be told is still somebody's.
    let parsed = X509Certificate::from_der(certificate);
    let subject = parsed.map(|(_, it)| it.subject().to_string());
    subject.unwrap_or_default()
}
