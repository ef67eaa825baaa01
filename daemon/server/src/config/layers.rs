//! Reading the layers, merging them, and remembering which layer each value came from.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{env, fmt, fs, io};

use config::{Config, File, FileFormat, Map, Source, Value, ValueKind};
use thiserror::Error;

use super::keys::{ENVIRONMENT_PREFIX, KEYS, Key, PATHS, Shape, find};
use super::settings::Settings;
use super::watch;

/// What is said to be the origin of a setting that the command line gave.
pub const COMMAND_LINE: &str = "command line";

/// The configuration cannot be used.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// A file that was asked for cannot be read.
    #[error("cannot read the configuration file {path}: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file is not TOML.
    #[error("{path} is not a valid configuration file: {reason}")]
    Syntax {
        /// The file.
        path: PathBuf,
        /// What the parser said.
        reason: String,
    },
    /// A key that does not exist.
    #[error("unknown setting '{key}' in {origin}; known ones are {known}")]
    UnknownKey {
        /// As it was written.
        key: String,
        /// The layer.
        origin: String,
        /// All that exist, for the message.
        known: String,
    },
    /// A value that makes no sense.
    #[error("setting '{key}' (from {origin}): {reason}")]
    Value {
        /// Its key.
        key: String,
        /// The layer.
        origin: String,
        /// What is wrong.
        reason: String,
    },
}

/// Where the layers are read from. [`Sources::of_process`] is what the binary uses; tests make their own.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// Files that are read if they are there, weakest first.
    pub files: Vec<PathBuf>,
    /// A file that must be there: `--config`.
    pub named_file: Option<PathBuf>,
    /// The environment; only variables with our prefix are looked at.
    pub environment: Vec<(OsString, OsString)>,
    /// Flags that were given: dotted key and value (lists: separated by commas).
    pub flags: Vec<(&'static str, String)>,
}

impl Sources {
    /// The usual files and this process's environment.
    pub fn of_process(named_file: Option<PathBuf>, flags: Vec<(&'static str, String)>) -> Self {
        let mut files = vec![PathBuf::from("/etc/jhyde/jhyded.toml")];
        let user = env::var_os("XDG_CONFIG_HOME")
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
            .or_else(|| env::var_os("HOME").map(|home| Path::new(&home).join(".config")));
        files.extend(user.map(|folder| folder.join("jhyde/jhyded.toml")));
        Self {
            files,
            named_file,
            environment: env::vars_os().collect(),
            flags,
        }
    }
}

/// The merged settings, and for each the layer that it came from.
#[derive(Clone, Debug)]
pub struct Effective {
    /// The settings.
    pub settings: Settings,
    /// Key, value as it would be written in a file, layer: in the order of the table of keys.
    pub origins: Vec<(&'static str, String, String)>,
}

/// Reads and merges all layers.
///
/// # Errors
/// [`ConfigError`] names the file, variable or flag and the key.
pub fn load(sources: &Sources) -> Result<Effective, ConfigError> {
    let mut builder = Config::builder().add_source(defaults());
    for path in &sources.files {
        if let Some(layer) = read_file(path, false)? {
            builder = builder.add_source(layer);
        }
    }
    if let Some(path) = &sources.named_file
        && let Some(layer) = read_file(path, true)?
    {
        builder = builder.add_source(layer);
    }
    builder = builder
        .add_source(environment(&sources.environment)?)
        .add_source(flags(&sources.flags));
    let merged = builder
        .build()
        .map_err(|error| value_error(error, &BTreeMap::new()))?;

    let leaves = flatten(&merged.cache);
    let settings = merged
        .try_deserialize::<Settings>()
        .map_err(|e| value_error(e, &leaves))?;
    let origins = KEYS
        .iter()
        .map(|key| match leaves.get(key.path) {
            Some(value) => (key.path, written(value), origin(value)),
            None => (key.path, "[]".to_owned(), "default".to_owned()),
        })
        .collect();
    Ok(Effective { settings, origins })
}

/// One layer, its values checked to be known keys and of the right shape.
#[derive(Clone, Debug)]
struct Layer(Vec<(&'static Key, Value)>);

impl Source for Layer {
    fn clone_into_box(&self) -> Box<dyn Source + Send + Sync> {
        Box::new(self.clone())
    }

    fn collect(&self) -> Result<Map<String, Value>, config::ConfigError> {
        Ok(self
            .0
            .iter()
            .map(|(key, value)| (key.path.to_owned(), value.clone()))
            .collect())
    }
}

/// A value given as one text: lists are cut at commas.
fn from_text(key: &'static Key, text: &str, origin: String) -> (&'static Key, Value) {
    let value = match key.shape {
        Shape::One => Value::new(Some(&origin), text),
        Shape::List | Shape::Tables => {
            let parts = text
                .split(',')
                .map(str::trim)
                .filter(|part| !part.is_empty());
            let items = parts
                .map(|part| Value::new(Some(&origin), part))
                .collect::<Vec<_>>();
            Value::new(Some(&origin), items)
        }
    };
    (key, value)
}

fn defaults() -> Layer {
    let origin = || "default".to_owned();
    let mut layer = Vec::new();
    for key in KEYS {
        match key.default {
            Some(text) => layer.push(from_text(key, text, origin())),
            None if key.shape != Shape::One => layer.push(from_text(key, "", origin())),
            None => {
                let folder = jhyde_proto::endpoint::default_data_folder();
                layer.push((key, Value::new(Some(&origin()), absolute(&folder, None))));
            }
        }
    }
    Layer(layer)
}

fn environment(variables: &[(OsString, OsString)]) -> Result<Layer, ConfigError> {
    let mut layer = Vec::new();
    for (name, value) in variables {
        let Some(name) = name
            .to_str()
            .filter(|name| name.starts_with(ENVIRONMENT_PREFIX))
        else {
            continue;
        };
        let origin = format!("environment variable {name}");
        let Some(key) = KEYS.iter().find(|key| key.variable() == name) else {
            let known = KEYS
                .iter()
                .map(Key::variable)
                .collect::<Vec<_>>()
                .join(", ");
            let origin = "the environment".to_owned();
            return Err(ConfigError::UnknownKey {
                key: name.to_owned(),
                origin,
                known,
            });
        };
        let value = match (key.shape, value.to_str()) {
            (Shape::Tables, _) => Err("stands in files alone, as tables"),
            (_, None) => Err("is not valid UTF-8"),
            (_, Some(value)) => Ok(value),
        };
        let value = value.map_err(|reason| ConfigError::Value {
            key: key.path.to_owned(),
            origin: origin.clone(),
            reason: reason.to_owned(),
        })?;
        layer.push(resolved(from_text(key, value, origin), None));
    }
    Ok(Layer(layer))
}

fn flags(flags: &[(&'static str, String)]) -> Layer {
    let known = |(path, text): &(&'static str, String)| {
        find(path).map(|key| resolved(from_text(key, text, COMMAND_LINE.to_owned()), None))
    };
    Layer(flags.iter().filter_map(known).collect())
}

fn read_file(path: &Path, required: bool) -> Result<Option<Layer>, ConfigError> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if !required && error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => {
            return Err(ConfigError::Unreadable {
                path: path.to_owned(),
                source,
            });
        }
    };
    let syntax = |reason: String| ConfigError::Syntax {
        path: path.to_owned(),
        reason,
    };
    let parsed = Config::builder()
        .add_source(File::from_str(&text, FileFormat::Toml))
        .build()
        .map_err(|error| syntax(error.to_string()))?;
    let mut layer = Vec::new();
    for (name, value) in flatten(&parsed.cache) {
        let origin = path.display().to_string();
        let Some(key) = find(&name) else {
            let known = KEYS
                .iter()
                .map(|key| key.path)
                .collect::<Vec<_>>()
                .join(", ");
            return Err(ConfigError::UnknownKey {
                key: name,
                origin,
                known,
            });
        };
        let is_list = matches!(value.kind, ValueKind::Array(_));
        if is_list != (key.shape != Shape::One) {
            let wanted = match key.shape {
                Shape::One => "takes one value, not a list",
                Shape::List => "takes a list: [\"…\"]",
                Shape::Tables => "takes tables: [[…]]",
            };
            return Err(ConfigError::Value {
                key: name,
                origin,
                reason: wanted.to_owned(),
            });
        }
        let value = Value::new(Some(&origin), value.kind);
        layer.push(resolved((key, value), path.parent()));
    }
    Ok(Some(Layer(layer)))
}

/// Makes paths absolute: relative to the file that names them, else to the working folder.
fn resolved((key, value): (&'static Key, Value), base: Option<&Path>) -> (&'static Key, Value) {
    if let (Shape::Tables, ValueKind::Array(mut entries)) = (key.shape, value.kind.clone()) {
        let absolute = |path: &Path| absolute(path, base);
        entries
            .iter_mut()
            .for_each(|entry| watch::resolved(entry, absolute));
        return (
            key,
            Value::new(value.origin().map(str::to_owned).as_ref(), entries),
        );
    }
    if !PATHS.contains(&key.path) {
        return (key, value);
    }
    let origin = value.origin().map(str::to_owned);
    let one = |value: Value| match value.clone().into_string() {
        // No path is none, wherever it stands.
        Ok(text) if text.is_empty() => value,
        Ok(text) => Value::new(origin.as_ref(), absolute(Path::new(&text), base)),
        Err(_) => value,
    };
    let resolved = match value.kind {
        ValueKind::Array(items) => {
            let items = items.into_iter().map(one).collect::<Vec<_>>();
            Value::new(origin.as_ref(), items)
        }
        _ => one(value),
    };
    (key, resolved)
}

fn absolute(path: &Path, base: Option<&Path>) -> String {
    let home = path
        .strip_prefix("~")
        .ok()
        .and_then(|rest| Some((env::var_os("HOME")?, rest)));
    let path = match (home, base) {
        (Some((home, rest)), _) => Path::new(&home).join(rest),
        (None, Some(base)) => base.join(path),
        (None, None) => path.to_owned(),
    };
    std::path::absolute(&path)
        .unwrap_or(path)
        .to_string_lossy()
        .into_owned()
}

/// All values below tables, by dotted key.
fn flatten(root: &Value) -> BTreeMap<String, Value> {
    fn walk(prefix: &str, value: &Value, leaves: &mut BTreeMap<String, Value>) {
        match &value.kind {
            ValueKind::Table(table) => {
                for (name, value) in table {
                    let path = if prefix.is_empty() {
                        name.clone()
                    } else {
                        format!("{prefix}.{name}")
                    };
                    walk(&path, value, leaves);
                }
            }
            _ => {
                leaves.insert(prefix.to_owned(), value.clone());
            }
        }
    }
    let mut leaves = BTreeMap::new();
    walk("", root, &mut leaves);
    leaves
}

fn origin(value: &Value) -> String {
    value.origin().unwrap_or("default").to_owned()
}

/// A value as it would be written in a file.
fn written(value: &Value) -> String {
    match &value.kind {
        ValueKind::Array(items) => {
            let items = items.iter().map(written).collect::<Vec<_>>().join(", ");
            format!("[{items}]")
        }
        ValueKind::Table(table) => {
            let sorted: BTreeMap<_, _> = table.iter().collect();
            let entries = sorted
                .iter()
                .map(|(name, value)| format!("{name} = {}", written(value)));
            format!("{{ {} }}", entries.collect::<Vec<_>>().join(", "))
        }
        ValueKind::String(text) if matches!(text.as_str(), "true" | "false") => text.clone(),
        ValueKind::String(text) if text.parse::<i64>().is_ok() => text.clone(),
        ValueKind::String(text) => format!("{text:?}"),
        other => Plain(other).to_string(),
    }
}

struct Plain<'a>(&'a ValueKind);

impl fmt::Display for Plain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The error of a value, with its key and the layer that it came from.
fn value_error(error: config::ConfigError, leaves: &BTreeMap<String, Value>) -> ConfigError {
    let (key, reason) = split(error);
    let key = key.unwrap_or_else(|| "?".to_owned());
    // Of a list or a table in one the whole is what has an origin.
    let key = match key.split_once('[') {
        Some((whole, _)) => whole.to_owned(),
        None => key,
    };
    let origin = leaves
        .get(&key)
        .map_or_else(|| "the configuration".to_owned(), origin);
    ConfigError::Value {
        key,
        origin,
        reason,
    }
}

fn split(error: config::ConfigError) -> (Option<String>, String) {
    match error {
        config::ConfigError::At { error, key, .. } => {
            let (inner, reason) = split(*error);
            (key.or(inner), reason)
        }
        config::ConfigError::Type {
            unexpected,
            expected,
            key,
            ..
        } => (key, format!("{unexpected} where {expected} was expected")),
        config::ConfigError::Message(reason) => (None, reason),
        other => (None, other.to_string()),
    }
}
