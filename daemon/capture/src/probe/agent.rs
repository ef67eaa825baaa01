//! Class files as the JVM has them: a class that was made at run time lies nowhere, and one that another agent has changed lies
//! elsewhere in another shape.
//!
//! JDWP does not give them (its `Bytecodes` are without handlers and frames). The JVM's instrument library does, to an agent: a
//! class of ours ([`Agent.java`](../../java/agent/jdk/jhyde/Agent.java)) that the system class loader is given, and a jar with a
//! manifest alone, which that class writes among the temporary files, the library reads, and is deleted. Nothing of that happens in a JVM
//! all of whose classes are found otherwise.
//!
//! Other agents see each class again whose code is replaced, and may change it once more, what they had put in the first time
//! among it. So of classes that the JVM gave, ours has the last word ([`ClassFiles::keep`]): while they get code, it is exactly that.

use jdwp::commands::{array_reference, class_type, reference_type};
use jdwp::{ArrayRegion, ObjectId, ReferenceTypeId, Tag, ThreadId, UntaggedValue, Value};

use rustc_hash::FxHashSet;

use super::invoke::{NULL, byte_array, class, define_class, for_name, invoke, method, unusable};
use crate::error::{CaptureError, LinkError};
use crate::jvm::Link;

/// The class, as it names itself.
pub(super) const NAME: &str = "jdk.jhyde.Agent";
const SIGNATURE: &str = "Ljdk/jhyde/Agent;";
const FILE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/jdk/jhyde/Agent.class"));
/// What reads the jar: a class of the module `java.instrument`.
const LIBRARY: &str = "sun.instrument.InstrumentationImpl";

/// Asks a JVM for class files.
#[derive(Debug, Default)]
pub(super) struct ClassFiles {
    /// `Some(None)`: this JVM has no agent, and takes none.
    agent: Option<Option<Agent>>,
    /// It keeps code of classes.
    keeps: bool,
    /// Names, with dots, of classes whose files came from it.
    told: FxHashSet<String>,
}

#[derive(Clone, Copy, Debug)]
struct Agent {
    class: ReferenceTypeId,
    asks: jdwp::MethodId,
    keeps: jdwp::MethodId,
    given: jdwp::FieldId,
}

/// What classes get that are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Given {
    /// What comes of what the JVM is given: it is not our doing.
    Nothing = 0,
    /// The code that they had.
    Original = 1,
    /// The code that records.
    Code = 2,
}

impl ClassFiles {
    /// The class file of a class, asked for in a thread that an event has suspended; `None`: the JVM does not give it.
    pub(super) fn of(
        &mut self,
        link: &mut Link,
        thread: ThreadId,
        class: ReferenceTypeId,
    ) -> Result<Option<Vec<u8>>, LinkError> {
        let agent = match self.agent {
            Some(known) => known,
            None => *self.agent.insert(given(begin(link, thread), "no agent")?),
        };
        match agent {
            Some(agent) => Ok(given(agent.ask(link, thread, class), "no class file")?.flatten()),
            None => Ok(None),
        }
    }

    /// What it gave of a class is taken for its file.
    pub(super) fn has_given(&mut self, class: &str) {
        self.told.insert(class.to_owned());
    }

    /// Was that so of any class of this name? Another one may be another again.
    pub(super) fn gave(&self, class: &str) -> bool {
        self.told.contains(class)
    }

    /// The class whose file was asked for last, in this thread, is to get this code. False: the JVM does not keep it.
    pub(super) fn keep(
        &mut self,
        link: &mut Link,
        thread: ThreadId,
        class: ReferenceTypeId,
        code: &[u8],
    ) -> Result<bool, LinkError> {
        let Some(agent) = self.agent.flatten() else {
            return Ok(false);
        };
        let kept = given(agent.keep(link, thread, class, code), "no last word")?;
        self.keeps |= kept.is_some();
        Ok(kept.is_some())
    }

    /// What classes get from here on that are kept; `None`: there are none.
    pub(super) fn gives(&self, given: Given) -> Option<class_type::SetValues> {
        let agent = self.agent.flatten().filter(|_| self.keeps)?;
        Some(class_type::SetValues {
            class: agent.class,
            values: vec![class_type::FieldValue {
                field: agent.given,
                value: UntaggedValue::from(Value::Int(given as i32)),
            }],
        })
    }
}

/// What the JVM refuses is not there.
fn given<T>(told: Result<T, CaptureError>, what: &str) -> Result<Option<T>, LinkError> {
    match told {
        Ok(told) => Ok(Some(told)),
        Err(CaptureError::Link(error)) if !matches!(error, LinkError::Reply(_)) => Err(error),
        Err(error) => {
            tracing::warn!(%error, "the JVM gives {what}");
            Ok(None)
        }
    }
}

fn begin(link: &mut Link, thread: ThreadId) -> Result<Agent, CaptureError> {
    let agent = match class(link, SIGNATURE) {
        // A recording before this one has brought it.
        Ok(agent) => agent,
        Err(_) => load(link, thread)?,
    };
    let asks = method(link, agent, "classFile", "(Ljava/lang/Class;)[B")?;
    let keeps = method(link, agent, "keep", "(Ljava/lang/Class;[B)V")?;
    let fields = link.request(&reference_type::Fields { ref_type: agent })??;
    let field = fields
        .iter()
        .find(|field| field.name.as_str() == Some("given"));
    let given = field
        .ok_or_else(|| unusable("an agent of jhyde's that is another"))?
        .field;
    Ok(Agent {
        class: agent,
        asks,
        keeps,
        given,
    })
}

fn load(link: &mut Link, thread: ThreadId) -> Result<ReferenceTypeId, CaptureError> {
    for_name(link, thread, NULL, LIBRARY)?;
    let library = class(link, &format!("L{};", LIBRARY.replace('.', "/")))?;
    let loads = method(link, library, "loadAgent", "(Ljava/lang/String;)V")?;
    let loaders = class(link, "Ljava/lang/ClassLoader;")?;
    let system = method(
        link,
        loaders,
        "getSystemClassLoader",
        "()Ljava/lang/ClassLoader;",
    )?;
    let system = invoke(link, loaders, thread, system, Vec::new())?;
    define_class(link, thread, system, NAME, FILE)?;
    for_name(link, thread, system, NAME)?;
    let agent = class(link, SIGNATURE)?;
    let jar = method(link, agent, "jar", "()Ljava/lang/String;")?;
    let jar = invoke(link, agent, thread, jar, Vec::new())?;
    let loaded = invoke(link, library, thread, loads, vec![jar]);
    let discard = method(link, agent, "discard", "(Ljava/lang/String;)V")?;
    let discarded = invoke(link, agent, thread, discard, vec![jar]);
    loaded.and(discarded)?;
    Ok(agent)
}

impl Agent {
    fn keep(
        self,
        link: &mut Link,
        thread: ThreadId,
        class: ReferenceTypeId,
        code: &[u8],
    ) -> Result<(), CaptureError> {
        let of = class_object(link, class)?;
        let code = byte_array(link, code)?;
        invoke(link, self.class, thread, self.keeps, vec![of, code])?;
        Ok(())
    }

    fn ask(
        self,
        link: &mut Link,
        thread: ThreadId,
        class: ReferenceTypeId,
    ) -> Result<Option<Vec<u8>>, CaptureError> {
        let wanted = class_object(link, class)?;
        let told = invoke(link, self.class, thread, self.asks, vec![wanted])?;
        let Some(array) = told.object().filter(|told| !told.id.is_null()) else {
            return Ok(None);
        };
        let array = array.id.into();
        let length = link.request(&array_reference::Length { array })??;
        let region = array_reference::GetValues {
            array,
            first_index: 0,
            length,
        };
        match link.request(&region)?? {
            ArrayRegion::Byte(bytes) => Ok(Some(bytes.into_iter().map(|b| b as u8).collect())),
            _ => Err(unusable("a class file is none of bytes")),
        }
    }
}

fn class_object(link: &mut Link, ref_type: ReferenceTypeId) -> Result<Value, CaptureError> {
    let object = link.request(&reference_type::ClassObject { ref_type })??;
    Ok(Value::Object {
        tag: Tag::CLASS_OBJECT,
        id: ObjectId(object.0),
    })
}
