//! Which file a class names.

use std::fmt;

use thiserror::Error;

/// What the names of source files of languages on the JVM end in. A class that names anything else names no source:
/// without this, a program could name any file that lies in a folder that is searched.
const ENDINGS: [&str; 14] = [
    "java", "kt", "kts", "scala", "sc", "groovy", "gvy", "gradle", "clj", "cljc", "aj", "xtend",
    "jsp", "rb",
];

/// No file system has longer names.
const LONGEST: usize = 255;

/// The file of a class, relative to a source folder: `org/shop/Order.java`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SourceName {
    path: String,
    /// Where the file's own name begins.
    file: usize,
    guessed: bool,
}

/// What a class says of its source cannot be a file of it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Refused {
    /// The class's name has a package that is no folder.
    #[error("the class's name '{0}' does not name a folder")]
    Package(String),
    /// The attribute is no plain name of a file.
    #[error(
        "the class says that its source file is '{0}', which is not a plain file name and was not looked for"
    )]
    File(String),
    /// The attribute names a file of another kind.
    #[error(
        "the class says that its source file is '{0}', which does not end like source of a language of the JVM \
         (.java, .kt, .scala, …) and was not looked for"
    )]
    Ending(String),
}

impl SourceName {
    /// The file of a class of this dotted binary name with this SourceFile attribute. Without an attribute, the one
    /// that a public class would have.
    ///
    /// # Errors
    /// [`Refused`]: it cannot be a file of the class.
    pub fn of(class: &str, attribute: Option<&str>) -> Result<Self, Refused> {
        let (package, simple) = class.rsplit_once('.').unwrap_or(("", class));
        let folders = package.split('.').filter(|_| !package.is_empty());
        if class.starts_with('.') || folders.clone().any(|folder| !is_plain(folder)) {
            return Err(Refused::Package(shown(class)));
        }
        let file = match attribute {
            Some(file) => file.to_owned(),
            None => {
                let outermost = simple.find('$').filter(|&at| at > 0);
                format!("{}.java", outermost.map_or(simple, |at| &simple[..at]))
            }
        };
        if !is_plain(&file) || file.starts_with('.') {
            return Err(Refused::File(shown(&file)));
        }
        let ending = file.rsplit_once('.').map_or("", |(_, ending)| ending);
        if !ENDINGS
            .iter()
            .any(|known| ending.eq_ignore_ascii_case(known))
        {
            return Err(Refused::Ending(shown(&file)));
        }
        let mut path = String::with_capacity(package.len() + file.len() + 1);
        for folder in folders {
            path.push_str(folder);
            path.push('/');
        }
        Ok(Self {
            file: path.len(),
            path: path + file.as_str(),
            guessed: attribute.is_none(),
        })
    }

    /// The whole path, with `/`, relative to a source folder.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The file's own name.
    pub fn file(&self) -> &str {
        self.path.get(self.file..).unwrap_or_default()
    }

    /// The class does not say its file: this is the usual one.
    pub fn is_guessed(&self) -> bool {
        self.guessed
    }
}

impl fmt::Display for SourceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)
    }
}

/// Is it one part of a path, that stays where it is?
fn is_plain(part: &str) -> bool {
    !part.is_empty()
        && part.len() <= LONGEST
        && part != ".."
        && part != "."
        && !part
            .chars()
            .any(|c| matches!(c, '/' | '\\' | ':') || c.is_control())
}

/// A hostile name may be of any length.
fn shown(name: &str) -> String {
    name.chars().take(80).flat_map(char::escape_debug).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(class: &str, attribute: Option<&str>) -> String {
        SourceName::of(class, attribute)
            .map_or_else(|refused| refused.to_string(), |name| name.path)
    }

    #[test]
    fn the_file_lies_in_the_packages_folder() {
        assert_eq!(
            path("org.shop.Order", Some("Order.java")),
            "org/shop/Order.java"
        );
        assert_eq!(
            path("org.shop.Order$Line", Some("Order.java")),
            "org/shop/Order.java"
        );
        assert_eq!(path("Main", Some("Main.java")), "Main.java");
        assert_eq!(path("a.MainKt", Some("Main.kt")), "a/Main.kt");
        let name = SourceName::of("a.b.C", Some("Other.java")).unwrap();
        assert_eq!((name.file(), name.is_guessed()), ("Other.java", false));
    }

    #[test]
    fn without_an_attribute_it_is_the_outermost_classs() {
        assert_eq!(path("java.util.Map$Entry", None), "java/util/Map.java");
        assert_eq!(path("p.$Odd$1", None), "p/$Odd$1.java");
        assert!(SourceName::of("java.util.Map", None).unwrap().is_guessed());
    }

    #[test]
    fn hostile_names_are_refused() {
        let long = format!("{}.java", "x".repeat(300));
        for file in [
            "",
            ".",
            "..",
            "../X.java",
            "/etc/X.java",
            "a/X.java",
            "a\\X.java",
            "..\\X.java",
            "C:X.java",
            "X\0.java",
            "X\n.java",
            ".java",
            ".hidden.java",
            "passwd",
            "id_rsa",
            "X.java.txt",
            "X.",
            &long,
        ] {
            let refused = SourceName::of("p.X", Some(file)).unwrap_err();
            assert!(refused.to_string().len() < 300, "{refused}");
        }
        for class in [
            "..X",
            ".X",
            "a..X",
            "a/../b.X",
            "a/b.X",
            "\\\\host.X",
            "p\0.X",
            "a.C:.X",
        ] {
            assert!(
                matches!(
                    SourceName::of(class, Some("X.java")),
                    Err(Refused::Package(_))
                ),
                "{class:?}"
            );
        }
        assert!(!path("p.X", Some("\u{1b}[2J.java")).contains('\u{1b}'));
    }
}
