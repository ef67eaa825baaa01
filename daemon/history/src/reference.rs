//! How people and scripts name a call: `1.7` by its id, or by method and invocation, `merge#3`,
//! `MergeSort.merge#3`, `pkg.MergeSort.merge(II)V#3`.

use jhyde_store::records::MethodRef;
use jhyde_trace::{CallId, MethodId, MethodInfo};

use crate::error::{Error, Result};
use crate::history::History;
use crate::text::is_called;

/// So many candidates of an ambiguous name are told.
const MOST_CANDIDATES: usize = 20;

/// A method's name as people write it, taken apart: `[Class.]method[descriptor]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MethodName<'a> {
    class: Option<&'a str>,
    method: &'a str,
    descriptor: Option<&'a str>,
}

impl<'a> MethodName<'a> {
    pub(crate) fn parse(text: &'a str) -> Option<Self> {
        let (name, descriptor) = match text.find('(') {
            Some(at) => (&text[..at], Some(&text[at..])),
            None => (text, None),
        };
        let (class, method) = match name.rsplit_once('.') {
            Some((class, method)) => (Some(class), method),
            None => (None, name),
        };
        (!method.is_empty() && class != Some("")).then_some(Self {
            class,
            method,
            descriptor,
        })
    }

    fn fits(&self, class: &str, method: &str, descriptor: &str) -> bool {
        method == self.method
            && self.class.is_none_or(|name| is_called(class, name))
            && self.descriptor.is_none_or(|wanted| wanted == descriptor)
    }
}

/// A method that a name may mean.
pub(crate) struct Candidate {
    pub(crate) id: MethodId,
    /// Written in full, without an invocation.
    pub(crate) full: String,
}

impl History {
    /// The call that is written so, or the root of a thread (`1.0`).
    ///
    /// # Errors
    /// When it is not there, not written right, or more than one may be meant.
    pub fn resolve_call(&self, reference: &str) -> Result<CallId> {
        if let Ok(id) = reference.parse::<CallId>() {
            match id.is_root() {
                true => self.recording.root(id.thread).map(drop)?,
                false => self.recording.call(id).map(drop)?,
            }
            return Ok(id);
        }
        let form = || Error::CallForm(reference.to_owned());
        let (name, invocation) = reference.rsplit_once('#').ok_or_else(form)?;
        if invocation.is_empty() || !invocation.bytes().all(|b| b.is_ascii_digit()) {
            return Err(form());
        }
        let invocation: u64 = invocation.parse().map_err(|_| form())?;
        let parsed = MethodName::parse(name).ok_or_else(form)?;

        let mut found = Vec::new();
        let mut seen: Option<(String, u64)> = None;
        for candidate in self.methods_named(parsed)? {
            let call = match self.recording.call_by_invocation(candidate.id, invocation) {
                Err(error) if error.cut_off().is_some() => {
                    let ran_on = self.recording.call_that_ran_on(candidate.id, invocation)?;
                    Some(ran_on.ok_or(error)?)
                }
                call => call?,
            };
            if let Some(call) = call {
                found.push((format!("{}#{invocation}", candidate.full), call.id));
            } else {
                let calls = self.recording.invocations(candidate.id)?;
                if seen.as_ref().is_none_or(|(_, most)| calls > *most) {
                    seen = Some((candidate.full, calls));
                }
            }
        }
        match (found.as_slice(), seen) {
            ([(_, call)], _) => Ok(*call),
            ([], Some((method, calls))) if calls > 0 => Err(Error::NoSuchInvocation {
                reference: reference.to_owned(),
                method,
                calls,
            }),
            ([], _) => Err(Error::NoSuchMethod(name.to_owned())),
            (several, _) => Err(Error::Ambiguous {
                reference: reference.to_owned(),
                candidates: candidates(
                    several
                        .iter()
                        .map(|(full, call)| format!("{full} ({call})")),
                ),
            }),
        }
    }

    /// The methods of the scope that a name may mean: `merge`, `MergeSort.merge`, `pkg.MergeSort.merge(II)V`.
    ///
    /// # Errors
    /// When the recording cannot be read.
    pub fn methods_in_scope(&self, name: &str) -> Result<Vec<MethodRef>> {
        let Some(name) = MethodName::parse(name) else {
            return Ok(Vec::new());
        };
        let mut found = Vec::new();
        for candidate in self.methods_named(name)? {
            let method = self.recording.method(candidate.id)?;
            found.extend(method.filter(|method| method.class.in_scope));
        }
        Ok(found)
    }

    /// All methods that a name may mean, out of the scope, too: `merge`, `MergeSort.merge`, `pkg.MergeSort.merge(II)V`.
    ///
    /// # Errors
    /// When the recording cannot be read.
    pub fn methods(&self, name: &str) -> Result<Vec<MethodRef>> {
        let Some(name) = MethodName::parse(name) else {
            return Ok(Vec::new());
        };
        let mut found = Vec::new();
        for candidate in self.methods_named(name)? {
            found.extend(self.recording.method(candidate.id)?);
        }
        Ok(found)
    }

    /// The names of a method's parameters by position, as far as its class file has them.
    pub fn parameter_names(&self, method: &MethodInfo) -> Vec<Option<String>> {
        let count = crate::text::parameters(&method.descriptor).len();
        let names = (0..count).map(|at| crate::history::parameter(method, at));
        names.map(|name| name.map(|(_, name)| name)).collect()
    }

    /// All methods that a name may mean.
    pub(crate) fn methods_named(&self, name: MethodName<'_>) -> Result<Vec<Candidate>> {
        let mut found = Vec::new();
        let mut is_whole = false;
        for class in self.recording.classes() {
            let Some(class) = self.recording.class(class)? else {
                continue;
            };
            // A whole name is meant before the end of a longer one.
            let is_whole_here = name.class == Some(&*class.name);
            if is_whole && !is_whole_here {
                continue;
            }
            for method in &class.methods {
                if name.fits(&class.name, &method.name, &method.descriptor) {
                    if is_whole_here && !std::mem::replace(&mut is_whole, true) {
                        found.clear();
                    }
                    let full = format!("{}.{}{}", class.name, method.name, method.descriptor);
                    found.push(Candidate {
                        id: method.id,
                        full,
                    });
                }
            }
        }
        match self.recording.lost_classes() {
            Some(lost) if found.is_empty() => Err(lost.into()),
            _ => Ok(found),
        }
    }
}

/// The first candidates, and how many more there are.
pub(crate) fn candidates(all: impl ExactSizeIterator<Item = String>) -> Vec<String> {
    let total = all.len();
    let mut some: Vec<_> = all.take(MOST_CANDIDATES).collect();
    if total > some.len() {
        some.push(format!("… ({} more)", total - some.len()));
    }
    some
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn method_names_are_taken_apart() {
        let full = MethodName::parse("a.B$C.m(ILx/Y;)V").expect("is one");
        assert_eq!(
            full,
            MethodName {
                class: Some("a.B$C"),
                method: "m",
                descriptor: Some("(ILx/Y;)V")
            }
        );
        assert!(full.fits("a.B$C", "m", "(ILx/Y;)V"));
        assert!(!full.fits("a.B$C", "m", "()V"));
        let simple = MethodName::parse("C.m").expect("is one");
        assert!(simple.fits("a.B$C", "m", "()V") && simple.fits("x.C", "m", "(I)I"));
        assert!(!simple.fits("a.BC", "m", "()V"));
        assert_eq!(
            MethodName::parse("<init>").map(|name| name.method),
            Some("<init>")
        );
        for bad in ["", ".m", "a.", "(I)V"] {
            assert_eq!(MethodName::parse(bad), None, "{bad}");
        }
    }
}
