//! `jhyde` over TLS, from one's own authority to an answer.

mod served;

use jhyde_integration::{Folder, jdks};
use served::{Served, token};

#[test]
fn a_client_asks_over_tls_with_a_token_or_a_certificate() {
    let jdk = &jdks()[0];
    let folder = Folder::new();
    let classes = jdk.classes("mergesort").display().to_string();
    let program = ["-cp", &classes, "MergeSort"].map(str::to_owned);
    let run = folder.launch(jdk, "shop-1", &["--include", "MergeSort"], &program);
    assert!(run.status.success(), "{}", run.stderr);

    let token = token(&folder, "ci", "read");
    let served = Served::start(&folder, |_| ());
    let (ca, identity, stranger) = (&served.ca, &served.identity, &served.stranger);
    let address = served.address.as_str();
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
        (address, &["--ca", ca, "--token-file", &token][..]),
        (&by_name, &["--ca", ca, "--token-file", &token]),
        (address, &["--ca", ca, "--identity", identity]),
    ] {
        let (code, said, complained) = ask(address, words);
        assert_eq!(code, Some(0), "{words:?}: {complained}");
        assert!(said.contains("MergeSort.merge"), "{said}");
    }
    for (address, words, code, part) in [
        (address, &["--ca", ca][..], 1, "--token-file"),
        (
            address,
            &["--ca", stranger],
            5,
            "name the CA's file with --ca",
        ),
        (address, &["--token-file", &token], 5, "--ca"),
        (address, &["--ca", "/none.crt"], 2, "/none.crt"),
        (address, &["--ca", &token], 2, "no certificate"),
        (address, &["--identity", ca], 2, "private key"),
        (plain, &["--token-file", &token], 1, "https://"),
        ("https://127.0.0.1:1", &["--ca", ca], 5, "refused"),
        ("https://127.0.0.1", &["--ca", ca], 2, "https://HOST:PORT"),
    ] {
        let (met, said, complained) = ask(address, words);
        assert_eq!(met, Some(code), "{address} {words:?}: {complained}");
        assert!(said.is_empty(), "{said}");
        assert!(complained.contains(part), "{words:?}: {complained}");
    }
}

#[test]
fn whoever_may_see_one_of_two_recordings_cannot_compare_them() {
    let jdk = jdks().swap_remove(0);
    let folder = Folder::new();
    let classes = jdk.classes("fixtures").display().to_string();
    let java = ["-cp", &classes, "fx.Steady", "20"].map(str::to_owned);
    for name in ["right", "wrong", "secret"] {
        let run = folder.launch(&jdk, name, &["--include", "fx.*"], &java);
        assert!(run.stderr.contains("recorded"), "{}", run.stderr);
    }
    // All are of its pattern, or not the second, the first, the third.
    let cases = [
        ("*", &["right", "wrong"][..], true),
        ("right", &["right", "wrong"], false),
        ("wrong", &["right", "wrong"], false),
        ("?????", &["right", "wrong", "--learn", "secret"], false),
    ];
    let tokens = cases.each_ref().map(|(pattern, ..)| {
        let name = format!("bearer-{}", pattern.replace(['*', '?'], "x"));
        let file = token(&folder, &name, "read");
        let only = [
            "token",
            "create",
            &format!("{name}-only"),
            "--rights",
            "read",
        ];
        let made = folder
            .jhyded(&[&only[..], &["--recordings", pattern]].concat())
            .output()
            .expect("jhyded can be started");
        assert!(made.status.success(), "{made:?}");
        // The file's mode stays.
        std::fs::write(&file, &made.stdout).expect("a token");
        file
    });
    let served = Served::start(&folder, |_| {});
    for ((pattern, words, is_allowed), file) in cases.into_iter().zip(&tokens) {
        let mut command = folder.jhyde(&["compare", "--daemon", &served.address]);
        let output = command
            .args(["--ca", &served.ca, "--token-file", file, "--json"])
            .args(words)
            .output()
            .expect("jhyde can be started");
        let told = String::from_utf8_lossy(&output.stdout);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.success(), is_allowed, "{pattern}: {said}");
        assert_eq!(told.contains("\"footer\""), is_allowed, "{pattern}: {told}");
        if !is_allowed {
            assert!(said.contains("is not"), "{pattern}: {said}");
            assert!(told.is_empty(), "{told}");
        }
    }
}
