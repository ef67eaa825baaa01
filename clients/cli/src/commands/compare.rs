//! `jhyde compare`: where two runs first differ, and which of their calls do.

use jhyde_proto::v1::compare_answer::Part;
use jhyde_proto::v1::{
    Call, CompareFooter, CompareRequest, CompareRule, CompareSide, CompareSpot, ComparedCall,
    ComparedDifference, Divergence, DivergenceAspect, ListCompareRulesRequest,
};
use tokio_stream::StreamExt as _;

use super::{Context, Notes, ROWS_FOR_PEOPLE, broke_off};
use crate::args::CompareArgs;
use crate::error::Error;
use crate::json::{ComparedJson, RulesJson, compare_origin};
use crate::output::{Look, Output};
use crate::source::Sources;
use crate::text::{Detail, call_line, clean, compact, event_line, place, plural};

/// So many calls of a chain, and variables, are shown to people.
const MOST: usize = 12;

/// Compares two recordings, or lists the rules.
///
/// # Errors
/// When the daemon refuses, or the output cannot be written.
pub async fn compare(context: &mut Context, args: &CompareArgs) -> Result<(), Error> {
    let (Some(passing), Some(failing)) = (&args.passing, &args.failing) else {
        let request = ListCompareRulesRequest {};
        let rules = context.client.queries.list_compare_rules(request).await?;
        return list(&rules.into_inner().rules, &mut context.out);
    };
    let most = match (args.limit, args.all) {
        (Some(limit), _) => Some(u64::from(limit)),
        (None, true) => Some(u64::MAX),
        (None, false) if context.out.json => None,
        (None, false) => Some(u64::from(ROWS_FOR_PEOPLE)),
    };
    let request = CompareRequest {
        recording: failing.clone(),
        against: passing.clone(),
        ignore: args.ignore.clone(),
        no_default_ignores: args.no_default_ignores,
        passing: args.learn.clone().unwrap_or_default(),
        max_rows: most,
    };
    let mut sources = [passing, failing].map(|name| context.sources(name, &args.source));
    let mut parts = context.client.queries.compare(request).await?.into_inner();
    let mut is_whole = false;
    while let Some(part) = parts.next().await {
        let Some(part) = part?.part else { continue };
        is_whole = matches!(part, Part::Footer(_));
        if let (true, Part::Header(header)) = (args.rules, &part) {
            return list(&header.rules, &mut context.out);
        }
        let code = code_of(&part, &mut sources).await;
        if context.out.json {
            let part = &part;
            context.out.object(&ComparedJson { part, code })?;
        } else {
            tell(&part, &code, &mut context.out)?;
        }
    }
    if is_whole {
        return Ok(());
    }
    Err(broke_off())
}

fn list(rules: &[CompareRule], out: &mut Output) -> Result<(), Error> {
    if out.json {
        return out.object(&RulesJson(rules));
    }
    for rule in rules {
        let origin = compare_origin(rule.origin());
        let origin = out.paint.text(Look::Faint, format!("  ({origin})"));
        out.line(format!("{}{origin}", clean(&rule.rule)))?;
    }
    Ok(())
}

fn difference_of(part: &Part) -> Option<&ComparedDifference> {
    match part {
        Part::Divergence(divergence) => divergence.difference.as_ref(),
        Part::Difference(difference) => Some(difference),
        _ => None,
    }
}

/// The source lines of a difference's two places.
async fn code_of(part: &Part, sources: &mut [Sources; 2]) -> [Option<String>; 2] {
    let Some(of) = difference_of(part) else {
        return [None, None];
    };
    let place = |spot: &'_ Option<CompareSpot>| spot.as_ref().and_then(|spot| spot.place.clone());
    let [left, right] = sources;
    [
        left.line(place(&of.left).as_ref()).await,
        right.line(place(&of.right).as_ref()).await,
    ]
}

fn tell(part: &Part, code: &[Option<String>; 2], out: &mut Output) -> Result<(), Error> {
    let indent = |depth: u32| "  ".repeat(usize::try_from(depth).unwrap_or(40).min(40));
    match part {
        Part::Header(_) => Ok(()),
        Part::Threads(threads) => {
            let name = format!("thread {}", clean(&threads.name));
            out.line(out.paint.text(Look::Strong, name))
        }
        Part::Divergence(divergence) => diverged(divergence, code, out),
        Part::Call(call) => called(call, &indent(call.depth), out),
        Part::Difference(of) => {
            let indent = indent(of.depth);
            out.line(
                out.paint
                    .text(Look::Changed, format!("{indent}≠ {}", what(of))),
            )?;
            sides(of, code, &format!("{indent}  "), out)
        }
        Part::Equal(equal) => {
            let calls = [
                (equal.calls > 0).then(|| format!("= {}", plural(equal.calls, "equal call"))),
                (equal.unknown > 0).then(|| {
                    format!(
                        "? {} that cannot be told to be equal",
                        plural(equal.unknown, "call")
                    )
                }),
            ];
            let calls: Vec<String> = calls.into_iter().flatten().collect();
            let text = format!("{}{}", indent(equal.depth), calls.join(", "));
            out.line(out.paint.text(Look::Faint, text))
        }
        Part::More(more) => {
            let text = format!(
                "{}≠ {} more",
                indent(more.depth),
                plural(more.differences, "difference")
            );
            out.line(out.paint.text(Look::Faint, text))
        }
        Part::Footer(footer) => ended(footer, out),
    }
}

fn what(of: &ComparedDifference) -> String {
    let only = match of.only() {
        CompareSide::Unspecified => "",
        CompareSide::Left => ", only left",
        CompareSide::Right => ", only right",
    };
    match (of.what.as_str(), of.effect.as_str()) {
        ("", effect) => format!("{effect}{only}"),
        (what, effect) if what == effect => format!("{effect}{only}"),
        (what, effect) => format!("{effect}: {}{only}", clean(what)),
    }
}

/// What happened on either side, with the lines.
fn sides(
    of: &ComparedDifference,
    code: &[Option<String>; 2],
    indent: &str,
    out: &mut Output,
) -> Result<(), Error> {
    let [left, right] = code;
    for (name, spot, code) in [("left ", &of.left, left), ("right", &of.right, right)] {
        let Some(spot) = spot else {
            out.line(format!("{indent}{name}  the thread had ended"))?;
            continue;
        };
        let event = spot.event.as_ref();
        let told = event.map(event_line).unwrap_or_default();
        let at = event.map(|event| event.timestamp).unwrap_or_default();
        let line = spot.place.as_ref().map(place).unwrap_or_default();
        let code = code
            .as_ref()
            .map(|code| format!("  │ {}", clean(code)))
            .unwrap_or_default();
        let faint = out
            .paint
            .text(Look::Faint, format!("   {line} @{at}{code}"));
        out.line(format!("{indent}{name}  {told}{faint}"))?;
    }
    Ok(())
}

fn diverged(
    divergence: &Divergence,
    code: &[Option<String>; 2],
    out: &mut Output,
) -> Result<(), Error> {
    let Some(of) = &divergence.difference else {
        return Ok(());
    };
    let aspect = match divergence.aspect() {
        DivergenceAspect::Value => "value",
        _ => "control",
    };
    let heading = format!("first divergence in {aspect}: {}", what(of));
    out.line(out.paint.text(Look::Bad, heading))?;
    sides(of, code, "  ", out)?;
    for (name, spot) in [("left ", &of.left), ("right", &of.right)] {
        let Some(spot) = spot else { continue };
        // A row without a value is a variable that there was not yet, the call's result above all.
        let rows = spot.state.iter().filter_map(|row| {
            let value = compact(row.end.as_ref()?);
            Some(format!("{} = {value}", clean(&row.name)))
        });
        let mut rows: Vec<String> = rows.collect();
        let rest = rows.len().saturating_sub(MOST);
        rows.truncate(MOST);
        if rest > 0 {
            rows.push(format!("… {rest} more"));
        }
        if !rows.is_empty() {
            out.line(format!("  {name}  state: {}", rows.join(", ")))?;
        }
        let skipped = spot.chain.len().saturating_sub(MOST);
        let chain = spot.chain.iter().skip(skipped);
        let chain = chain.map(|call| format!("{} [{}]", crate::text::call_name(call), call.id));
        let before = (skipped > 0).then(|| format!("… {}", plural(skipped as u64, "call")));
        let chain: Vec<String> = before.into_iter().chain(chain).collect();
        if !chain.is_empty() {
            let text = format!("  {name}  chain: {}", chain.join(" › "));
            out.line(out.paint.text(Look::Faint, text))?;
        }
        for note in &spot.notes {
            let text = format!("  {name}  {}", clean(note));
            out.line(out.paint.text(Look::Faint, text))?;
        }
    }
    Ok(())
}

fn called(call: &ComparedCall, indent: &str, out: &mut Output) -> Result<(), Error> {
    let line = |call: &Call, out: &Output| {
        let detail = Detail::list(out.width).indented(indent.len() + 2);
        call_line(call, detail, 0, out.paint)
    };
    match (&call.left, &call.right) {
        (Some(left), Some(right)) => {
            let right = out.paint.text(Look::Faint, format!("  [{}]", right.id));
            out.line(format!("{indent}{}{right}", line(left, out)))
        }
        (Some(left), None) => out.line(format!("{indent}- {}", line(left, out))),
        (None, Some(right)) => out.line(format!("{indent}+ {}", line(right, out))),
        (None, None) => Ok(()),
    }
}

fn ended(footer: &CompareFooter, out: &mut Output) -> Result<(), Error> {
    for (names, side) in [(&footer.only_left, "left"), (&footer.only_right, "right")] {
        for name in names {
            out.line(format!("thread {}: only {side}", clean(name)))?;
        }
    }
    let mut notes = Notes::default();
    notes.add(footer.notes.iter().cloned());
    notes.tell(out)?;
    let ignored: u64 = footer.rules.iter().map(|rule| rule.ignored).sum();
    let text = format!(
        "{}, {}, {} not known to be equal, {} ignored by rules, {} that cannot be told; {} and {} compared",
        plural(footer.differences, "difference"),
        plural(footer.equal_calls, "equal call"),
        footer.unknown_calls,
        ignored,
        footer.unknown,
        footer.left_events,
        plural(footer.right_events, "event"),
    );
    out.line(out.paint.text(Look::Faint, text))?;
    if footer.more {
        let text = "… there are more: --limit N shows so many rows of each pair of threads, --all shows all";
        out.line(out.paint.text(Look::Hint, text))?;
    }
    Ok(())
}
