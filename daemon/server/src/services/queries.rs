//! The service `Queries`: ready-made queries over a recording.
//!
//! A query runs on a blocking thread and hands its rows through a short way (`parts`), so that what a client does not take is
//! not looked for. It ends when the client goes away or takes nothing for long, and when its time is over.

use std::io::{self, Write as _};
use std::sync::Arc;
use std::time::{Duration, Instant};

use jhyde_debugging::Sessions;
use jhyde_history::History;
use jhyde_proto::v1;
use jhyde_query::catalogue::{Parameter, QUERIES, Query};
use jhyde_query::jel::{self, Options};
use jhyde_query::sql::{Asked, Limits, MOST_ASKED, Statement};
use jhyde_query::{Cell, Column, ColumnType, Error, Prepared};
use tonic::{Request, Response, Status};

use super::compare;
use super::debugging::unfit;
use super::history::{CancelOnDrop, blocking, open, status as history_status};
use super::judged::SessionsOf;
use super::parts::{Answer, Parts, Unsent, parts};
use super::sql;
use crate::config::ByteSize;
use crate::daemon::Daemon;
use crate::error::Kind;
use crate::services::status::{invalid, with_details};
use crate::services::to_proto;

/// See the module.
#[derive(Debug)]
pub struct QueriesService {
    daemon: Arc<Daemon>,
    sessions: Arc<Sessions>,
}

impl QueriesService {
    /// The service over this daemon, with the sessions of its recordings.
    pub fn new(daemon: Arc<Daemon>, sessions: Arc<Sessions>) -> Self {
        Self { daemon, sessions }
    }
}

#[tonic::async_trait]
impl v1::queries_server::Queries for QueriesService {
    async fn list(
        &self,
        _: Request<v1::ListQueriesRequest>,
    ) -> Result<Response<v1::ListQueriesResponse>, Status> {
        Ok(Response::new(v1::ListQueriesResponse {
            queries: QUERIES.iter().map(query).collect(),
        }))
    }

    type RunStream = Answer<v1::QueryAnswer>;

    async fn run(
        &self,
        request: Request<v1::RunQueryRequest>,
    ) -> Result<Response<Self::RunStream>, Status> {
        let request = request.into_inner();
        let daemon = Arc::clone(&self.daemon);
        let cancelled = CancelOnDrop::default();
        let flag = Arc::clone(&cancelled.0);
        let most = request.timeout_ms.filter(|most| *most > 0);
        let deadline =
            most.and_then(|most| Instant::now().checked_add(Duration::from_millis(most)));
        let prepared = blocking(move || {
            let history = open(&daemon, &request.recording)?.cancelled_by(flag);
            let history = history.ending_at(deadline);
            let wanted = jhyde_query::Request {
                query: request.query,
                parameters: request.parameters.into_iter().collect(),
                from: request.from,
                to: request.to,
            };
            Prepared::new(history, &wanted).map_err(status)
        })
        .await?;
        let (parts, waiting) = parts(&self.daemon, cancelled, deadline)?;
        tokio::task::spawn_blocking(move || answer(&prepared, &parts));
        Ok(Response::new(waiting))
    }

    type ExportJelStream = Answer<v1::JelChunk>;

    async fn export_jel(
        &self,
        request: Request<v1::ExportJelRequest>,
    ) -> Result<Response<Self::ExportJelStream>, Status> {
        let request = request.into_inner();
        let daemon = Arc::clone(&self.daemon);
        let cancelled = CancelOnDrop::default();
        let flag = Arc::clone(&cancelled.0);
        let options = Options {
            boundary: request.boundary,
            defaults: request.defaults,
        };
        let opened = blocking(move || Ok(open(&daemon, &request.recording)?.cancelled_by(flag)));
        let history = opened.await?;
        let (parts, waiting) = parts(&self.daemon, cancelled, None)?;
        tokio::task::spawn_blocking(move || export(&history, options, parts));
        Ok(Response::new(waiting))
    }

    async fn list_tables(
        &self,
        _: Request<v1::ListTablesRequest>,
    ) -> Result<Response<v1::ListTablesResponse>, Status> {
        let tables = jhyde_query::sql::described().into_iter();
        Ok(Response::new(v1::ListTablesResponse {
            tables: tables.map(sql::table).collect(),
        }))
    }

    async fn list_modules(
        &self,
        _: Request<v1::ListModulesRequest>,
    ) -> Result<Response<v1::ListModulesResponse>, Status> {
        let modules = jhyde_query::sql::modules().into_iter();
        Ok(Response::new(v1::ListModulesResponse {
            modules: modules.map(sql::module).collect(),
        }))
    }

    type CompareStream = Answer<v1::CompareAnswer>;

    async fn compare(
        &self,
        request: Request<v1::CompareRequest>,
    ) -> Result<Response<Self::CompareStream>, Status> {
        let request = request.into_inner();
        let daemon = Arc::clone(&self.daemon);
        let cancelled = CancelOnDrop::default();
        let flag = Arc::clone(&cancelled.0);
        let prepared = blocking(move || compare::Prepared::new(&daemon, &request, &flag)).await?;
        let (parts, waiting) = parts(&self.daemon, cancelled, None)?;
        tokio::task::spawn_blocking(move || prepared.answer(&parts));
        Ok(Response::new(waiting))
    }

    async fn list_compare_rules(
        &self,
        _: Request<v1::ListCompareRulesRequest>,
    ) -> Result<Response<v1::ListCompareRulesResponse>, Status> {
        Ok(Response::new(v1::ListCompareRulesResponse {
            rules: compare::rules(&jhyde_query::compare::rules::Rules::defaults()),
        }))
    }

    type SqlStream = Answer<v1::SqlAnswer>;

    async fn sql(
        &self,
        request: Request<v1::SqlRequest>,
    ) -> Result<Response<Self::SqlStream>, Status> {
        let request = request.into_inner();
        let (daemon, sessions) = (Arc::clone(&self.daemon), Arc::clone(&self.sessions));
        let cancelled = CancelOnDrop::default();
        let flag = Arc::clone(&cancelled.0);
        let as_arrow = match v1::SqlFormat::try_from(request.format) {
            Ok(format) => format == v1::SqlFormat::Arrow,
            Err(_) => return Err(invalid("format", "there is no such format")),
        };
        let memory = match request.max_memory.as_str() {
            "" => None,
            text => {
                let size = text.parse::<ByteSize>();
                Some(
                    size.map_err(|error| invalid("max_memory", error.to_string()))?
                        .0,
                )
            }
        };
        let statement = blocking(move || {
            if request.others.len() >= MOST_ASKED {
                let reason = format!(
                    "at most {} more recordings can be asked at once",
                    MOST_ASKED - 1
                );
                return Err(invalid("others", reason));
            }
            let first = v1::SqlRecording {
                recording: request.recording,
                schema: request.schema,
            };
            let asked = std::iter::once(first).chain(request.others).map(|one| {
                let history = open(&daemon, &one.recording)?.cancelled_by(Arc::clone(&flag));
                let schema = Some(one.schema).filter(|schema| !schema.is_empty());
                let of = SessionsOf::new(Arc::clone(&sessions), Arc::clone(history.recording()));
                Ok::<_, Status>(Asked {
                    schema,
                    history,
                    judgements: Some(Arc::new(of)),
                })
            });
            let asked = asked.collect::<Result<Vec<_>, _>>()?;
            let limits = Limits {
                timeout: match request.timeout_ms {
                    None => Some(jhyde_query::sql::TIMEOUT),
                    Some(0) => None,
                    Some(most) => Some(Duration::from_millis(most)),
                },
                rows: request.max_rows,
                memory,
            };
            let statement = Statement::new(asked, request.statement, request.to, limits);
            let statement = statement.map_err(status)?.with(request.parameters);
            Ok(match request.explain {
                true => statement.explained(),
                false => statement,
            })
        });
        let statement = statement.await?;
        let (parts, waiting) = parts(&self.daemon, cancelled, statement.deadline())?;
        tokio::task::spawn_blocking(move || sql::answer(&statement, as_arrow, &parts));
        Ok(Response::new(waiting))
    }
}

/// What is written goes to the client, in chunks.
struct Chunks {
    parts: Parts<v1::JelChunk>,
    data: Vec<u8>,
}

/// Bytes of a chunk.
const CHUNK: usize = 64 << 10;

impl io::Write for Chunks {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.data.extend_from_slice(bytes);
        if self.data.len() >= CHUNK {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let data = std::mem::take(&mut self.data);
        let sent = self.parts.send(v1::JelChunk { data });
        sent.map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

/// Writes a recording as facts.
fn export(history: &History, options: Options, parts: Parts<v1::JelChunk>) {
    let mut chunks = Chunks {
        parts,
        data: Vec::new(),
    };
    let written = jel::export(history, options, &mut chunks);
    let flushed = written.and_then(|_| chunks.flush().map_err(|_| Error::Cancelled));
    if let Err(error) = flushed {
        chunks.parts.fail(status(error));
    }
}

impl From<Unsent> for Error {
    fn from(unsent: Unsent) -> Self {
        match unsent {
            Unsent::Gone => Self::Cancelled,
            Unsent::Late => Self::Late,
        }
    }
}

/// Runs a query. The header is held back until there is something to show, so that what cannot be answered fails at once.
fn answer(prepared: &Prepared, parts: &Parts<v1::QueryAnswer>) {
    use v1::query_answer::Part as Of;
    let send = |part| -> Result<(), Error> {
        parts.send(v1::QueryAnswer { part: Some(part) })?;
        Ok(())
    };
    let mut header = Some(Of::Header(v1::QueryHeader {
        columns: prepared.query().columns.iter().map(column).collect(),
        until: prepared.until().0,
    }));
    let mut rows = 0;
    let ran = prepared.run(&mut |row| {
        if let Some(header) = header.take() {
            send(header)?;
        }
        rows += 1;
        let cells = row.iter().map(cell).collect();
        send(Of::Row(v1::QueryRow { cells }))
    });
    let ended: Result<(), Error> = ran.and_then(|notes| {
        if let Some(header) = header.take() {
            send(header)?;
        }
        let reads = prepared.reads();
        send(Of::Footer(v1::QueryFooter {
            rows,
            notes,
            blocks: reads.blocks(),
            blocks_decoded: reads.decoded(),
        }))
    });
    if let Err(error) = ended {
        parts.fail(status(error));
    }
}

fn query(query: &Query) -> v1::Query {
    v1::Query {
        name: query.name.to_owned(),
        description: query.doc.to_owned(),
        parameters: query.parameters.iter().map(parameter).collect(),
        columns: query.columns.iter().map(column).collect(),
        level: query.level.to_string(),
        cost: query.cost.doc().to_owned(),
    }
}

fn parameter(parameter: &Parameter) -> v1::QueryParameter {
    v1::QueryParameter {
        name: parameter.name.to_owned(),
        description: parameter.doc.to_owned(),
        required: parameter.required,
        positional: parameter.positional,
        flag: parameter.flag,
    }
}

fn column(column: &Column) -> v1::QueryColumn {
    use v1::QueryColumnType as Of;
    let of = match column.of {
        ColumnType::Int => Of::Int,
        ColumnType::Text => Of::Text,
        ColumnType::Event => Of::Event,
        ColumnType::Value => Of::Value,
        ColumnType::Call => Of::Call,
        ColumnType::Calls => Of::Calls,
        ColumnType::Place => Of::Place,
        ColumnType::Fields => Of::Fields,
    };
    v1::QueryColumn {
        name: column.name.to_owned(),
        r#type: of.into(),
        description: column.doc.to_owned(),
    }
}

fn cell(cell: &Cell) -> v1::QueryCell {
    use v1::query_cell::{Calls, Field, Fields, Kind};
    let kind = match cell {
        Cell::Null => None,
        Cell::Int(number) => Some(Kind::Int(*number)),
        Cell::Text(text) => Some(Kind::Text(text.clone())),
        Cell::Event(at) => Some(Kind::Event(at.0)),
        Cell::Value(value) => Some(Kind::Value(to_proto::value(value))),
        Cell::Call(call) => Some(Kind::Call(to_proto::call(call))),
        Cell::Calls(calls) => Some(Kind::Calls(Calls {
            calls: calls.iter().map(to_proto::call).collect(),
        })),
        Cell::Place(place) => Some(Kind::Place(to_proto::place(place))),
        Cell::Fields(fields) => {
            let fields = fields.iter().map(|field| Field {
                name: field.name.clone(),
                value: field.value.as_ref().map(to_proto::value),
            });
            Some(Kind::Fields(Fields {
                fields: fields.collect(),
            }))
        }
    };
    v1::QueryCell { kind }
}

/// The status of a query that cannot be answered.
pub(super) fn status(error: Error) -> Status {
    let told = error.to_string();
    match error.itself() {
        Error::History(error) => history_status(error),
        Error::Sql(error) => sql::sql_status(&error, told),
        Error::Cancelled => Status::cancelled(told),
        Error::Late => Status::deadline_exceeded(told),
        Error::Unfit(of) => unfit(&of, "statement", told),
        Error::NoSuchQuery { .. } => with_details(Kind::NotFound, "NO_QUERY", Some("query"), told),
        Error::NoSuchName { parameter, .. } => {
            with_details(Kind::NotFound, "NO_NAME", Some(parameter), told)
        }
        Error::Missing { parameter, .. } | Error::Parameter { parameter, .. } => {
            with_details(Kind::InvalidArgument, "PARAMETER", Some(parameter), told)
        }
        Error::NoSuchParameter { .. } => with_details(
            Kind::InvalidArgument,
            "NO_PARAMETER",
            Some("parameters"),
            told,
        ),
        Error::Range { .. } => with_details(Kind::InvalidArgument, "INTERVAL", Some("from"), told),
        Error::Level { .. } => {
            with_details(Kind::FailedPrecondition, "LEVEL", Some("recording"), told)
        }
        _ => with_details(Kind::Internal, "QUERY", None, told),
    }
}
