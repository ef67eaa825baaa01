//! Java command lines: whether one can be recorded, what it runs, and how the debugger agent gets in.
//!
//! Used by whoever starts the program: the daemon, `jhyded launch`, and clients that start it themselves
//! for a `Listen`.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use thiserror::Error;

use crate::echo::shown;

/// The command line cannot be recorded.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CommandError {
    /// No command.
    #[error("no program was named; write it after --, such as: launch -- java -jar app.jar")]
    Missing,
    /// Not a java launcher.
    #[error(
        "'{}' is not a java program, so the way to record it is unknown; name the java program itself \
         (such as /usr/lib/jvm/…/bin/java), or, for a script that starts java: run `jhyded listen 5005`, \
         and the script with JAVA_TOOL_OPTIONS=-agentlib:jdwp=transport=dt_socket,server=n,suspend=y,\
         address=127.0.0.1:5005",
        shown(.0)
    )]
    NotJava(String),
    /// A build tool, which starts the JVM of interest itself.
    #[error(
        "'{program}' starts java itself: run `jhyded listen 5005 --name tests --include YOUR.PACKAGE`, and beside it \
         {command}"
    )]
    BuildTool {
        /// As it was typed.
        program: String,
        /// What to run instead.
        command: &'static str,
    },
    /// The command brings a debugger of its own.
    #[error(
        "the command already loads the debugger agent ('{}'), and a JVM takes only one; leave that \
         option out, or start the program yourself and attach to it",
        shown(.0)
    )]
    HasAgent(String),
}

/// A java command line, looked through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JavaCommand<'a> {
    words: &'a [OsString],
    main: Option<String>,
    /// How many of the words come before the program's own arguments.
    before_arguments: usize,
}

/// Options of the java launcher whose value is the next word.
const WITH_VALUE: [&str; 12] = [
    "-cp",
    "-classpath",
    "--class-path",
    "-p",
    "--module-path",
    "--upgrade-module-path",
    "--add-modules",
    "--add-exports",
    "--add-opens",
    "--add-reads",
    "--limit-modules",
    "--patch-module",
];

impl<'a> JavaCommand<'a> {
    /// Looks a command line through: its first word must name a `java` launcher, and its options must
    /// not load the debugger agent.
    ///
    /// # Errors
    /// [`CommandError`] says what to do instead.
    pub fn new(words: &'a [OsString]) -> Result<Self, CommandError> {
        let program = words.first().ok_or(CommandError::Missing)?;
        if let Some(command) = build_tool(program) {
            return Err(CommandError::BuildTool {
                program: program.to_string_lossy().into_owned(),
                command,
            });
        }
        if !is_java(program) {
            return Err(CommandError::NotJava(
                program.to_string_lossy().into_owned(),
            ));
        }
        let java = Self::of_running(words);
        match java.agent() {
            Some(agent) => Err(CommandError::HasAgent(agent.to_string_lossy().into_owned())),
            None => Ok(java),
        }
    }

    /// Looks through the command line of a JVM that runs, whatever it was started by and with.
    pub fn of_running(words: &'a [OsString]) -> Self {
        let mut main = None;
        let rest = words.get(1..).unwrap_or_default();
        let mut rest = rest.iter().map(|word| word.to_string_lossy());
        while let Some(word) = rest.next() {
            let word = word.as_ref();
            if word == "-jar" {
                main = rest.next().map(|jar| stem(&jar));
                break;
            }
            if matches!(word, "-m" | "--module") {
                main = rest
                    .next()
                    .map(|module| simple(module.rsplit('/').next().unwrap_or("")));
                break;
            }
            if let Some(module) = word.strip_prefix("--module=") {
                main = Some(simple(module.rsplit('/').next().unwrap_or("")));
                break;
            }
            if WITH_VALUE.contains(&word) {
                rest.next();
            } else if !word.starts_with('-') && !word.starts_with('@') {
                // A class, or a source file (`java Hello.java`).
                main = Some(if word.ends_with(".java") {
                    stem(word)
                } else {
                    simple(word)
                });
                break;
            }
        }
        Self {
            words,
            main: main.filter(|name| !name.is_empty()),
            before_arguments: words.len() - rest.len(),
        }
    }

    /// The launcher's options, and what it runs; not the program's own arguments.
    pub fn options(&self) -> &'a [OsString] {
        self.words.get(1..self.before_arguments).unwrap_or_default()
    }

    /// The option that loads the debugger agent, if one does.
    fn agent(&self) -> Option<&'a OsString> {
        let loads = |word: &&OsString| {
            let word = word.to_string_lossy();
            word.starts_with("-agentlib:jdwp") || word.starts_with("-Xrunjdwp")
        };
        self.options().iter().find(loads)
    }

    /// What is run, with its arguments and without the JVM's options: `app-1.2 --port 80`.
    pub fn without_options(&self) -> Vec<String> {
        let arguments = self.words.iter().skip(self.before_arguments);
        let arguments = arguments.map(|word| word.to_string_lossy().into_owned());
        std::iter::once(self.main().to_owned())
            .chain(arguments)
            .collect()
    }

    /// What is run, for a recording's name: the main class's simple name, or the jar's or source file's
    /// name without its ending; `java` where that cannot be told.
    pub fn main(&self) -> &str {
        self.main.as_deref().unwrap_or("java")
    }

    /// Can it be told what is run?
    pub fn has_main(&self) -> bool {
        self.main.is_some()
    }

    /// The command line under which the JVM connects to a port on loopback before it runs anything.
    pub fn with_agent(&self, port: u16) -> Vec<OsString> {
        // server=n: the JVM connects to us, and so prints no line about listening.
        let agent = format!(
            "-agentlib:jdwp=transport=dt_socket,server=n,suspend=y,address=127.0.0.1:{port}"
        );
        let mut words = Vec::with_capacity(self.words.len() + 1);
        words.extend(self.words.first().cloned());
        words.push(agent.into());
        words.extend(self.words.iter().skip(1).cloned());
        words
    }
}

/// How a build tool's tests get the agent, if the program is one.
fn build_tool(program: &OsStr) -> Option<&'static str> {
    match Path::new(program).file_name()?.to_str()? {
        "mvn" | "mvnw" | "mvnd" => Some(
            "`mvn test -Dmaven.surefire.debug=-agentlib:jdwp=transport=dt_socket,server=n,suspend=y,\
             address=127.0.0.1:5005`",
        ),
        "gradle" | "gradlew" => Some(
            "`gradle test` with `jvmArgs '-agentlib:jdwp=transport=dt_socket,server=n,suspend=y,\
             address=127.0.0.1:5005'` in the build's `test { }`; or `gradle test --debug-jvm` and then \
             `jhyded attach localhost:5005`",
        ),
        _ => None,
    }
}

/// Is it called `java`, itself or what a symbolic link stands for?
fn is_java(program: &OsStr) -> bool {
    let path = Path::new(program);
    let named = |path: &Path| path.file_name() == Some(OsStr::new("java"));
    named(path) || path.canonicalize().is_ok_and(|target| named(&target))
}

/// `lib/app-1.2.jar` is `app-1.2`.
fn stem(path: &str) -> String {
    Path::new(path)
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// `org.foo.Main$Inner` is `Main$Inner`.
fn simple(class: &str) -> String {
    class
        .rsplit(['.', '/'])
        .next()
        .unwrap_or_default()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ')
            .filter(|word| !word.is_empty())
            .map(OsString::from)
            .collect()
    }

    #[test]
    fn what_is_run_is_found_behind_the_options() {
        for (line, main) in [
            ("java Main", "Main"),
            ("/opt/jdk/bin/java -cp a:b -Xmx1g org.foo.Main x.Y", "Main"),
            (
                "java -ea --class-path a -jar lib/app-1.2.jar -jar other.jar",
                "app-1.2",
            ),
            ("java -p mods -m shop/com.shop.Main", "Main"),
            ("java --module=shop/com.shop.Main", "Main"),
            ("java src/Hello.java", "Hello"),
            ("java -version", "java"),
            ("java @args", "java"),
        ] {
            let line = words(line);
            assert_eq!(JavaCommand::new(&line).unwrap().main(), main);
        }
        for (line, run) in [
            ("java -cp a:b -Xmx1g org.foo.Main x.Y", "Main x.Y"),
            ("java -ea -jar lib/app-1.2.jar -jar o", "app-1.2 -jar o"),
            ("java --module=shop/com.shop.Main", "Main"),
            ("java -version", "java"),
        ] {
            let line = words(line);
            assert_eq!(
                JavaCommand::new(&line).unwrap().without_options().join(" "),
                run
            );
        }
    }

    #[test]
    fn of_a_jvm_that_runs_nothing_is_refused() {
        let line =
            words("java -agentlib:jdwp=server=y -cp x org.foo.Main -Xrunjdwp:of-the-program");
        let java = JavaCommand::of_running(&line);
        assert_eq!(java.main(), "Main");
        assert_eq!(java.options(), &line[1..5]);
        assert_eq!(JavaCommand::of_running(&[]).main(), "java");
        assert!(JavaCommand::of_running(&[]).options().is_empty());
        let line = words("/opt/app/start Main");
        assert_eq!(JavaCommand::of_running(&line).main(), "Main");
    }

    #[test]
    fn the_agent_comes_first_and_nothing_else_changes() {
        let line = words("java -cp x Main -agentlib:jdwp=of-the-program");
        let with = JavaCommand::new(&line).unwrap().with_agent(4711);
        assert_eq!(with[0], "java");
        assert_eq!(
            with[1],
            "-agentlib:jdwp=transport=dt_socket,server=n,suspend=y,address=127.0.0.1:4711"
        );
        assert_eq!(with[2..], line[1..]);
    }

    #[test]
    fn what_cannot_be_recorded_is_refused() {
        assert_eq!(JavaCommand::new(&[]), Err(CommandError::Missing));
        for line in ["mvn test", "./gradlew run"] {
            let line = words(line);
            let refused = JavaCommand::new(&line).unwrap_err();
            assert!(matches!(refused, CommandError::BuildTool { .. }));
            assert!(
                refused.to_string().contains("jhyded listen 5005"),
                "{refused}"
            );
        }
        for line in ["ant run", "/bin/sh -c java", "javac X.java"] {
            let line = words(line);
            assert!(matches!(
                JavaCommand::new(&line),
                Err(CommandError::NotJava(_))
            ));
        }
        for line in [
            "java -agentlib:jdwp=server=y Main",
            "java -Xrunjdwp:server=y -jar x.jar",
        ] {
            let line = words(line);
            assert!(matches!(
                JavaCommand::new(&line),
                Err(CommandError::HasAgent(_))
            ));
        }
    }
}
