//! A daemon that serves over TLS, with authorities, certificates and tokens of its own.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Command, Stdio};

use jhyde_integration::Folder;
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};

/// It; killed with the test.
pub(crate) struct Served {
    daemon: Child,
    /// `https://127.0.0.1:PORT`.
    pub(crate) address: String,
    /// Files, all of them of the folder that the data folder lies in: the authority of the daemon's certificate …
    pub(crate) ca: String,
    /// … one that has nothing to do with it …
    pub(crate) stranger: String,
    /// … and a certificate with its key that lets a client in, to read.
    pub(crate) identity: String,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
    }
}

impl Served {
    /// The folder's, with whatever `also` adds to the command.
    pub(crate) fn start(folder: &Folder, also: impl FnOnce(&mut Command)) -> Self {
        let (ca, issuer) = authority("ours");
        let (certificate, key) = signed("server", &issuer);
        let (client, client_key) = signed("build-7", &issuer);
        let ca = written(folder, "ca.crt", &ca);
        let certificate = written(folder, "server.crt", &certificate);
        let key = written(folder, "server.key", &key);
        let identity = written(folder, "client.pem", &format!("{client}{client_key}"));
        let stranger = written(folder, "stranger.crt", &authority("a stranger").0);

        let mut command = folder.jhyded(&["serve", "--listen", "127.0.0.1:0", "--log", "info"]);
        command
            .args(["--tls-certificate", &certificate, "--tls-key", &key])
            .env("JHYDED_LISTEN_TLS_CLIENT_CA", &ca)
            .stderr(Stdio::piped());
        also(&mut command);
        let mut daemon = command.spawn().expect("jhyded can be started");
        let mut lines = BufReader::new(daemon.stderr.take().expect("its log")).lines();
        let serving = lines.by_ref().map_while(Result::ok);
        let serving = serving.into_iter().find(|line| line.contains("serving"));
        std::thread::spawn(move || lines.for_each(drop));
        let serving = serving.expect("it serves");
        let address = serving.split('"').find(|part| part.starts_with("https://"));
        Self {
            daemon,
            address: address.expect("an address").to_owned(),
            ca,
            stranger,
            identity,
        }
    }
}

/// The file `NAME.token`, with a token of such rights.
pub(crate) fn token(folder: &Folder, name: &str, rights: &str) -> String {
    let token = folder
        .jhyded(&["token", "create", name, "--rights", rights])
        .output()
        .expect("jhyded can be started");
    let complained = String::from_utf8_lossy(&token.stderr);
    assert!(token.status.success(), "token create {name}: {complained}");
    let text = String::from_utf8_lossy(&token.stdout);
    written(folder, &format!("{name}.token"), &text)
}

/// A file that its owner alone can read.
fn written(folder: &Folder, name: &str, text: &str) -> String {
    let path = folder.data().with_file_name(name);
    fs::write(&path, text).expect("a file");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("a mode");
    path.display().to_string()
}

fn params(name: &str) -> CertificateParams {
    let hosts = vec!["127.0.0.1".to_owned(), "localhost".to_owned()];
    let mut params = CertificateParams::new(hosts).expect("names");
    params.distinguished_name.push(DnType::CommonName, name);
    params
}

fn authority(name: &str) -> (String, Issuer<'static, KeyPair>) {
    let key = KeyPair::generate().expect("a key");
    let mut params = params(name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let pem = params.self_signed(&key).expect("a certificate").pem();
    (pem, Issuer::new(params, key))
}

fn signed(name: &str, by: &Issuer<'static, KeyPair>) -> (String, String) {
    let key = KeyPair::generate().expect("a key");
    let certificate = params(name).signed_by(&key, by).expect("a certificate");
    (certificate.pem(), key.serialize_pem())
}
