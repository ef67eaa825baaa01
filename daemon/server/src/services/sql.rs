//! Statements in SQL, for the service `Queries`: parts of an answer between the query floor and gRPC.

use jhyde_proto::v1;
use jhyde_query::sql::{
    Answered, ArrowStream, Datum, DefinedDoc, Described, ModuleDoc, Seen, SqlError, Statement,
    Taker, Type,
};
use jhyde_query::{Error, Result};
use tonic::Status;

use super::parts::{Parts, Unsent};
use super::queries::status;
use crate::error::Kind;
use crate::services::status::with_details;

/// Hands the parts of an answer to a client, no faster than it takes them.
struct Sending<'a> {
    parts: &'a Parts<v1::SqlAnswer>,
    seen: &'a [Seen],
    as_arrow: bool,
    /// The stream, once the columns are known.
    arrow: Option<ArrowStream>,
}

/// Bytes of a piece of an Arrow stream.
const PIECE: usize = 256 << 10;

impl Sending<'_> {
    fn send(&self, part: v1::sql_answer::Part) -> Result<()> {
        let sent = self.parts.send(v1::SqlAnswer { part: Some(part) });
        sent.map_err(|unsent| match unsent {
            Unsent::Gone => Error::Cancelled,
            Unsent::Late => SqlError::Timeout.into(),
        })
    }

    fn pieces(&self, bytes: &[u8]) -> Result<()> {
        let mut pieces = bytes.chunks(PIECE);
        pieces.try_for_each(|piece| self.send(v1::sql_answer::Part::Arrow(piece.to_vec())))
    }

    /// What was held back.
    fn end(&mut self) -> Result<()> {
        match self.arrow.take() {
            Some(arrow) => self.pieces(&arrow.end()?),
            None => Ok(()),
        }
    }
}

impl Taker for Sending<'_> {
    fn columns(&mut self, columns: &[Answered<'_>]) -> Result<()> {
        self.arrow = self.as_arrow.then(|| ArrowStream::new(columns, self.seen));
        self.send(v1::sql_answer::Part::Header(v1::SqlHeader {
            columns: columns
                .iter()
                .map(|column| column.name.to_owned())
                .collect(),
            until: self.seen.first().map_or(0, |seen| seen.until.0),
            seen: self.seen.iter().map(seen).collect(),
        }))
    }

    fn row(&mut self, cells: Vec<Datum>) -> Result<()> {
        if let Some(arrow) = &mut self.arrow {
            let ready = arrow.row(cells)?;
            return self.pieces(&ready);
        }
        self.send(v1::sql_answer::Part::Row(v1::SqlRow {
            cells: cells.into_iter().map(cell).collect(),
        }))
    }
}

fn seen(seen: &Seen) -> v1::SqlSeen {
    v1::SqlSeen {
        schema: seen.schema.clone(),
        recording: seen.meta.id.clone(),
        name: seen.meta.name.clone(),
        until: seen.until.0,
    }
}

fn cell(datum: Datum) -> v1::SqlCell {
    use v1::sql_cell::Kind;
    let kind = match datum {
        Datum::Null => None,
        Datum::Int(number) => Some(Kind::Int(number)),
        Datum::Real(number) => Some(Kind::Real(number)),
        Datum::Text(text) => Some(Kind::Text(text)),
        Datum::Bytes(bytes) => Some(Kind::Bytes(bytes)),
    };
    v1::SqlCell { kind }
}

/// Runs a statement and sends its answer.
pub(super) fn answer(statement: &Statement, as_arrow: bool, parts: &Parts<v1::SqlAnswer>) {
    let mut sending = Sending {
        parts,
        seen: statement.seen(),
        as_arrow,
        arrow: None,
    };
    let ended = statement.run(&mut sending);
    let sent = ended.and_then(|ended| {
        sending.end()?;
        sending.send(v1::sql_answer::Part::Footer(v1::SqlFooter {
            rows: ended.rows,
            more: ended.more,
            notes: ended.notes,
            blocks: ended.blocks,
            blocks_decoded: ended.decoded,
        }))
    });
    if let Err(error) = sent {
        parts.fail(status(error));
    }
}

/// A message that fits into the header of an answer, whatever of the statement it quotes.
fn short(mut told: String) -> String {
    const MOST: usize = 1000;
    if let Some((end, _)) = told.char_indices().nth(MOST) {
        told.truncate(end);
        told.push('…');
    }
    told
}

/// The status of a statement that cannot be answered, of which this is told.
pub(super) fn sql_status(error: &SqlError, told: String) -> Status {
    let told = short(told);
    match error {
        SqlError::Wrong { .. } | SqlError::Unquoted { .. } => {
            with_details(Kind::InvalidArgument, "SQL", Some("statement"), told)
        }
        SqlError::Level { .. } => {
            with_details(Kind::FailedPrecondition, "LEVEL", Some("recording"), told)
        }
        SqlError::Memory { .. } => {
            with_details(Kind::InvalidArgument, "MEMORY", Some("max_memory"), told)
        }
        SqlError::Files { .. } => {
            with_details(Kind::InvalidArgument, "FILES", Some("statement"), told)
        }
        SqlError::Disk { .. } => with_details(Kind::ResourceExhausted, "DISK", None, told),
        SqlError::Timeout => Status::deadline_exceeded(told),
        _ => with_details(Kind::InvalidArgument, "SQL_FAILED", Some("statement"), told),
    }
}

/// A table in words.
pub(super) fn table(table: Described) -> v1::SqlTable {
    v1::SqlTable {
        name: table.name.to_owned(),
        description: table.doc.to_owned(),
        level: table.level.to_string(),
        columns: table
            .columns
            .into_iter()
            .map(|(name, of, description)| v1::SqlColumn {
                name,
                r#type: of.sql().to_owned(),
                description,
            })
            .collect(),
        arguments: table
            .arguments
            .into_iter()
            .map(|(name, description)| v1::SqlArgument { name, description })
            .collect(),
        served: table
            .served
            .into_iter()
            .map(|(predicate, by)| v1::SqlAccess {
                predicate,
                by: by.to_owned(),
            })
            .collect(),
    }
}

/// A module in words.
pub(super) fn module(module: ModuleDoc) -> v1::SqlModule {
    v1::SqlModule {
        name: module.name.to_owned(),
        description: module.doc,
        definitions: module.defined.into_iter().map(definition).collect(),
    }
}

fn definition(defined: DefinedDoc) -> v1::SqlDefinition {
    let columns = |all: Vec<(String, Option<Type>, String)>| {
        let all = all
            .into_iter()
            .map(|(name, of, description)| v1::SqlColumn {
                name,
                r#type: of.map_or("", Type::sql).to_owned(),
                description,
            });
        all.collect()
    };
    v1::SqlDefinition {
        name: defined.name,
        description: defined.doc,
        arguments: columns(defined.arguments),
        columns: columns(defined.columns),
    }
}
