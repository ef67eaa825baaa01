use std::collections::BTreeSet;

use prost::Message as _;
use prost_types::{DescriptorProto, FileDescriptorSet};

use super::*;

/// Descriptors of all that is served.
fn served() -> Vec<FileDescriptorSet> {
    let sets: [&[u8]; 4] = [
        jhyde_proto::DESCRIPTORS,
        tonic_health::pb::FILE_DESCRIPTOR_SET,
        tonic_reflection::pb::v1::FILE_DESCRIPTOR_SET,
        tonic_reflection::pb::v1alpha::FILE_DESCRIPTOR_SET,
    ];
    sets.map(|set| FileDescriptorSet::decode(set).unwrap())
        .to_vec()
}

/// Every method as a path, and its request's message.
fn methods() -> Vec<(String, String)> {
    let mut methods = Vec::new();
    for file in served().iter().flat_map(|set| &set.file) {
        for service in &file.service {
            for method in &service.method {
                let path = format!("/{}.{}/{}", file.package(), service.name(), method.name());
                methods.push((path, method.input_type().to_owned()));
            }
        }
    }
    methods
}

fn message(name: &str) -> DescriptorProto {
    for file in served().iter().flat_map(|set| &set.file) {
        let found = file
            .message_type
            .iter()
            .find(|it| format!(".{}.{}", file.package(), it.name()) == name);
        if let Some(found) = found {
            return found.clone();
        }
    }
    panic!("no message {name}")
}

/// Fields of a request that name recordings, as paths of numbers: they are called so all over the API.
fn fields_that_name_recordings(name: &str, prefix: &[u32], found: &mut BTreeSet<Vec<u32>>) {
    assert!(prefix.len() < 4, "{name} holds itself");
    for field in message(name).field {
        // A map's entry holds a key and a value, and no message of ours.
        if field.type_name().ends_with("Entry") {
            continue;
        }
        let mut path = prefix.to_vec();
        path.push(u32::try_from(field.number()).unwrap());
        if ["recording", "against", "passing"].contains(&field.name()) {
            found.insert(path);
        } else if field.type_name().starts_with(".jhyde.")
            && field.r#type() == prost_types::field_descriptor_proto::Type::Message
        {
            fields_that_name_recordings(field.type_name(), &path, found);
        }
    }
}

#[test]
fn every_method_is_decided_on_once() {
    let methods = methods();
    assert!(methods.len() > 60, "{methods:?}");
    for (path, _) in &methods {
        assert!(find(path).is_some(), "{path}: say in METHODS what it needs");
    }
    for method in METHODS {
        let same = METHODS.iter().filter(|other| other.path == method.path);
        assert_eq!(same.count(), 1, "{}", method.path);
        assert!(
            methods.iter().any(|(path, _)| path == method.path),
            "{} is no method",
            method.path
        );
    }
}

#[test]
fn every_stream_is_known_to_be_one() {
    for file in served().iter().flat_map(|set| &set.file) {
        // Health tells of the end itself, and reflection answers what is asked.
        let ours = file.package() == "jhyde.v1";
        for service in file.service.iter().filter(|_| ours) {
            for method in &service.method {
                let path = format!("/{}.{}/{}", file.package(), service.name(), method.name());
                let is_known = find(&path).unwrap().streams != Streams::No;
                assert_eq!(method.server_streaming(), is_known, "{path}");
            }
        }
    }
}

#[test]
fn every_field_that_names_a_recording_is_looked_at() {
    for (path, request) in methods() {
        if !path.starts_with("/jhyde.") {
            continue;
        }
        let mut fields = BTreeSet::new();
        fields_that_name_recordings(&request, &[], &mut fields);
        let looked_at: BTreeSet<Vec<u32>> = match find(&path).unwrap().names {
            Names::Asked(paths) => paths.iter().map(|path| path.to_vec()).collect(),
            Names::Made(field) => {
                let message = message(&request);
                let field = message.field.iter().find(|it| it.number() as u32 == field);
                assert_eq!(field.unwrap().name(), "name", "{path}");
                BTreeSet::new()
            }
            Names::None | Names::Listed | Names::All => BTreeSet::new(),
        };
        assert_eq!(looked_at, fields, "{path}");
    }
}

#[test]
fn only_health_is_open_and_browsers_start_nothing() {
    for method in METHODS {
        assert_eq!(
            method.needs == Nothing,
            method.path.starts_with("/grpc.health.v1.Health/"),
            "{}",
            method.path
        );
        let strong = matches!(method.needs, The(Launch | Manage) | ToBeTheOwner);
        assert!(!(strong && method.page == May), "{}", method.path);
        let no_key = method.page == GetsItsKey;
        assert_eq!(no_key, method.path == "/jhyde.v1.Web/Redeem");
    }
    for path in ["Attach", "Listen", "Launch", "Import", "Keep", "Delete"] {
        let method = find(&format!("/jhyde.v1.Recordings/{path}")).unwrap();
        assert_eq!(method.page, MayNot, "{path}");
    }
}

#[test]
fn paths_are_taken_as_they_are_written() {
    for path in [
        "/",
        "",
        "/jhyde.v1.Recordings",
        "/jhyde.v1.Recordings/",
        "/jhyde.v1.Recordings/Launch/",
        "//jhyde.v1.Recordings/Launch",
        "/jhyde.v1.recordings/Get",
        "/jhyde.v1.Recordings/get",
    ] {
        assert!(find(path).is_none(), "{path}");
    }
}

#[test]
fn whatever_changes_something_is_audited() {
    for path in UNAUDITED {
        let method = find(path).unwrap();
        assert!(
            matches!(
                method.needs,
                Nothing | ToBeKnown | The(Read | Manage) | ToBeTheOwner
            ),
            "{path}"
        );
    }
    let changing = |method: &&Method| matches!(method.needs, The(Debug | Record | Launch));
    let mut changing = METHODS.iter().filter(changing);
    assert!(changing.all(Method::is_audited));
    for path in [
        "Recordings/Delete",
        "Recordings/Export",
        "Daemon/Stop",
        "Queries/Sql",
        "Web/Redeem",
    ] {
        assert!(
            find(&format!("/jhyde.v1.{path}")).unwrap().is_audited(),
            "{path}"
        );
    }
}
