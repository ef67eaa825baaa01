//! Jars that are trusted: which of the recorded classes are theirs.

use std::collections::BTreeSet;
use std::path::Path;

use jhyde_bytecode::{ClassFile, ClassSource};
use jhyde_debugging::{Evidence, TrustedJar};
use jhyde_history::content::code_digest;
use jhyde_proto::v1;
use jhyde_trace::ClassInfo;
use tonic::{Request, Status};

use super::evidence::TRUSTED;
use super::knowledge::Knower;
use crate::access::caller;
use crate::error::Kind;
use crate::services::history::status;
use crate::services::status::{invalid, with_details};

/// Files of the daemon's user are opened for those alone who can open them anyway.
pub(super) fn may_be_named<T>(
    request: &Request<T>,
    said: Option<&v1::Evidence>,
) -> Result<(), Status> {
    let names_one =
        said.is_some_and(|said| said.trusted.iter().any(|named| named.ends_with(".jar")));
    if names_one && !caller(request).may_name_files() {
        return Err(with_details(
            Kind::PermissionDenied,
            "JAR_OVER_TCP",
            Some(TRUSTED),
            "jars of the daemon's machine can be named by its user alone, at its unix socket, and with the right 'launch'; name \
             classes or packages",
        ));
    }
    Ok(())
}

/// Adds a jar, or what was known of it before.
pub(super) fn add(
    knower: &Knower<'_>,
    named: String,
    before: &Evidence,
    jars: &mut Vec<TrustedJar>,
) -> Result<(), Status> {
    let is_it = |jar: &&TrustedJar| jar.named == named;
    if jars.iter().any(|jar| is_it(&jar)) {
        return Ok(());
    }
    let jar = match before.jars.iter().find(is_it) {
        Some(before) => before.clone(),
        None => read(knower, named)?,
    };
    jars.push(jar);
    Ok(())
}

/// A recording does not know which jar a class came from, but what code it ran: the jar must have that.
fn read(knower: &Knower<'_>, named: String) -> Result<TrustedJar, Status> {
    let refused = |text: String| invalid(TRUSTED, text);
    let path = Path::new(&named);
    if !path.is_absolute() {
        return Err(refused(format!(
            "'{named}': name a jar by its absolute path"
        )));
    }
    // A release of no consequence: all classes of all releases have the same names.
    let jar = ClassSource::open(path, 17).map_err(|error| refused(error.to_string()))?;
    let names = jar.names().map_err(|error| refused(error.to_string()))?;
    let classes: BTreeSet<String> = names.iter().map(|name| name.replace('/', ".")).collect();
    let recording = knower.recording();
    let mut any = false;
    for id in recording.classes() {
        let class = recording.class(id).map_err(|error| status(error.into()))?;
        let Some(class) = class.filter(|class| class.in_scope && classes.contains(&class.name))
        else {
            continue;
        };
        any = true;
        let name = class.name.replace('.', "/");
        let bytes = jar
            .read(&name)
            .map_err(|error| refused(error.to_string()))?;
        if let Some(other) = bytes.and_then(|bytes| other_code(&class, bytes)) {
            return Err(refused(format!(
                "{}.{other} ran with other code than {named} has: it did not come from there, or that is another version; \
                 name the class or its package instead",
                class.name
            )));
        }
    }
    if !any && !recording.meta().state.is_live() {
        return Err(refused(format!(
            "no recorded class is in {named} (jhyde classes {} lists them)",
            recording.id()
        )));
    }
    Ok(TrustedJar {
        named,
        classes: classes.into_iter().collect(),
    })
}

/// A method of a recorded class that has other code in a class file.
fn other_code(class: &ClassInfo, bytes: Vec<u8>) -> Option<String> {
    let Ok(file) = ClassFile::parse(bytes) else {
        return Some("*".to_owned());
    };
    let mut recorded = class
        .methods
        .iter()
        .filter(|method| !method.code.is_empty());
    let other = recorded.find(|method| {
        let found = file.method(&method.name, &method.descriptor);
        let code = found.and_then(|found| found.code.as_ref());
        code.is_none_or(|code| code_digest(&code.bytes) != code_digest(&method.code))
    });
    other.map(|method| method.name.clone())
}
