//! Every method that the daemon serves: which right it needs, where its request names recordings, and whether the page in
//! a browser may call it. What does not stand here is served to nobody; a test misses a method of the API.

use super::Right;

/// What a caller must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Nothing: whether the daemon is well is nobody's secret, and who watches it has no token to lose.
    Nothing,
    /// To be somebody that the daemon knows, with whatever rights. Reflection tells what the API is, which the proto files
    /// do, too; but who is not known is not talked to.
    ToBeKnown,
    /// This right.
    The(Right),
    /// To be the daemon's own user, at the unix socket.
    ToBeTheOwner,
}

/// Where the recordings stand that a request is about. Paths are field numbers from the request's message down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// Nowhere: the answer is the same for all.
    None,
    /// There, by id or name; the first one must be given.
    Asked(&'static [&'static [u32]]),
    /// The recording is made, and its name is there.
    Made(u32),
    /// The service shows each caller its own.
    Listed,
    /// It is about all of them.
    All,
}

/// What the page may do of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Page {
    /// With a key.
    May,
    /// Not at all, whatever the key: a stolen key must not start programs or take recordings away.
    MayNot,
    /// Without a key: that is how it gets one.
    GetsItsKey,
    /// The page's listener has no such service.
    Missing,
}

/// Whether its answer is a stream, which goes on for as long as there is something to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Streams {
    /// It is one message.
    No,
    /// It is, and ends when the daemon is about to.
    Yes,
    /// It tells of a recording until that is closed; the daemon closes all before it ends.
    UntilClosed,
}

/// One method.
#[derive(Clone, Copy, Debug)]
pub struct Method {
    /// `/package.Service/Method`.
    pub path: &'static str,
    /// What a caller must have.
    pub needs: Needs,
    /// Where recordings are named.
    pub names: Names,
    /// What the page may do.
    pub page: Page,
    /// Whether it answers by a stream.
    pub streams: Streams,
}

/// What only tells which things there are, and no value of a program: its calls have no line in the audit. All others have.
const UNAUDITED: [&str; 22] = [
    "/jhyde.v1.Recordings/List",
    "/jhyde.v1.Recordings/Get",
    "/jhyde.v1.Recordings/Watch",
    "/jhyde.v1.Recordings/Check",
    "/jhyde.v1.Recordings/Inspect",
    "/jhyde.v1.History/ListThreads",
    "/jhyde.v1.History/ListLines",
    "/jhyde.v1.History/ListGaps",
    "/jhyde.v1.History/ListClasses",
    "/jhyde.v1.History/FindMethods",
    "/jhyde.v1.History/Locate",
    "/jhyde.v1.Debugging/GetRevision",
    "/jhyde.v1.Debugging/ListSessions",
    "/jhyde.v1.Web/AwaitRedeemed",
    "/jhyde.v1.Queries/List",
    "/jhyde.v1.Queries/ListTables",
    "/jhyde.v1.Queries/ListCompareRules",
    "/jhyde.v1.Daemon/GetStatus",
    "/grpc.health.v1.Health/Check",
    "/grpc.health.v1.Health/Watch",
    "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
];

impl Method {
    /// Does a call of it change something, or read values?
    pub fn is_audited(&self) -> bool {
        !UNAUDITED.contains(&self.path)
    }
}

/// The method of a request's path.
pub fn find(path: &str) -> Option<&'static Method> {
    METHODS.iter().find(|method| method.path == path)
}

const fn method(path: &'static str, needs: Needs, names: Names, page: Page) -> Method {
    Method {
        path,
        needs,
        names,
        page,
        streams: Streams::No,
    }
}

const fn streaming(method: Method, streams: Streams) -> Method {
    Method { streams, ..method }
}

/// A method that needs a right and asks about the recording in field 1, as nearly all do.
const fn about_one(path: &'static str, right: Right, page: Page) -> Method {
    method(path, The(right), Names::Asked(&[&[1]]), page)
}

const fn reads(path: &'static str) -> Method {
    about_one(path, Read, May)
}

const fn debugs(path: &'static str) -> Method {
    about_one(path, Debug, May)
}

use Needs::{Nothing, The, ToBeKnown, ToBeTheOwner};
use Page::{GetsItsKey, May, MayNot, Missing};
use Right::{Debug, Launch, Manage, Read, Record};
use Streams::UntilClosed;

/// All of them, in the order of the proto files.
pub const METHODS: &[Method] = &[
    method(
        "/jhyde.v1.Recordings/Attach",
        The(Record),
        Names::Made(2),
        MayNot,
    ),
    method(
        "/jhyde.v1.Recordings/Listen",
        The(Record),
        Names::Made(2),
        MayNot,
    ),
    streaming(
        method(
            "/jhyde.v1.Recordings/Launch",
            The(Launch),
            Names::Made(2),
            MayNot,
        ),
        UntilClosed,
    ),
    method("/jhyde.v1.Recordings/List", The(Read), Names::Listed, May),
    reads("/jhyde.v1.Recordings/Get"),
    streaming(reads("/jhyde.v1.Recordings/Watch"), UntilClosed),
    about_one("/jhyde.v1.Recordings/Stop", Record, May),
    about_one("/jhyde.v1.Recordings/Detach", Record, May),
    about_one("/jhyde.v1.Recordings/ReportExit", Record, MayNot),
    about_one("/jhyde.v1.Recordings/Delete", Manage, MayNot),
    streaming(reads("/jhyde.v1.Recordings/Export"), Streams::Yes),
    method(
        "/jhyde.v1.Recordings/Import",
        The(Manage),
        Names::Made(2),
        MayNot,
    ),
    streaming(reads("/jhyde.v1.Recordings/Check"), Streams::Yes),
    reads("/jhyde.v1.Recordings/Inspect"),
    about_one("/jhyde.v1.Recordings/Seal", Manage, MayNot),
    about_one("/jhyde.v1.Recordings/AddSource", Manage, MayNot),
    method("/jhyde.v1.Recordings/Keep", The(Manage), Names::All, MayNot),
    reads("/jhyde.v1.History/ListThreads"),
    reads("/jhyde.v1.History/GetCall"),
    reads("/jhyde.v1.History/GetPath"),
    reads("/jhyde.v1.History/ListCalls"),
    streaming(reads("/jhyde.v1.History/StreamCalls"), Streams::Yes),
    reads("/jhyde.v1.History/GetState"),
    reads("/jhyde.v1.History/ListStatics"),
    reads("/jhyde.v1.History/ExpandObject"),
    reads("/jhyde.v1.History/GetInput"),
    reads("/jhyde.v1.History/GetResult"),
    reads("/jhyde.v1.History/ListEvents"),
    streaming(reads("/jhyde.v1.History/StreamEvents"), Streams::Yes),
    reads("/jhyde.v1.History/ListWrites"),
    streaming(reads("/jhyde.v1.History/Why"), Streams::Yes),
    reads("/jhyde.v1.History/Navigate"),
    reads("/jhyde.v1.History/Locate"),
    reads("/jhyde.v1.History/ListLines"),
    reads("/jhyde.v1.History/ListUncaught"),
    reads("/jhyde.v1.History/ListGaps"),
    reads("/jhyde.v1.History/ListClasses"),
    reads("/jhyde.v1.History/FindMethods"),
    reads("/jhyde.v1.History/GetSource"),
    // `against`, and the `passing` ones of `evidence`.
    method(
        "/jhyde.v1.Debugging/CreateSession",
        The(Debug),
        Names::Asked(&[&[1], &[5], &[10, 4]]),
        May,
    ),
    // What a session says is what was answered: reading it is reading.
    reads("/jhyde.v1.Debugging/GetSession"),
    reads("/jhyde.v1.Debugging/GetRevision"),
    reads("/jhyde.v1.Debugging/ListSessions"),
    debugs("/jhyde.v1.Debugging/DeleteSession"),
    debugs("/jhyde.v1.Debugging/Answer"),
    debugs("/jhyde.v1.Debugging/Doubt"),
    debugs("/jhyde.v1.Debugging/SetKnowing"),
    method(
        "/jhyde.v1.Debugging/SetEvidence",
        The(Debug),
        Names::Asked(&[&[1], &[3, 4]]),
        May,
    ),
    debugs("/jhyde.v1.Debugging/Undo"),
    debugs("/jhyde.v1.Debugging/Redo"),
    debugs("/jhyde.v1.Debugging/SetStrategy"),
    debugs("/jhyde.v1.Debugging/Restrict"),
    reads("/jhyde.v1.Debugging/GetStatistics"),
    reads("/jhyde.v1.Debugging/GetCoverage"),
    reads("/jhyde.v1.Debugging/GetTest"),
    method("/jhyde.v1.Web/Open", ToBeTheOwner, Names::None, MayNot),
    method(
        "/jhyde.v1.Web/AwaitRedeemed",
        ToBeTheOwner,
        Names::None,
        MayNot,
    ),
    method(
        "/jhyde.v1.Web/Redeem",
        ToBeTheOwner,
        Names::None,
        GetsItsKey,
    ),
    method("/jhyde.v1.Queries/List", The(Read), Names::None, May),
    streaming(reads("/jhyde.v1.Queries/Run"), Streams::Yes),
    streaming(reads("/jhyde.v1.Queries/ExportJel"), Streams::Yes),
    method("/jhyde.v1.Queries/ListTables", The(Read), Names::None, May),
    method("/jhyde.v1.Queries/ListModules", The(Read), Names::None, May),
    // All that it asks are read alike.
    streaming(
        method(
            "/jhyde.v1.Queries/Sql",
            The(Read),
            Names::Asked(&[&[1], &[7, 1]]),
            May,
        ),
        Streams::Yes,
    ),
    // `against` and `passing` are read like the first one.
    streaming(
        method(
            "/jhyde.v1.Queries/Compare",
            The(Read),
            Names::Asked(&[&[1], &[2], &[5]]),
            May,
        ),
        Streams::Yes,
    ),
    method(
        "/jhyde.v1.Queries/ListCompareRules",
        The(Read),
        Names::None,
        May,
    ),
    // Both tell of all recordings.
    method(
        "/jhyde.v1.Daemon/GetStatus",
        The(Manage),
        Names::All,
        Missing,
    ),
    method("/jhyde.v1.Daemon/Stop", The(Manage), Names::All, Missing),
    method(
        "/grpc.health.v1.Health/Check",
        Nothing,
        Names::None,
        Missing,
    ),
    method(
        "/grpc.health.v1.Health/Watch",
        Nothing,
        Names::None,
        Missing,
    ),
    method(
        "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
        ToBeKnown,
        Names::None,
        Missing,
    ),
    method(
        "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
        ToBeKnown,
        Names::None,
        Missing,
    ),
];

#[cfg(test)]
mod tests;
