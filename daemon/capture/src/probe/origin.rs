//! Where a class came from that is not on the class path: a loader of the program's own, or a jar that another jar's manifest names. The
//! JVM is asked for the class's code source; nothing of the program runs for that, as asking its loader for the bytes would
//! make it: `Class.getProtectionDomain` is code of the JDK, and the rest are fields.
//!
//! Classes that were made at run time have none that can be read.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use jdwp::commands::{object_reference, reference_type, string_reference, virtual_machine};
use jdwp::{FieldId, InvokeOptions, MethodId, ObjectId, ReferenceTypeId, StringId, ThreadId};
use percent_encoding::percent_decode_str;

use crate::error::LinkError;
use crate::jvm::Link;

/// How the JDK's classes are asked.
#[derive(Clone, Copy, Debug)]
struct Members {
    classes: ReferenceTypeId,
    domain: MethodId,
    /// `ProtectionDomain.codesource`, `CodeSource.location`, `URL.protocol` and `URL.file`.
    source: FieldId,
    location: FieldId,
    protocol: FieldId,
    file: FieldId,
}

/// Asks for the places of classes.
#[derive(Debug, Default)]
pub(super) struct Origins {
    /// `Some(None)`: this JDK has other members.
    members: Option<Option<Members>>,
}

impl Origins {
    /// The place that a class was defined from, asked for in a thread that an event has suspended; `None` where it has
    /// none in the file system.
    pub(super) fn of(
        &mut self,
        link: &mut Link,
        thread: ThreadId,
        class: ReferenceTypeId,
    ) -> Result<Option<Origin>, LinkError> {
        let members = match self.members {
            Some(known) => known,
            None => *self.members.insert(members(link)?),
        };
        let Some(members) = members else {
            return Ok(None);
        };
        let class_object = reference_type::ClassObject { ref_type: class };
        let Ok(class_object) = link.request(&class_object)? else {
            return Ok(None);
        };
        let asked = object_reference::InvokeMethod {
            object: ObjectId(class_object.0),
            thread,
            class: members.classes,
            method: members.domain,
            arguments: Vec::new(),
            options: InvokeOptions::SINGLE_THREADED,
        };
        let domain = link.request(&asked)?;
        let domain = domain.ok().filter(|told| told.exception.id.is_null());
        let Some(domain) = domain.and_then(|told| told.value.object()) else {
            return Ok(None);
        };
        let Some(source) = held(link, domain.id, members.source)? else {
            return Ok(None);
        };
        let Some(location) = held(link, source, members.location)? else {
            return Ok(None);
        };
        let protocol = text(link, location, members.protocol)?;
        let file = text(link, location, members.file)?;
        let origin = protocol.zip(file);
        Ok(origin.and_then(|(protocol, file)| Origin::of(&protocol, &file)))
    }
}

/// A folder or jar, or what lies in a jar.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Origin {
    pub(super) path: PathBuf,
    /// An entry of that jar: a jar, or a folder.
    pub(super) inside: Option<String>,
}

impl Origin {
    /// What a URL names by its protocol and the rest: `file:/shop.jar`, `jar:file:/shop.jar!/lib/money.jar!/` as
    /// `java.net.JarURLConnection` has it, or `jar:nested:/shop.jar/!lib/money.jar!/`, as launchers of programs in one jar have
    /// it. None deeper.
    fn of(protocol: &str, file: &str) -> Option<Self> {
        let (outer, inside) = match protocol {
            "file" => (file, ""),
            "jar" => match (file.strip_prefix("file:"), file.strip_prefix("nested:")) {
                (Some(file), _) => file.split_once("!/")?,
                (_, Some(nested)) => nested.split_once("/!")?,
                _ => return None,
            },
            _ => return None,
        };
        let inside = inside.trim_end_matches('/').trim_end_matches('!');
        let inside = inside.trim_end_matches('/');
        if inside.contains('!') {
            return None;
        }
        let inside = percent_decode_str(inside).decode_utf8_lossy().into_owned();
        Some(Self {
            path: path(outer),
            inside: Some(inside).filter(|inside| !inside.is_empty()),
        })
    }
}

/// The path of a URL of the file system (RFC 8089), without what is escaped.
fn path(file: &str) -> PathBuf {
    let bytes: Vec<u8> = percent_decode_str(file).collect();
    PathBuf::from(OsStr::from_bytes(&bytes))
}

/// The object that a field holds.
fn held(link: &mut Link, object: ObjectId, field: FieldId) -> Result<Option<ObjectId>, LinkError> {
    if object.is_null() {
        return Ok(None);
    }
    let fields = vec![field];
    let told = link.request(&object_reference::GetValues { object, fields })?;
    let value = told.ok().and_then(|values| values.first().copied());
    let held = value.and_then(|value| value.object());
    Ok(held.map(|held| held.id).filter(|id| !id.is_null()))
}

fn text(link: &mut Link, object: ObjectId, field: FieldId) -> Result<Option<String>, LinkError> {
    let Some(string) = held(link, object, field)? else {
        return Ok(None);
    };
    let string = StringId(string.0);
    let told = link.request(&string_reference::Value { string })?;
    Ok(told.ok().map(|text| text.to_string_lossy().into_owned()))
}

fn members(link: &mut Link) -> Result<Option<Members>, LinkError> {
    let found = find(link)?;
    if let Err(missing) = &found {
        tracing::warn!(%missing, "where classes that are not on the class path come from cannot be asked");
    }
    Ok(found.ok())
}

/// The error says what this JDK does not have.
fn find(link: &mut Link) -> Result<Result<Members, String>, LinkError> {
    let mut classes = Vec::new();
    for name in [
        "java/lang/Class",
        "java/security/ProtectionDomain",
        "java/security/CodeSource",
        "java/net/URL",
    ] {
        let signature = format!("L{name};").as_str().into();
        let found = link.request(&virtual_machine::ClassesBySignature { signature })?;
        match found
            .ok()
            .and_then(|found| found.first().map(|c| c.type_id))
        {
            Some(class) => classes.push(class),
            None => return Ok(Err(name.to_owned())),
        }
    }
    let [class, domain, source, url] = classes[..] else {
        return Ok(Err("a class".to_owned()));
    };
    let methods = link.request(&reference_type::Methods { ref_type: class })?;
    let get = methods.ok().and_then(|methods| {
        let mut methods = methods.iter();
        let get = methods.find(|method| method.name.as_str() == Some("getProtectionDomain"))?;
        Some(get.method)
    });
    let mut fields = Vec::new();
    for (ref_type, name) in [
        (domain, "codesource"),
        (source, "location"),
        (url, "protocol"),
        (url, "file"),
    ] {
        let known = link.request(&reference_type::Fields { ref_type })?;
        match known.ok().and_then(|known| named(&known, name)) {
            Some(field) => fields.push(field),
            None => return Ok(Err(format!("the field {name}"))),
        }
    }
    Ok(match (get, &fields[..]) {
        (Some(get), &[source, location, protocol, file]) => Ok(Members {
            classes: class,
            domain: get,
            source,
            location,
            protocol,
            file,
        }),
        _ => Err("Class.getProtectionDomain".to_owned()),
    })
}

fn named(fields: &[reference_type::FieldInfo], name: &str) -> Option<FieldId> {
    let mut fields = fields.iter();
    let found = fields.find(|field| field.name.as_str() == Some(name))?;
    Some(found.field)
}

#[cfg(test)]
mod tests {
    use super::{Origin, path};
    use std::path::Path;

    #[test]
    fn places_inside_of_jars_are_named_in_two_ways() {
        let of = |protocol, file| {
            let origin = Origin::of(protocol, file)?;
            Some((origin.path.display().to_string(), origin.inside))
        };
        let jar = |inside: Option<&str>| Some(("/a b/x.jar".to_owned(), inside.map(str::to_owned)));
        assert_eq!(of("file", "/a%20b/x.jar"), jar(None));
        assert_eq!(of("jar", "file:/a%20b/x.jar!/"), jar(None));
        let lib = jar(Some("BOOT-INF/lib/é.jar"));
        assert_eq!(
            of("jar", "file:/a%20b/x.jar!/BOOT-INF/lib/%c3%a9.jar!/"),
            lib
        );
        assert_eq!(
            of("jar", "nested:/a%20b/x.jar/!BOOT-INF/lib/%c3%a9.jar!/"),
            lib
        );
        let classes = jar(Some("BOOT-INF/classes"));
        assert_eq!(of("jar", "file:/a%20b/x.jar!/BOOT-INF/classes!/"), classes);
        assert_eq!(
            of("jar", "nested:/a%20b/x.jar/!BOOT-INF/classes/!/"),
            classes
        );
        assert_eq!(of("jar", "file:/x.jar!/a.jar!/b.jar!/"), None);
        assert_eq!(of("jar", "http://example.org/x.jar!/"), None);
        assert_eq!(of("jrt", "/java.base"), None);
    }

    #[test]
    fn places_are_read_without_their_escapes() {
        assert_eq!(path("/a%20b/c%c3%a9.jar"), Path::new("/a b/cé.jar"));
        assert_eq!(path("/plain/classes/"), Path::new("/plain/classes"));
    }
}
