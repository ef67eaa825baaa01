//! What somebody says of many calls at once: taken from requests, and told in sessions.

use jhyde_debugging::{Evidence, View};
use jhyde_proto::v1;
use jhyde_trace::pattern;
use tonic::Status;

use super::knowledge::Knower;
use super::{changed, jar, passing, property};
use crate::services::history::status;
use crate::services::status::invalid;

/// The field of requests that names what is trusted.
pub(super) const TRUSTED: &str = "evidence.trusted";

/// What a request says of many calls at once.
pub(super) fn understood(
    knower: &Knower<'_>,
    said: Option<v1::Evidence>,
    before: &Evidence,
) -> Result<Evidence, Status> {
    let said = said.unwrap_or_default();
    let mut evidence = Evidence::default();
    for class in said.trusted {
        if class.ends_with(".jar") {
            jar::add(knower, class, before, &mut evidence.jars)?;
            continue;
        }
        can_be_trusted(knower, &class)?;
        if !evidence.trusted.contains(&class) {
            evidence.trusted.push(class);
        }
    }
    evidence.properties = property::understood(knower, said.properties, before)?;
    evidence.changed = changed::understood(knower, said.changed, before)?;
    evidence.passing = passing::understood(knower, &said.passing, said.trust_passing, before)?;
    Ok(evidence)
}

/// A pattern must mean some recorded class: trust that takes nothing out is most likely a slip. A running program may load it
/// later.
fn can_be_trusted(knower: &Knower<'_>, class: &str) -> Result<(), Status> {
    pattern::check(class).map_err(|error| invalid(TRUSTED, error.to_string()))?;
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
        TRUSTED,
        format!(
            "no recorded class is called '{class}' (jhyde classes {} lists them)",
            recording.id()
        ),
    ))
}

/// What was said, as a session tells it.
pub(super) fn message(evidence: &Evidence) -> Option<v1::Evidence> {
    (!evidence.is_empty()).then(|| v1::Evidence {
        trusted: trusted(evidence).map(str::to_owned).collect(),
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
        passing: evidence.passing.iter().flat_map(passing::names).collect(),
        trust_passing: evidence
            .passing
            .as_ref()
            .is_some_and(|passing| passing.trusted.is_some()),
    })
}

/// The classes and jars that are trusted, as they were named.
fn trusted(evidence: &Evidence) -> impl Iterator<Item = &str> {
    let jars = evidence.jars.iter().map(|jar| jar.named.as_str());
    evidence.trusted.iter().map(String::as_str).chain(jars)
}

/// What follows from it, for people.
pub(super) fn notes(view: &View) -> impl Iterator<Item = String> {
    let evidence = view.kept.answers.evidence();
    let named: Vec<&str> = trusted(evidence).collect();
    let by_passing = evidence
        .passing
        .as_ref()
        .is_some_and(|passing| passing.trusted.is_some());
    let trusted = (!named.is_empty() || by_passing).then(|| {
        let calls = if view.trusted == 1 {
            "call is"
        } else {
            "calls are"
        };
        let mut why = Vec::new();
        if !named.is_empty() {
            why.push(format!(
                "their classes are trusted: {} (distrust takes that back)",
                named.join(", ")
            ));
        }
        if by_passing {
            why.push("passing runs did all that their methods did here".to_owned());
        }
        format!(
            "{} {calls} not asked about, because {}",
            view.trusted,
            why.join(", or because ")
        )
    });
    let properties = property::notes(evidence);
    trusted
        .into_iter()
        .chain(properties)
        .chain(changed::note(evidence))
        .chain(passing::notes(evidence))
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
