//! Coverage.

use jhyde_proto::v1::{CallCoverage, CoveredChain, CoveredEdge, Declaration};
use serde::Serialize;

use super::{CallJson, PlaceJson};

/// What one call covered.
#[derive(Debug, Serialize)]
pub struct CoverageJson<'a> {
    call: Option<CallJson<'a>>,
    edges: Vec<EdgeJson<'a>>,
    chains: Vec<ChainJson<'a>>,
    notes: &'a [String],
}

#[derive(Debug, Serialize)]
struct EdgeJson<'a> {
    from: Option<PlaceJson<'a>>,
    to: Option<PlaceJson<'a>>,
    calls: u64,
}

#[derive(Debug, Serialize)]
struct ChainJson<'a> {
    declaration: &'static str,
    name: &'a str,
    defined: Option<PlaceJson<'a>>,
    by_entry: bool,
    used: Option<PlaceJson<'a>>,
    calls: u64,
}

impl<'a> From<&'a CallCoverage> for CoverageJson<'a> {
    fn from(coverage: &'a CallCoverage) -> Self {
        Self {
            call: coverage.call.as_ref().map(CallJson),
            edges: coverage.edges.iter().map(EdgeJson::from).collect(),
            chains: coverage.chains.iter().map(ChainJson::from).collect(),
            notes: &coverage.notes,
        }
    }
}

impl<'a> From<&'a CoveredEdge> for EdgeJson<'a> {
    fn from(edge: &'a CoveredEdge) -> Self {
        Self {
            from: edge.from.as_ref().map(PlaceJson),
            to: edge.to.as_ref().map(PlaceJson),
            calls: edge.calls,
        }
    }
}

impl<'a> From<&'a CoveredChain> for ChainJson<'a> {
    fn from(chain: &'a CoveredChain) -> Self {
        Self {
            declaration: match chain.declaration() {
                Declaration::Unspecified => "unknown",
                Declaration::Local => "local",
                Declaration::Field => "field",
                Declaration::Static => "static",
                Declaration::Element => "element",
            },
            name: &chain.name,
            defined: chain.defined.as_ref().map(PlaceJson),
            by_entry: chain.by_entry,
            used: chain.used.as_ref().map(PlaceJson),
            calls: chain.calls,
        }
    }
}

#[cfg(test)]
mod tests {
    use jhyde_proto::v1::Place;
    use serde_json::json;

    use super::*;

    #[test]
    fn the_keys_of_the_contract() {
        let place = |index, line| {
            Some(Place {
                class: "p.A".into(),
                method: "f".into(),
                descriptor: "(I)V".into(),
                index,
                line: Some(line),
                source_file: "A.java".into(),
            })
        };
        let chain = CoveredChain {
            declaration: Declaration::Local.into(),
            name: "n".into(),
            defined: place(None, 3),
            by_entry: true,
            used: place(Some(4), 4),
            calls: 2,
        };
        let edge = CoveredEdge {
            from: None,
            to: place(Some(0), 3),
            calls: u64::MAX,
        };
        let coverage = CallCoverage {
            edges: vec![edge],
            chains: vec![chain],
            ..CallCoverage::default()
        };
        let at = |index: Option<u32>, line: u32| {
            json!({
                "class": "p.A", "method": "f", "descriptor": "(I)V", "index": index, "line": line,
                "source_file": "A.java"
            })
        };
        let expected = json!({
            "call": null,
            "edges": [{"from": null, "to": at(Some(0), 3), "calls": u64::MAX}],
            "chains": [{
                "declaration": "local", "name": "n", "defined": at(None, 3), "by_entry": true,
                "used": at(Some(4), 4), "calls": 2
            }],
            "notes": [],
        });
        let told = serde_json::to_value(CoverageJson::from(&coverage)).unwrap();
        assert_eq!(told, expected);
    }
}
