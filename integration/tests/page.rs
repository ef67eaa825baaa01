//! The page, in a real browser (`clients/web/test/page.mjs`), against a real daemon that recorded real programs.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use jhyde_integration::tools::binary;
use jhyde_integration::{Folder, jdks};

fn web() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../clients/web")
}

fn record(folder: &Folder, name: &str, scope: &str, part: &str, class: &str, options: &[&str]) {
    let jdk = &jdks()[0];
    let path = jdk.classes(part).display().to_string();
    let words = ["-cp".to_owned(), path, class.to_owned()];
    let level: &[&str] = match options.contains(&"--level") {
        true => &[],
        false => &["--level", "full"],
    };
    let options = [level, &["--include", scope], options].concat();
    let run = folder.launch(jdk, name, &options, &words);
    assert!(run.status.success(), "{}", run.stderr);
}

/// What is missing is an error that says how to get it.
fn node() -> Command {
    let modules = web().join("node_modules/playwright-core");
    assert!(
        modules.is_dir(),
        "the page's packages are not installed: deploy/page.sh does that ({} is missing)",
        modules.display()
    );
    let chromium = std::env::var("CHROMIUM").unwrap_or_else(|_| "/usr/bin/chromium".to_owned());
    assert!(
        Path::new(&chromium).exists(),
        "there is no {chromium}: install Debian's package chromium, or name another one in CHROMIUM"
    );
    Command::new("node")
}

#[test]
fn the_page_does_in_a_browser_what_it_should() {
    let mut node = node();
    let folder = Folder::new();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("java/fixtures/mergesort");
    let source = source.display().to_string();
    record(
        &folder,
        "ms",
        "MergeSort",
        "mergesort",
        "MergeSort",
        &["--source", &source],
    );
    record(&folder, "odd", "odd.Markup", "odd", "odd.Markup", &[]);
    let calls = ["--level", "calls"];
    record(
        &folder,
        "calls",
        "MergeSort",
        "mergesort",
        "MergeSort",
        &calls,
    );
    let printed = folder.ask(&["web", "--print"]);
    let url = printed
        .split_whitespace()
        .find(|word| word.starts_with("http://") && word.contains("/#ticket="))
        .unwrap_or_else(|| panic!("no address with a ticket: {printed}"));
    let jhyde = folder.jhyde(&[]);
    for (name, value) in jhyde.get_envs() {
        node.env(name, value.unwrap_or_default());
    }
    let output = node
        .arg(web().join("test/page.mjs"))
        .env("PAGE_URL", url)
        .env("PAGE_JAVA", jdks()[0].java())
        .env("PAGE_CLASSES", jdks()[0].classes("slices"))
        .env("JHYDE", binary("jhyde"))
        .env("JHYDED_DATA", folder.data())
        .stdin(Stdio::null())
        .output()
        .expect("node can be started: deploy/page.sh installs one");
    let told = String::from_utf8_lossy(&output.stdout);
    println!("{told}");
    assert!(
        output.status.success(),
        "{told}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
