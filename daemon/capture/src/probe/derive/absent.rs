//! Classes that are not there, and those that cannot be initialised: what names them throws (JVMS 5.3, 5.5), and no place tells that.

use super::casts::is_primitive;
use super::hierarchy::{State, or_gone};
use super::run::{Needs, Stopped, lost};
use super::thread::Thread;
use super::{Deriver, Routine};
use crate::error::LinkError;
use crate::jvm::{Link, classes_named};
use crate::program::Program;
use crate::scope::looks_like_jdk;

fn unknown<T>(class: &str) -> Result<T, Stopped> {
    lost(format!("whether there is a {class} could not be found out"))
}

impl Deriver {
    /// [`Self::absent`] of an instruction that names a class and does not initialise it.
    pub(super) fn class_absent(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
        link: &mut Link,
        routine: &Routine,
        constant: u16,
    ) -> Result<Option<Needs>, Stopped> {
        let class = routine.class_constant(Some(constant));
        self.absent(thread, program, link, routine, (constant, &class), false)
    }

    /// Does an instruction throw that names a class by a constant, or its member, because the class is not there (JVMS 5.3) or, where
    /// it is `new`, cannot be initialised (5.5)? An exception comes next then. What the instruction needs; `None`: it does not throw for that.
    pub(super) fn absent(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
        link: &mut Link,
        routine: &Routine,
        (constant, class): (u16, &str),
        is_new: bool,
    ) -> Result<Option<Needs>, Stopped> {
        if routine.present.borrow().contains(&constant) {
            return Ok(None);
        }
        let class = class.trim_end_matches("[]");
        let known = is_primitive(class) || program.class_in_scope(routine.loader, class).is_some();
        // What is only loaded the JVM does not show: such a class is taken to be there where it has a file. What is made it shows.
        if !known && (is_new || !(looks_like_jdk(class) || self.names.has_file(class))) {
            let throws = thread.may_throw()?;
            let state = match throws {
                Some(false) => State::Ready,
                _ => self.state(link, class)?,
            };
            match (throws, state) {
                (Some(false), _) | (_, State::Ready) => {}
                (_, State::Loaded | State::Failed | State::Several) if !is_new => {}
                (None, _) if self.complete && thread.is_at_end()? => return Ok(None),
                // Its log goes on with another thread's turn, and nobody can be asked.
                (None, State::Gone) if !thread.is_at_end()? => return unknown(class),
                (None, _) => return Ok(Some(Needs::More)),
                (Some(true), State::Absent) if is_new => return Ok(Some(Needs::Throws)),
                (Some(true), State::Absent | State::Failed) => {
                    match thread.throws_absence()? {
                        Some(true) => return Ok(Some(Needs::Throws)),
                        // What is thrown comes of a later instruction: it is there, though the JVM does not show it, or failed later.
                        Some(false) => {}
                        None => return unknown(class),
                    }
                }
                // Its initialiser runs, which has called back to here.
                (Some(true), State::Loaded) if thread.throws_absence()? == Some(false) => {
                    return Ok(None);
                }
                (Some(true), _) => return unknown(class),
            }
        }
        routine.present.borrow_mut().insert(constant);
        Ok(None)
    }

    /// How far the JVM is with the class of a name.
    fn state(&mut self, link: &mut Link, class: &str) -> Result<State, LinkError> {
        if self.initialised_outside.contains(class) {
            return Ok(State::Ready);
        }
        let state = match &self.hierarchy {
            Some(hierarchy) => hierarchy.state(class),
            None => match or_gone(classes_named(link, class))?.as_deref() {
                Some([]) => State::Absent,
                Some([only]) => State::of(only.status),
                Some(several) => State::of_several(several.iter().map(|one| one.status)),
                None => State::Gone,
            },
        };
        if state == State::Ready {
            self.initialised_outside.insert(class.to_owned());
        }
        Ok(state)
    }
}
