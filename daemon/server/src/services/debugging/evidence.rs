//! What somebody says of many calls at once: taken from requests, and told in sessions.

use jhyde_debugging::{Evidence, View};
use jhyde_proto::v1;
use jhyde_trace::pattern;
use tonic::Status;

use super::knowledge::Knower;
use super::{changed, property};
use crate::services::history::status;
use crate::services::status::invalid;

/// What a request says of many calls at once.
pub(super) fn understood(
    knower: &Knower<'_>,
    said: Option<v1::Evidence>,
    before: &Evidence,
) -> Result<Evidence, Status> {
    let said = said.unwrap_or_default();
    let mut evidence = Evidence::default();
    for class in said.trusted {
        can_be_trusted(knower, &class)?;
        if !evidence.trusted.contains(&class) {
            evidence.trusted.push(class);
        }
    }
    evidence.properties = property::understood(knower, said.properties, before)?;
    evidence.changed = changed::understood(knower, said.changed, before)?;
    Ok(evidence)
}

/// A pattern must mean some recorded class: trust that takes nothing out is most likely a slip. A running program may load it
/// later.
fn can_be_trusted(knower: &Knower<'_>, class: &str) -> Result<(), Status> {
    const FIELD: &str = "evidence.trusted";
    if class.ends_with(".jar") {
        return Err(invalid(
            FIELD,
            format!(
                "'{class}' is a jar: a recording does not know which jar a class came from; name its packages, such as \
                 com.google.gson.*"
            ),
        ));
    }
    pattern::check(class).map_err(|error| invalid(FIELD, error.to_string()))?;
    let recording = knower.recording();
    if recording.meta().state.is_live() {
        return Ok(());
    }
    for id in recording.classes() {
        let found = recording.class(id).map_err(|error| status(error.into()))?;
        if found.is_some_and(|found| found.in_scope && pattern::matches(class, &found.name)) {
            return Ok(());
        }
    }
    Err(invalid(
        FIELD,
        format!(
            "no recorded class is called '{class}' (jhyde classes {} lists them)",
            recording.id()
        ),
    ))
}

/// What was said, as a session tells it.
pub(super) fn message(evidence: &Evidence) -> Option<v1::Evidence> {
    (!evidence.is_empty()).then(|| v1::Evidence {
        trusted: evidence.trusted.clone(),
        properties: evidence
            .properties
            .iter()
            .map(|property| property.text.clone())
            .collect(),
        changed: evidence.changed.as_ref().map(|changed| v1::Change {
            from: changed.from.clone(),
            diff: String::new(),
            only: changed.only,
        }),
    })
}

/// What follows from it, for people.
pub(super) fn notes(view: &View) -> impl Iterator<Item = String> {
    let evidence = view.kept.answers.evidence();
    let trusted = (!evidence.trusted.is_empty()).then(|| {
        let calls = if view.trusted == 1 { "call is" } else { "calls are" };
        format!(
            "{} {calls} not asked about, because their classes are trusted: {} (distrust takes that back)",
            view.trusted,
            evidence.trusted.join(", ")
        )
    });
    let properties = property::notes(evidence);
    trusted
        .into_iter()
        .chain(properties)
        .chain(changed::note(evidence))
        .chain(ruled_out(view))
}

/// A call that does not have a property, although answers say that all there is right: both cannot be.
fn ruled_out(view: &View) -> Option<String> {
    let answers = &view.kept.answers;
    if !view.broken.is_empty() {
        return None;
    }
    let said = answers.said();
    let mut properties = answers.evidence().properties.iter();
    properties.find_map(|property| {
        let mut broken = property.broken.iter();
        let call = broken.find(|call| {
            !said.contains_key(call) && !answers.knowing().is_doubted(**call)
        })?;
        Some(format!(
            "call {call} does not have the property {}, but is not suspicious by what was said otherwise (answers, trust, \
             or a restriction): if the property is right, take that back",
            property.text
        ))
    })
}

/// The calls that are invalid because they do not have a property, as known answers.
pub(super) fn known(view: &View) -> impl Iterator<Item = v1::KnownAnswer> {
    let evidence = view.kept.answers.evidence();
    view.broken.iter().map(|call| {
        let mut known = v1::KnownAnswer {
            call: call.to_string(),
            told: evidence
                .broken_by(*call)
                .map(|property| property.text.clone())
                .unwrap_or_default(),
            ..v1::KnownAnswer::default()
        };
        known.set_answer(v1::AnswerKind::Invalid);
        known.set_from(v1::KnownFrom::Property);
        known
    })
}
