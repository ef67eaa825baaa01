//! `jhyde web`, `locate`, `lines` and `source add` by the two binaries, on a real recording of the reference example. What a
//! browser does is played over HTTP here: a ticket for a key, and a question with it.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;

use jhyde_integration::{Folder, jdks};

/// The reference example; its classes lie where no source is.
fn recorded() -> Folder {
    let folder = Folder::new();
    let jdk = jdks().into_iter().next().expect("a JDK");
    let path = jdk.classes("mergesort").display().to_string();
    let arguments = ["-cp".to_owned(), path, "MergeSort".to_owned()];
    let run = folder.launch(
        &jdk,
        "ms",
        &["--level", "full", "--include", "MergeSort"],
        &arguments,
    );
    assert!(run.status.success(), "{}", run.stderr);
    folder
}

fn http(address: &str, request: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).expect("somebody listens");
    stream.write_all(request).expect("it is read");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an answer");
    String::from_utf8_lossy(&answer).into_owned()
}

/// A gRPC-web call with a message of one text field, number 1.
fn call(address: &str, method: &str, text: &str, key: &str) -> String {
    let mut message = vec![0x0a, u8::try_from(text.len()).expect("short")];
    message.extend(text.as_bytes());
    let head = format!(
        "POST /jhyde.v1.{method} HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\nConnection: close\r\n\
         Content-Type: application/grpc-web+proto\r\nx-jhyde-key: {key}\r\nContent-Length: {}\r\n\r\n",
        message.len() + 5
    );
    let mut request = head.into_bytes();
    request.push(0);
    request.extend((message.len() as u32).to_be_bytes());
    request.extend(message);
    http(address, &request)
}

/// The first run of 64 hexadecimal digits behind a word.
fn digits(text: &str) -> String {
    let is_hex = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
    let found = text
        .split(|c: char| !is_hex(c))
        .find(|part| part.len() == 64);
    found
        .unwrap_or_else(|| panic!("no secret in {text:?}"))
        .to_owned()
}

#[test]
fn a_browser_is_let_in_and_asks() {
    let folder = recorded();
    let printed = folder.ask(&["web", "ms", "--print"]);
    let url = printed.lines().next().expect("an address");
    let (at, hash) = url.split_once("/#").expect("a ticket behind it");
    let address = at.strip_prefix("http://").expect("http");
    assert!(address.starts_with("127.0.0.1:"), "{url}");
    let id = folder.json(&["show", "ms"])[0]["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    assert!(hash.ends_with(&format!("&recording={id}")), "{hash}");
    let page = http(
        address,
        format!("GET / HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").as_bytes(),
    );
    assert!(
        page.starts_with("HTTP/1.1 200") && page.contains("<!doctype html>"),
        "{page}"
    );
    let redeemed = call(address, "Web/Redeem", &digits(hash), "");
    let key = digits(&redeemed);
    let got = call(address, "Recordings/Get", &id, &key);
    assert!(got.contains("grpc-status:0") && got.contains(&id), "{got}");
    // A stream comes over HTTP/1.1, too.
    let calls = call(address, "History/StreamCalls", &id, &key);
    assert!(
        calls.contains("grpc-status:0") && calls.matches("distribute").count() >= 2,
        "{calls}"
    );
    let refused = call(address, "Recordings/Delete", &id, &key);
    assert!(
        refused.contains("grpc-status:7") || refused.contains("grpc-status: 7"),
        "{refused}"
    );
    let again = call(address, "Web/Redeem", &digits(hash), "");
    assert!(
        again.contains("grpc-status:16") || again.contains("grpc-status: 16"),
        "{again}"
    );
}

#[test]
fn the_browser_gets_a_file_that_nobody_else_reads_and_that_goes() {
    let folder = recorded();
    let home = home();
    let bin = home.join("bin");
    fs::create_dir_all(&bin).expect("a folder");
    // A desktop's opener: keeps what it was given, and how it may be read.
    let opener = bin.join("xdg-open");
    let script = "#!/bin/sh\ncp \"$1\" \"$HOME/seen\"; stat -c %a \"$1\" > \"$HOME/mode\"; echo \"$1\" > \"$HOME/name\"\n";
    fs::write(&opener, script).expect("a script");
    fs::set_permissions(&opener, fs::Permissions::from_mode(0o755)).expect("can be run");
    let path = std::env::var("PATH").expect("a path");
    let mut running = folder
        .jhyde(&["web"])
        .env("HOME", &home)
        .env("DISPLAY", ":9")
        .env("PATH", format!("{}:{path}", bin.display()))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("jhyde can be started");
    let seen = home.join("name");
    for _ in 0..1200 {
        if fs::read_to_string(&seen).is_ok_and(|name| name.ends_with('\n')) {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let name = fs::read_to_string(&seen).expect("the opener was run");
    let file = std::path::Path::new(name.trim());
    assert!(file.exists(), "{name}");
    assert_eq!(
        file.parent(),
        Some(home.as_path()),
        "snaps see neither /tmp nor hidden folders"
    );
    assert!(
        !file
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .starts_with('.')
    );
    assert_eq!(
        fs::read_to_string(home.join("mode"))
            .expect("a mode")
            .trim(),
        "600"
    );
    let html = fs::read_to_string(home.join("seen")).expect("the file");
    assert!(!html.contains("<script"), "{html}");
    let url = html
        .split("url=")
        .nth(1)
        .and_then(|rest| rest.split('"').next())
        .expect("a way on");
    let (at, hash) = url.split_once("/#").expect("a ticket");
    let address = at.strip_prefix("http://").expect("http");
    let redeemed = call(address, "Web/Redeem", &digits(hash), "");
    assert_eq!(digits(&redeemed).len(), 64);
    let status = running.wait().expect("it ends");
    assert!(status.success(), "{status}");
    assert!(!file.exists(), "it is gone once the ticket was used");
    fs::remove_dir_all(&home).expect("can be deleted");
}

/// A home folder of the test's own.
fn home() -> std::path::PathBuf {
    let path = std::env::temp_dir().join(format!("jhyde-web-home-{}", std::process::id()));
    fs::create_dir_all(&path).expect("a folder");
    path
}

#[test]
fn places_lines_and_source_in_the_terminal() {
    let folder = recorded();
    let none = folder.ask(&["lines", "ms", "merge#2", "--no-source"]);
    assert!(none.contains("TIMES"), "{none}");
    let sources = concat!(env!("CARGO_MANIFEST_DIR"), "/java/fixtures");
    let added = folder.ask(&["source", "add", "ms", sources]);
    assert!(added.contains("1 class has source now"), "{added}");
    let lines = folder.ask(&["lines", "ms", "merge#2"]);
    let wrong = lines
        .lines()
        .find(|line| line.contains("c[lb++] = a[la++]"))
        .expect("the wrong line");
    let words: Vec<_> = wrong.split_whitespace().collect();
    assert_eq!(words[1], "1", "{lines}");
    let located = folder.ask(&["locate", "ms", words[2]]);
    for part in [
        "MergeSort.main",
        "MergeSort.sort",
        "MergeSort.merge",
        "loop (1)",
        "iteration 1",
    ] {
        assert!(located.contains(part), "{part} is not in {located}");
    }
    let tree = folder.ask(&[
        "tree",
        "ms",
        "--from",
        "merge#1",
        "--no-boundary",
        "--limit",
        "1",
    ]);
    assert!(
        tree.lines().next().expect("a call").contains("merge #1"),
        "{tree}"
    );
    // It goes along.
    let file = std::env::temp_dir().join(format!("jhyde-web-{}.jhyde", std::process::id()));
    let path = file.to_str().expect("a path");
    folder.ask(&["export", "ms", path]);
    let other = Folder::new();
    other.ask(&["import", path]);
    fs::remove_file(&file).expect("can be deleted");
    let lines = other.ask(&["lines", "ms", "merge#2"]);
    assert!(lines.contains("c[lb++] = a[la++]"), "{lines}");
}
