//! Which methods the instructions of the scope run, as far as the JVM or what is known of objects tells.

use jdwp::commands::object_reference;
use jdwp::{Location, ReferenceTypeId};
use jhyde_bytecode::InvokeKind;
use jhyde_trace::{Sink, Value};

use super::Recorder;
use crate::error::CaptureError;
use crate::jvm::StackFrame;
use crate::mirror::Body;
use crate::program::{MethodKey, Named, Selected, index_of, key_of};

impl<S: Sink> Recorder<S> {
    /// The class of an object, asked for if it is not known.
    pub(crate) fn class_of(
        &mut self,
        value: Value,
    ) -> Result<Option<ReferenceTypeId>, CaptureError> {
        let Some(object) = value.object() else {
            return Ok(None);
        };
        if let Some(class) = self.known.heap.class(object) {
            let name = self.known.program.type_of(class);
            if name.is_some() {
                return Ok(name);
            }
        }
        let Some(real) = self.known.heap.real(object) else {
            let name = self
                .known
                .heap
                .class(object)
                .and_then(|class| self.known.program.outside_name(class));
            return match name {
                Some(name) => Ok(self.known.program.loaded(&mut self.jvm.link, 0, &name)?),
                None => Ok(None),
            };
        };
        let told = self
            .jvm
            .link
            .request(&object_reference::ReferenceType { object: real })?;
        let Ok(kind) = told else { return Ok(None) };
        let class = self.known.program.class(&mut self.jvm.link, kind.type_id)?;
        if !class.in_scope {
            self.known.heap.meet(real, Some(class.id), Body::Opaque);
        }
        Ok(Some(kind.type_id))
    }

    /// The method that a call of this name runs, if that is known.
    pub(crate) fn selected(
        &mut self,
        named: &Named,
        receiver: Value,
    ) -> Result<Option<Selected>, CaptureError> {
        let class = match named.kind {
            InvokeKind::Virtual | InvokeKind::Interface => self.class_of(receiver)?,
            InvokeKind::Dynamic => None,
            _ => self
                .known
                .program
                .loaded(&mut self.jvm.link, named.code, &named.class)?,
        };
        Ok(match class {
            Some(class) => self.known.program.selected(
                &mut self.jvm.link,
                class,
                &named.name,
                &named.descriptor,
            )?,
            None => None,
        })
    }

    /// Can the instruction at which a frame stands have run a method, and not the JVM on its behalf? Of code out of the
    /// scope nothing is known: it can.
    pub(crate) fn can_call(
        &mut self,
        caller: &Location,
        called: MethodKey,
    ) -> Result<bool, CaptureError> {
        let key = (caller.class, caller.method);
        let method = self.known.program.known_method(key).map(std::rc::Rc::clone);
        let Some((method, code)) = method.as_ref().and_then(|m| Some((m, m.code.as_ref()?))) else {
            return Ok(true);
        };
        let Some(ordinal) = code.ordinal(index_of(caller)) else {
            return Ok(true);
        };
        let invoke = code.instructions()[ordinal].invoke();
        match invoke.and_then(|invoke| Named::of(method, invoke.constant, invoke.kind)) {
            Some(named) => self.runs(&named, called),
            None => Ok(false),
        }
    }

    /// Can an instruction that names `constants` have run `method`?
    pub(crate) fn runs(&mut self, named: &Named, method: MethodKey) -> Result<bool, CaptureError> {
        let Some(run) = self.known.program.method(&mut self.jvm.link, method)? else {
            return Ok(true);
        };
        let polymorphic = named.kind == InvokeKind::Dynamic
            || matches!(
                named.class.as_str(),
                "java.lang.invoke.MethodHandle" | "java.lang.invoke.VarHandle"
            );
        if polymorphic {
            // What the JVM itself calls to link (HotSpot, `SystemDictionary`); all else is what it linked.
            let class = self.known.program.class(&mut self.jvm.link, method.0)?;
            return Ok(class.name != "java.lang.invoke.MethodHandleNatives"
                && !matches!(run.name.as_str(), "loadClass" | "checkPackageAccess"));
        }
        Ok(run.name == named.name && run.descriptor == named.descriptor)
    }

    /// The first of these frames that another exception may leave than the one that leaves the frame above it, or none:
    /// a native method, and code for which the JVM itself called what stands above it. What leaves a static
    /// initialiser arrives as `ExceptionInInitializerError`, what leaves a class loader as `NoClassDefFoundError`, and
    /// so on (JVMS 5.3, 5.4.3, 5.5).
    pub(crate) fn barrier(&mut self, frames: &[StackFrame]) -> Result<Option<usize>, CaptureError> {
        for (at, frame) in frames.iter().enumerate() {
            // The frame that throws it is left by it: a native method has returned by the time it is told.
            let Some(above) = at
                .checked_sub(1)
                .map(|above| key_of(&frames[above].location))
            else {
                continue;
            };
            if frame.location.is_native()
                || self
                    .known
                    .program
                    .is_initialiser(&mut self.jvm.link, above)?
                || !self.can_call(&frame.location, above)?
            {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }
}
