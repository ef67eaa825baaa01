//! Merging of the layers, as the binary uses it.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use jhyde_trace::Level;

use super::{ByteSize, ConfigError, LogFormat, Sources, keys, load};

fn file(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    path
}

fn environment(pairs: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
    pairs
        .iter()
        .map(|(name, value)| (name.into(), value.into()))
        .collect()
}

fn origin<'a>(effective: &'a super::Effective, key: &str) -> &'a str {
    &effective
        .origins
        .iter()
        .find(|(path, ..)| *path == key)
        .unwrap()
        .2
}

#[test]
fn without_any_layer_the_defaults_are_in_force() {
    let effective = load(&Sources::default()).unwrap();
    let settings = &effective.settings;
    assert_eq!(settings.memory, ByteSize(512_000_000));
    assert!(settings.listen.unix && settings.listen.tcp.is_empty());
    assert_eq!(settings.log.format, LogFormat::Text);
    assert_eq!(settings.record.level, Level::Full);
    let hosts = &settings.attach.hosts;
    assert!(hosts.allow("x", "127.0.0.1:1".parse().unwrap()));
    assert!(!hosts.allow("localhost", "192.0.2.1:1".parse().unwrap()));
    assert!(settings.data.is_absolute());
    assert_eq!(effective.origins.len(), keys::KEYS.len());
    assert!(
        effective
            .origins
            .iter()
            .all(|(_, _, origin)| origin == "default")
    );
}

#[test]
fn each_layer_wins_over_the_ones_before_it() {
    let folder = tempfile::tempdir().unwrap();
    let text = "memory = \"1GB\"\n[log]\nfilter = \"info\"\nformat = \"json\"\n";
    let system = file(folder.path(), "system.toml", text);
    let user = file(
        folder.path(),
        "user.toml",
        "memory = \"2GB\"\n[record]\nstring_limit = 7\n",
    );
    let named = file(
        folder.path(),
        "named.toml",
        "memory = \"3GB\"\n[listen]\ntcp = [\"[::1]:1\"]\n",
    );
    let mut sources = Sources {
        files: vec![system.clone(), user],
        ..Sources::default()
    };
    let memory = |sources: &Sources| load(sources).unwrap().settings.memory.0;
    assert_eq!(memory(&sources), 2_000_000_000);
    sources.named_file = Some(named);
    assert_eq!(memory(&sources), 3_000_000_000);
    sources.environment = environment(&[
        ("JHYDED_MEMORY", "4GB"),
        ("JHYDED_LISTEN_TCP", "a:1, b:2"),
        ("HOME", "/h"),
    ]);
    assert_eq!(memory(&sources), 4_000_000_000);
    sources.flags = vec![("memory", "5GB".to_owned())];

    let effective = load(&sources).unwrap();
    assert_eq!(effective.settings.memory.0, 5_000_000_000);
    assert_eq!(effective.settings.listen.tcp, ["a:1", "b:2"]);
    assert_eq!(effective.settings.record.string_limit, 7);
    assert_eq!(effective.settings.log.format, LogFormat::Json);
    assert_eq!(origin(&effective, "memory"), "command line");
    assert_eq!(
        origin(&effective, "listen.tcp"),
        "environment variable JHYDED_LISTEN_TCP"
    );
    assert_eq!(
        origin(&effective, "log.format"),
        system.display().to_string()
    );
    assert_eq!(origin(&effective, "attach.hosts"), "default");
}

#[test]
fn unknown_keys_are_named_with_their_layer() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(
        folder.path(),
        "a.toml",
        "[log]\nfilter = \"info\"\nfromat = \"json\"\n",
    );
    let sources = Sources {
        named_file: Some(path.clone()),
        ..Sources::default()
    };
    let message = load(&sources).unwrap_err().to_string();
    assert!(message.contains("'log.fromat'"), "{message}");
    assert!(message.contains(&path.display().to_string()), "{message}");

    let sources = Sources {
        environment: environment(&[("JHYDED_MEMROY", "1GB")]),
        ..Sources::default()
    };
    let error = load(&sources).unwrap_err();
    assert!(
        matches!(&error, ConfigError::UnknownKey { key, .. } if key == "JHYDED_MEMROY"),
        "{error}"
    );
    assert!(error.to_string().contains("JHYDED_MEMORY"), "{error}");
}

#[test]
fn bad_values_name_key_and_layer() {
    let folder = tempfile::tempdir().unwrap();
    for (text, key) in [
        ("memory = \"much\"", "memory"),
        ("[record]\nlevel = \"most\"", "record.level"),
        ("[record]\nstring_limit = -1", "record.string_limit"),
        ("[listen]\nunix = \"perhaps\"", "listen.unix"),
        ("[listen]\ntcp = \"127.0.0.1:1\"", "listen.tcp"),
        ("memory = [\"1GB\"]", "memory"),
        ("memory = \"63MB\"", "memory"),
        ("[attach]\ntimeout = \"soon\"", "attach.timeout"),
    ] {
        let path = file(folder.path(), "bad.toml", text);
        let sources = Sources {
            named_file: Some(path.clone()),
            ..Sources::default()
        };
        let error = load(&sources).unwrap_err();
        let message = error.to_string();
        assert!(
            matches!(&error, ConfigError::Value { key: it, .. } if it == key),
            "{message}"
        );
        assert!(message.contains(&path.display().to_string()), "{message}");
    }
}

#[test]
fn files_must_be_there_when_named_and_must_be_toml() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("none.toml");
    let sources = Sources {
        files: vec![missing.clone()],
        ..Sources::default()
    };
    assert!(load(&sources).is_ok());
    let sources = Sources {
        named_file: Some(missing),
        ..Sources::default()
    };
    assert!(matches!(
        load(&sources),
        Err(ConfigError::Unreadable { .. })
    ));
    let broken = file(folder.path(), "broken.toml", "memory = ");
    let sources = Sources {
        files: vec![broken],
        ..Sources::default()
    };
    assert!(matches!(load(&sources), Err(ConfigError::Syntax { .. })));
}

#[test]
fn a_data_folder_is_relative_to_the_file_that_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "a.toml", "data = \"recordings\"");
    let sources = Sources {
        named_file: Some(path),
        ..Sources::default()
    };
    assert_eq!(
        load(&sources).unwrap().settings.data,
        folder.path().join("recordings")
    );
}

#[test]
fn the_example_file_holds_every_setting_at_its_default() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/jhyded.toml");
    let sources = Sources {
        named_file: Some(example.clone()),
        ..Sources::default()
    };
    let effective = load(&sources).unwrap();
    assert_eq!(
        effective.settings,
        load(&Sources::default()).unwrap().settings
    );
    let example = example.display().to_string();
    for (key, _, origin) in &effective.origins {
        // The data folder is left out: its default depends on the user. So are tables: an empty list of them cannot be added to.
        assert!(
            *origin == example || matches!(*key, "data" | "watch"),
            "{key} is missing in deploy/jhyded.toml"
        );
    }
}

/// The example's entry, which is a comment there.
fn example_of_a_watch() -> String {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/jhyded.toml");
    let text = fs::read_to_string(example).unwrap();
    let lines = text.lines().skip_while(|line| *line != "#[[watch]]");
    let lines = lines.take_while(|line| line.starts_with('#'));
    lines.map(|line| format!("{}\n", &line[1..])).collect()
}

#[test]
fn standing_orders_are_tables_in_files() {
    let folder = tempfile::tempdir().unwrap();
    let load_text = |text: &str| {
        let path = file(folder.path(), "watch.toml", text);
        load(&Sources {
            named_file: Some(path),
            ..Sources::default()
        })
    };
    let example = example_of_a_watch();
    assert!(example.contains("address"), "{example}");
    let other = "[[watch]]\naddress = \"[::1]:5006\"\nname = \"other\"\nsource = [\"src\"]\n";
    let effective = load_text(&format!("{example}\n{other}")).unwrap();
    let orders = &effective.settings.watch.0;
    assert_eq!(orders.len(), 2);
    assert!(orders[0].contents && !orders[0].include.is_empty());
    assert_eq!(orders[1].source, [folder.path().join("src")]);
    let (_, written, origin) = effective
        .origins
        .iter()
        .find(|(key, ..)| *key == "watch")
        .unwrap();
    assert!(origin.ends_with("watch.toml"), "{origin}");
    assert!(written.contains("name = \"other\""), "{written}");
    for (text, reason) in [
        ("[[watch]]\nname = \"a\"\n".to_owned(), "address"),
        (format!("{other}\nlevle = \"full\"\n"), "levle"),
        (format!("{other}\n{other}"), "two entries"),
        ("watch = \"localhost:5005\"".to_owned(), "[[…]]"),
        ("watch = [\"localhost:5005\"]".to_owned(), "watch"),
    ] {
        let error = load_text(&text).unwrap_err();
        let message = error.to_string();
        assert!(
            matches!(&error, ConfigError::Value { key, .. } if key == "watch"),
            "{text}: {message}"
        );
        assert!(message.contains(reason), "{text}: {message}");
        assert!(message.contains("watch.toml"), "{text}: {message}");
    }
    let sources = Sources {
        environment: environment(&[("JHYDED_WATCH", "localhost:5005")]),
        ..Sources::default()
    };
    let message = load(&sources).unwrap_err().to_string();
    assert!(message.contains("files alone"), "{message}");
}
