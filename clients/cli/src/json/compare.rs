//! Two runs held against each other: an object for each part of the answer, its kind in `part`.

use jhyde_proto::v1::compare_answer::Part;
use jhyde_proto::v1::{
    CompareRule, CompareRuleOrigin, CompareSide, CompareSpot, ComparedDifference, DivergenceAspect,
};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::{CallJson, EventJson, PlaceJson, ValueJson};

/// A part of the answer, with the source lines of the two places of a difference, where they are known.
#[derive(Debug)]
pub struct ComparedJson<'a> {
    /// The part.
    pub part: &'a Part,
    /// Left and right.
    pub code: [Option<String>; 2],
}

/// Rules.
#[derive(Debug)]
pub struct RulesJson<'a>(pub &'a [CompareRule]);

#[derive(Serialize)]
struct RuleJson<'a> {
    rule: &'a str,
    origin: &'static str,
    ignored: u64,
}

impl Serialize for RulesJson<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let rules = self.0.iter().map(|rule| RuleJson {
            rule: &rule.rule,
            origin: origin_word(rule.origin()),
            ignored: rule.ignored,
        });
        s.collect_seq(rules)
    }
}

/// Where a rule is from.
pub(crate) fn origin_word(origin: CompareRuleOrigin) -> &'static str {
    match origin {
        CompareRuleOrigin::Unspecified => "unknown",
        CompareRuleOrigin::Default => "default",
        CompareRuleOrigin::Given => "given",
        CompareRuleOrigin::Learnt => "learnt",
    }
}

impl Serialize for ComparedJson<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut map = s.serialize_map(None)?;
        match self.part {
            Part::Header(header) => {
                map.serialize_entry("part", "header")?;
                map.serialize_entry("left", &header.left)?;
                map.serialize_entry("right", &header.right)?;
                map.serialize_entry("rules", &RulesJson(&header.rules))?;
            }
            Part::Threads(threads) => {
                map.serialize_entry("part", "threads")?;
                map.serialize_entry("name", &threads.name)?;
                map.serialize_entry("left", &threads.left)?;
                map.serialize_entry("right", &threads.right)?;
            }
            Part::Divergence(divergence) => {
                map.serialize_entry("part", "divergence")?;
                let aspect = match divergence.aspect() {
                    DivergenceAspect::Unspecified => "unknown",
                    DivergenceAspect::Control => "control",
                    DivergenceAspect::Value => "value",
                };
                map.serialize_entry("aspect", aspect)?;
                if let Some(of) = &divergence.difference {
                    self.difference(of, true, &mut map)?;
                }
            }
            Part::Call(call) => {
                map.serialize_entry("part", "call")?;
                map.serialize_entry("depth", &call.depth)?;
                map.serialize_entry("left", &call.left.as_ref().map(CallJson))?;
                map.serialize_entry("right", &call.right.as_ref().map(CallJson))?;
            }
            Part::Difference(of) => {
                map.serialize_entry("part", "difference")?;
                self.difference(of, false, &mut map)?;
            }
            Part::Equal(equal) => {
                map.serialize_entry("part", "equal")?;
                map.serialize_entry("depth", &equal.depth)?;
                map.serialize_entry("calls", &equal.calls)?;
                map.serialize_entry("unknown", &equal.unknown)?;
            }
            Part::More(more) => {
                map.serialize_entry("part", "more")?;
                map.serialize_entry("depth", &more.depth)?;
                map.serialize_entry("differences", &more.differences)?;
            }
            Part::Footer(footer) => {
                map.serialize_entry("part", "footer")?;
                map.serialize_entry("left_events", &footer.left_events)?;
                map.serialize_entry("right_events", &footer.right_events)?;
                map.serialize_entry("equal_calls", &footer.equal_calls)?;
                map.serialize_entry("unknown_calls", &footer.unknown_calls)?;
                map.serialize_entry("differences", &footer.differences)?;
                map.serialize_entry("unknown", &footer.unknown)?;
                map.serialize_entry("rules", &RulesJson(&footer.rules))?;
                map.serialize_entry("only_left", &footer.only_left)?;
                map.serialize_entry("only_right", &footer.only_right)?;
                map.serialize_entry("more", &footer.more)?;
                map.serialize_entry("notes", &footer.notes)?;
            }
        }
        map.end()
    }
}

impl ComparedJson<'_> {
    fn difference<M: SerializeMap>(
        &self,
        of: &ComparedDifference,
        whole: bool,
        map: &mut M,
    ) -> Result<(), M::Error> {
        map.serialize_entry("depth", &of.depth)?;
        map.serialize_entry("effect", &of.effect)?;
        map.serialize_entry("what", &of.what)?;
        let only = match of.only() {
            CompareSide::Unspecified => None,
            CompareSide::Left => Some("left"),
            CompareSide::Right => Some("right"),
        };
        map.serialize_entry("only", &only)?;
        let [left, right] = &self.code;
        for (side, spot, code) in [("left", &of.left, left), ("right", &of.right, right)] {
            let spot = spot.as_ref().map(|spot| SpotJson { spot, code, whole });
            map.serialize_entry(side, &spot)?;
        }
        Ok(())
    }
}

struct SpotJson<'a> {
    spot: &'a CompareSpot,
    code: &'a Option<String>,
    whole: bool,
}

#[derive(Serialize)]
struct VariableJson<'a> {
    name: &'a str,
    variable: &'a str,
    value: Option<ValueJson<'a>>,
}

impl Serialize for SpotJson<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let spot = self.spot;
        let mut map = s.serialize_map(None)?;
        map.serialize_entry("event", &spot.event.as_ref().map(EventJson))?;
        map.serialize_entry("place", &spot.place.as_ref().map(PlaceJson))?;
        map.serialize_entry("code", self.code)?;
        map.serialize_entry("call", &spot.call)?;
        if self.whole {
            let chain: Vec<_> = spot.chain.iter().map(CallJson).collect();
            map.serialize_entry("chain", &chain)?;
            let state = spot.state.iter().map(|row| VariableJson {
                name: &row.name,
                variable: &row.variable,
                value: row.end.as_ref().map(ValueJson),
            });
            map.serialize_entry("state", &state.collect::<Vec<_>>())?;
            map.serialize_entry("notes", &spot.notes)?;
        }
        map.end()
    }
}
