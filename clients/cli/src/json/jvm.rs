//! JVMs of this host.

use serde::Serialize;
use serde::ser::{SerializeMap as _, Serializer};

use crate::jvms::port::{Port, is_open_to_others};
use crate::text::Listed;

/// One JVM.
#[derive(Debug)]
pub(crate) struct JvmJson<'a>(pub(crate) &'a Listed<'a>);

#[derive(Serialize)]
struct DebuggerJson<'a> {
    pid: i32,
    name: &'a str,
}

/// The word for a port, stable for programs.
fn word(port: &Port) -> &'static str {
    match port {
        Port::Open(_) => "open",
        Port::OneOf { .. } => "one-of",
        Port::Taken(_) => "taken",
        Port::OnJcmd => "on-jcmd",
        Port::Shut(_) => "shut",
        Port::None => "none",
        Port::Unreadable => "unreadable",
    }
}

impl Serialize for JvmJson<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let listed = self.0;
        let jvm = listed.jvm;
        let inside = jvm.facts.inside.as_ref();
        let command = jvm.facts.command.iter().map(|word| word.to_string_lossy());
        let sockets = jvm.port.sockets();
        let debugger = jvm.debugger.as_ref().map(|owner| DebuggerJson {
            pid: owner.pid,
            name: &owner.name,
        });
        let mut map = s.serialize_map(None)?;
        map.serialize_entry("pid", &jvm.facts.pid)?;
        map.serialize_entry("user", &listed.user)?;
        map.serialize_entry("program", &jvm.program())?;
        map.serialize_entry("command", &command.collect::<Vec<_>>())?;
        map.serialize_entry(
            "version",
            &inside.and_then(|inside| inside.version.as_deref()),
        )?;
        map.serialize_entry("here", &inside.map(|inside| inside.is_here))?;
        map.serialize_entry("port", word(&jvm.port))?;
        let told: Vec<_> = sockets.iter().map(ToString::to_string).collect();
        map.serialize_entry("sockets", &told)?;
        let open = sockets.iter().any(|at| is_open_to_others(*at));
        map.serialize_entry("open_to_others", &open)?;
        map.serialize_entry("attach", &listed.attach())?;
        map.serialize_entry("debugger", &debugger)?;
        map.serialize_entry("recording", &listed.recording)?;
        map.serialize_entry("advice", &listed.advice())?;
        map.end()
    }
}
