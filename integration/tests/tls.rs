//! `jhyde` over TLS, from one's own authority to an answer.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Child, Stdio};

use jhyde_integration::{Folder, jdks};
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};

/// A daemon of a folder; killed with the test.
struct Daemon(Child);

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A file that its owner alone can read.
fn written(folder: &Folder, name: &str, text: &str) -> String {
    let path: PathBuf = folder.data().with_file_name(name);
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

#[test]
fn a_client_asks_over_tls_with_a_token_or_a_certificate() {
    let jdk = &jdks()[0];
    let folder = Folder::new();
    let classes = jdk.classes("mergesort").display().to_string();
    let program = ["-cp", &classes, "MergeSort"].map(str::to_owned);
    let run = folder.launch(jdk, "shop-1", &["--include", "MergeSort"], &program);
    assert!(run.status.success(), "{}", run.stderr);

    let (ca, issuer) = authority("ours");
    let (certificate, key) = signed("server", &issuer);
    let (client, client_key) = signed("build-7", &issuer);
    let ca = written(&folder, "ca.crt", &ca);
    let certificate = written(&folder, "server.crt", &certificate);
    let key = written(&folder, "server.key", &key);
    let identity = written(&folder, "client.pem", &format!("{client}{client_key}"));
    let stranger = written(&folder, "stranger.crt", &authority("a stranger").0);
    let token = folder
        .jhyded(&["token", "create", "ci", "--rights", "read"])
        .output()
        .expect("jhyded can be started");
    let token = written(&folder, "ci.token", &String::from_utf8_lossy(&token.stdout));

    let mut command = folder.jhyded(&["serve", "--listen", "127.0.0.1:0", "--log", "info"]);
    command
        .args(["--tls-certificate", &certificate, "--tls-key", &key])
        .env("JHYDED_LISTEN_TLS_CLIENT_CA", &ca)
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("jhyded can be started");
    let mut lines = BufReader::new(child.stderr.take().expect("its log")).lines();
    let _daemon = Daemon(child);
    let serving = lines.by_ref().map_while(Result::ok);
    let serving = serving.into_iter().find(|line| line.contains("serving"));
    std::thread::spawn(move || lines.for_each(drop));
    let serving = serving.expect("it serves");
    let address = serving.split('"').find(|part| part.starts_with("https://"));
    let address = address.expect("an address");
    let plain = address.trim_start_matches("https://");

    let ask = |address: &str, words: &[&str]| {
        let mut command = folder.jhyde(&["tree", "shop-1", "--daemon", address]);
        let output = command.args(words).output().expect("jhyde can be started");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (
            output.status.code(),
            text(&output.stdout),
            text(&output.stderr),
        )
    };
    let by_name = address.replace("127.0.0.1", "localhost");
    for (address, words) in [
        (address, &["--ca", &ca, "--token-file", &token][..]),
        (&by_name, &["--ca", &ca, "--token-file", &token]),
        (address, &["--ca", &ca, "--identity", &identity]),
    ] {
        let (code, said, complained) = ask(address, words);
        assert_eq!(code, Some(0), "{words:?}: {complained}");
        assert!(said.contains("MergeSort.merge"), "{said}");
    }
    for (address, words, code, part) in [
        (address, &["--ca", &ca][..], 1, "--token-file"),
        (
            address,
            &["--ca", &stranger],
            5,
            "name the CA's file with --ca",
        ),
        (address, &["--token-file", &token], 5, "--ca"),
        (address, &["--ca", "/none.crt"], 2, "/none.crt"),
        (address, &["--ca", &token], 2, "no certificate"),
        (address, &["--identity", &ca], 2, "private key"),
        (plain, &["--token-file", &token], 1, "https://"),
        ("https://127.0.0.1:1", &["--ca", &ca], 5, "refused"),
        ("https://127.0.0.1", &["--ca", &ca], 2, "https://HOST:PORT"),
    ] {
        let (met, said, complained) = ask(address, words);
        assert_eq!(met, Some(code), "{address} {words:?}: {complained}");
        assert!(said.is_empty(), "{said}");
        assert!(complained.contains(part), "{words:?}: {complained}");
    }
}
