//! The scope: the classes whose inside is recorded (design, section 2).
//!
//! Patterns are those of [`jhyde_trace::pattern`]. JDWP's own have one `*` at an
//! end and know nothing of "package and below", so the JVM is given the nearest wider ones, and
//! [`Scope::covers`] decides, once per class.

use jdwp::commands::event_request::Modifier;
pub use jhyde_trace::pattern::PatternError;
use jhyde_trace::pattern::{check, matches};

/// Packages of the JDK that no application class may have, or hardly any has. Classes that match
/// and come from an application's loader all the same are found by their preparation.
const JDK: [&str; 8] = [
    "java.*",
    "javax.*",
    "jdk.*",
    "sun.*",
    "com.sun.*",
    "org.w3c.dom.*",
    "org.xml.sax.*",
    "netscape.javascript.*",
];

/// See the module.
#[derive(Clone, Debug)]
pub struct Scope {
    include: Vec<String>,
    exclude: Vec<String>,
}

impl Scope {
    /// A scope of these patterns; with no `include`, all that the application's loaders define.
    ///
    /// # Errors
    /// [`PatternError`] for a pattern that can match no class name.
    pub fn new(include: &[String], exclude: &[String]) -> Result<Self, PatternError> {
        for pattern in include.iter().chain(exclude) {
            check(pattern)?;
        }
        Ok(Self {
            include: include.to_vec(),
            exclude: exclude.to_vec(),
        })
    }

    /// Is it the default scope, which goes by class loader?
    pub fn is_default(&self) -> bool {
        self.include.is_empty()
    }

    /// May classes of applications be outside?
    pub(crate) fn is_partial(&self) -> bool {
        !self.include.is_empty() || !self.exclude.is_empty()
    }

    /// Is a class of this dotted binary name inside, as far as names say? `application`: defined by
    /// an application's loader, that is, by neither the boot nor the platform loader.
    pub fn covers(&self, name: &str, application: bool) -> bool {
        let included = if self.include.is_empty() {
            application
        } else {
            self.include.iter().any(|pattern| matches(pattern, name))
        };
        included && !self.exclude.iter().any(|pattern| matches(pattern, name))
    }

    /// Does a pattern say that classes of the JDK itself are inside?
    pub(crate) fn names_the_jdk(&self) -> bool {
        let named = |pattern: &String| {
            let stem = pattern.split('*').next().unwrap_or_default();
            ["java.", "javax.", "jdk.", "sun."]
                .iter()
                .any(|package| package.starts_with(stem) || stem.starts_with(package))
        };
        self.include.iter().any(named)
    }

    /// May a class of this name be inside, whoever defines it?
    pub(crate) fn may_cover(&self, name: &str) -> bool {
        self.covers(name, true) && !(self.is_default() && name.starts_with("java."))
    }

    /// For each of the event requests that together cover the scope, its modifiers. A class in
    /// scope may be covered twice; the events of one composite are therefore told apart by kind.
    pub(crate) fn requests(&self) -> Vec<Vec<Modifier>> {
        if self.include.is_empty() {
            return vec![jdk_excludes()];
        }
        let mut wide: Vec<String> = self.include.iter().map(|p| widened(p)).collect();
        wide.sort();
        wide.dedup();
        let all = wide.clone();
        wide.retain(|pattern| {
            !all.iter().any(|other| {
                other != pattern
                    && matches(other, pattern.trim_end_matches('*'))
                    && other.ends_with('*')
            })
        });
        wide.into_iter()
            .map(|pattern| {
                vec![Modifier::ClassMatch {
                    class_pattern: pattern.as_str().into(),
                }]
            })
            .collect()
    }
}

/// What step requests leave out. One request per thread is all that JDWP allows, and modifiers are joined
/// by "and": several include patterns, or the default scope, become "all but the JDK and what was seen to
/// lie outside". A step that ends outside costs time; one that is left out inside would be lost, so no
/// pattern here may ever cover a class of the scope.
#[derive(Debug, Default)]
pub(crate) struct StepFilter {
    /// Names of classes outside, where steps ended.
    outside: Vec<String>,
    /// Names of classes inside that look like the JDK's.
    inside: Vec<String>,
}

/// The most classes that are left out by name: the JVM compares each with every step.
const MOST_OUTSIDE: usize = 64;

impl StepFilter {
    /// Modifiers of a step request.
    pub(crate) fn modifiers(&self, scope: &Scope) -> Vec<Modifier> {
        let mut requests = scope.requests();
        if requests.len() == 1 && !scope.is_default() {
            return requests.remove(0);
        }
        let jdk = JDK.iter().copied();
        let jdk = jdk.filter(|pattern| !self.inside.iter().any(|name| matches(pattern, name)));
        let left_out = jdk.chain(self.outside.iter().map(String::as_str));
        let exclude = |pattern: &str| Modifier::ClassExclude {
            class_pattern: pattern.into(),
        };
        left_out.map(exclude).collect()
    }

    /// A step ended in this class, which is outside. True if the modifiers are others now.
    pub(crate) fn leave_out(&mut self, scope: &Scope, class: &str) -> bool {
        let by_inclusion = !scope.is_default() && scope.requests().len() == 1;
        if by_inclusion || self.outside.len() == MOST_OUTSIDE {
            return false;
        }
        if self.outside.iter().any(|known| known == class) {
            return false;
        }
        self.outside.push(class.to_owned());
        true
    }

    /// Steps are to be told of this class, which is inside.
    pub(crate) fn keep(&mut self, class: &str) {
        if looks_like_jdk(class) && !self.inside.iter().any(|known| known == class) {
            self.inside.push(class.to_owned());
        }
    }
}

fn jdk_excludes() -> Vec<Modifier> {
    JDK.iter()
        .map(|p| Modifier::ClassExclude {
            class_pattern: (*p).into(),
        })
        .collect()
}

/// Is a class of this name left out by the JVM's own filter in the default scope?
pub(crate) fn looks_like_jdk(name: &str) -> bool {
    JDK.iter().any(|pattern| matches(pattern, name))
}

/// Patterns under which application classes may hide from the default scope's filter. `java.*` is not
/// among them: no application loader may define such classes.
pub(crate) fn disguises() -> impl Iterator<Item = Modifier> {
    JDK[1..].iter().map(|p| Modifier::ClassMatch {
        class_pattern: (*p).into(),
    })
}

/// The narrowest pattern with one `*` at an end that covers all that `pattern` covers.
fn widened(pattern: &str) -> String {
    match pattern.find('*') {
        None => format!("{pattern}*"),
        Some(0) => {
            let tail = pattern.rsplit('*').next().unwrap_or_default();
            format!("*{tail}")
        }
        Some(at) => format!("{}*", &pattern[..at]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_that_may_mean_the_jdk() {
        let names = |pattern: &str| {
            let scope = Scope::new(&[pattern.to_owned()], &[]).expect("a pattern");
            scope.names_the_jdk()
        };
        assert!(
            ["java", "java.util.*", "j*", "*Service", "jdk.internal.Foo"]
                .iter()
                .all(|p| names(p))
        );
        assert!(
            !["com.shop", "com.*", "javaland.*", "org.*.impl.*", "Main"]
                .iter()
                .any(|p| names(p))
        );
        assert!(!Scope::new(&[], &[]).expect("the default").names_the_jdk());
    }

    #[test]
    fn the_jvm_is_given_wider_patterns_and_no_class_twice_where_one_covers_another() {
        let scope = Scope::new(
            &["org.foo".into(), "org.foo.bar".into(), "*Impl".into()],
            &[],
        )
        .unwrap();
        let patterns: Vec<String> = scope
            .requests()
            .iter()
            .map(|modifiers| format!("{modifiers:?}"))
            .collect();
        assert_eq!(patterns.len(), 2, "{patterns:?}");
        assert_eq!(widened("org.*.impl.*"), "org.*");
        assert_eq!(widened("*a*b"), "*b");
    }

    #[test]
    fn steps_are_never_left_out_inside() {
        let names = |modifiers: Vec<Modifier>| -> Vec<String> {
            let one = |modifier| match modifier {
                Modifier::ClassExclude { class_pattern } => {
                    class_pattern.to_string_lossy().into_owned()
                }
                other => format!("{other:?}"),
            };
            modifiers.into_iter().map(one).collect()
        };
        let scope =
            Scope::new(&["a.b".to_owned(), "c".to_owned()], &["a.b.Out".to_owned()]).unwrap();
        let mut filter = StepFilter::default();
        assert!(filter.leave_out(&scope, "a.b.Out"));
        assert!(!filter.leave_out(&scope, "a.b.Out"));
        filter.keep("javax.own.Bean");
        filter.keep("a.b.In");
        let names = names(filter.modifiers(&scope));
        assert!(names.contains(&"a.b.Out".to_owned()) && !names.contains(&"javax.*".to_owned()));
        assert!(names.contains(&"java.*".to_owned()), "{names:?}");
        assert!(!names.iter().any(|pattern| matches(pattern, "a.b.In")));
        let one = Scope::new(&["a.b".to_owned()], &[]).unwrap();
        assert!(
            !filter.leave_out(&one, "a.b.Other"),
            "one pattern needs no exceptions"
        );
    }

    #[test]
    fn the_default_scope_goes_by_loader_and_excludes_win() {
        let scope = Scope::new(&[], &["app.gen".into()]).unwrap();
        assert!(scope.covers("app.Main", true) && scope.covers("javax.inject.X", true));
        assert!(!scope.covers("app.Main", false) && !scope.covers("app.gen.Y", true));
    }

    #[test]
    fn patterns_that_can_match_nothing_are_refused() {
        for bad in ["", " ", "a b", ".a", "a..b", "a.", "a/b", "[I", "A;"] {
            assert!(Scope::new(&[bad.to_owned()], &[]).is_err(), "{bad:?}");
        }
    }
}
