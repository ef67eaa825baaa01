//! `jhyde debug`: declarative debugging (design, section 5). The daemon searches; this side shows its
//! questions and passes the answers on, to people (`talk`) or programs (`lines`).

mod change;
mod entry;
mod evidence;
mod input;
mod known;
mod lines;
mod program;
mod screen;
mod search;
mod talk;
mod variable;

use std::path::{Path, PathBuf};

use crate::args::DebugArgs;
use crate::commands::{Context, call_argument};
use crate::error::Error;
use crate::memory::Memory;
use jhyde_proto::v1::{Evidence, Knowing};
use search::{Begin, Search};

/// The names of the strategies, as design, section 5 has them.
pub const STRATEGIES: [&str; 7] = [
    "adaptive",
    "top-down",
    "divide-and-query",
    "coverage-halving:edges",
    "coverage-halving:du-chains",
    "coverage-expected:edges",
    "coverage-expected:du-chains",
];

/// Begins a session or goes on with one.
///
/// # Errors
/// When the daemon refuses, or the terminal cannot be used.
pub async fn debug(context: &mut Context, args: &DebugArgs) -> Result<(), Error> {
    let restrict = args.restrict.as_deref().map(call_argument);
    let strategy = args.strategy.as_deref();
    // What is wrong with the folder is said before a session begins.
    let memory = args.memory.as_deref().map(Memory::open).transpose()?;
    let changed = |range: &str| {
        let mut folders = args.source.source.iter();
        let folder = folders.find(|folder| folder.is_dir());
        let folder = folder.map_or_else(|| Path::new("."), PathBuf::as_path);
        change::of(range, folder, args.trust_unchanged)
    };
    let evidence = Evidence {
        trusted: args
            .trust
            .iter()
            .map(|class| evidence::trusted(class))
            .collect(),
        properties: args.assert.clone(),
        changed: args.changed.as_deref().map(changed).transpose()?,
        passing: args.passing.clone(),
        trust_passing: args.trust_passing,
    };
    let mut search = match args.session.as_deref() {
        None => {
            let strategy = strategy.unwrap_or_default();
            let begin = Begin {
                strategy,
                restrict_to: restrict.unwrap_or_default(),
                knowing: match (args.known || args.memory.is_some(), args.no_known) {
                    (true, _) => Knowing::On,
                    (_, true) => Knowing::Off,
                    _ => Knowing::Unspecified,
                },
                against: args.against.clone().unwrap_or_default(),
                values: args.values,
                evidence,
            };
            Search::begin(&context.client, &args.recording, begin).await?
        }
        Some(session) => {
            let mut search = Search::resume(&context.client, &args.recording, session).await?;
            if let Some(strategy) = strategy.filter(|s| *s != search.session.strategy) {
                search.set_strategy(strategy).await?;
            }
            if let Some(call) = restrict.filter(|call| *call != search.session.restricted_to) {
                search.restrict(call).await?;
            }
            if (args.known || args.no_known) && args.known != search.session.knowing {
                search.know(args.known).await?;
            }
            search.add(evidence).await?;
            search
        }
    };
    search.pointing = !args.no_pointing;
    if args.no_values {
        search.without_values();
    }
    if let Some(memory) = memory {
        search.remember(memory).await?;
    }
    context.source = args.source.clone();
    if context.out.json {
        return lines::run(context, &mut search, args.details).await;
    }
    talk::run(context, &mut search, args.session.is_some()).await
}
