//! Ways by which code out of the scope may get at objects that nobody has shown it, as far as class files tell.
//!
//! Where there is none, an object is told when it is first shown to such code, and not before; where there may be one, when it is made, which
//! costs the program the more. Reflection is seen by the names of what is called: [`super::names`].

use jhyde_bytecode::{ClassFile, Code, CodeAttribute, Constant, InvokeKind, Method, Opcode};

use super::specified::{keeps_array, writes_arrays};
use crate::program::{Named, dotted};

/// What lambdas and concatenations of texts are linked by. Most programs name them in their constant pools, as bootstrap methods (JVMS
/// 4.7.23): what they link gets nothing but what its call site gives it.
const LINKERS: [&str; 2] = [
    "java.lang.invoke.LambdaMetafactory",
    "java.lang.invoke.StringConcatFactory",
];

/// Is it a bootstrap method of the JDK that shows nobody anything?
pub(super) fn only_links(named: &Named) -> bool {
    LINKERS.contains(&named.class.as_str())
}

/// The methods that the constants of a class name.
pub(super) fn named_methods(file: &ClassFile) -> impl Iterator<Item = Named> {
    let constants = file.constants.iter();
    constants.filter_map(|(at, _)| method_at(file, at))
}

fn method_at(file: &ClassFile, constant: u16) -> Option<Named> {
    let method = file.constants.method(constant).ok()?;
    Some(Named {
        class: dotted(method.class),
        name: method.name.to_owned(),
        descriptor: method.descriptor.to_owned(),
        kind: InvokeKind::Virtual,
        code: 0,
    })
}

/// Asks what is called objects of the scope that it finds behind others (`writeReplace`, say)? Or does it make a loader, of whose classes nothing is known yet?
pub(super) fn may_find(named: &Named) -> bool {
    match named.class.as_str() {
        "java.io.ObjectOutputStream" | "java.net.URLClassLoader" | "java.lang.ModuleLayer" => true,
        "java.lang.ClassLoader" => named.name == "<init>",
        _ => false,
    }
}

/// Is a method called when an object of its class is not used any more (JLS 12.6), in a thread of the JVM's own? One that only returns is not.
pub(super) fn finalizes(method: &Method) -> bool {
    let code = method.code.as_ref();
    let does_something = code.is_some_and(|code| code.bytes.len() > 1);
    does_something && method.name == "finalize" && method.descriptor.descriptor() == "()V"
}

/// Has this class arrays through which code out of the scope may get objects? Who has an array is not shown what is put into it later, and of
/// arrays in an array not what is in them. Or does it make a function that writes arrays?
pub(super) fn shares_arrays(file: &ClassFile) -> bool {
    let mut linked = file.bootstrap_methods.iter();
    if linked.any(|linked| {
        let runs = linked.arguments.get(1);
        runs.is_some_and(|&runs| is_writer(file, runs))
    }) {
        return true;
    }
    let methods = file.methods.iter();
    let codes = methods.filter_map(|method| method.code.as_ref());
    // What cannot be read may have anything.
    codes
        .map(CodeAttribute::decode)
        .any(|code| code.map_or(true, |code| fills_arrays(file, &code)))
}

/// Is this constant a handle of a method that writes the arrays that it is given?
fn is_writer(file: &ClassFile, constant: u16) -> bool {
    let handle = match file.constants.get(constant) {
        Ok(Constant::MethodHandle { reference, .. }) => file.constants.method(*reference).ok(),
        _ => None,
    };
    handle.is_some_and(|runs| writes_arrays(&dotted(runs.class), runs.name))
}

/// Stores it objects into arrays that were there before, or makes arrays of arrays, or calls what keeps an array? Where an array is made with
/// what is in it, javac copies the array's reference before each store.
fn fills_arrays(file: &ClassFile, code: &Code) -> bool {
    let (mut stores, mut copies, mut last) = (0, 0, None);
    for instruction in code.instructions() {
        let before = last.replace(instruction.opcode);
        match instruction.opcode {
            Opcode::Aastore => stores += 1,
            Opcode::Dup if matches!(before, Some(Opcode::Aastore | Opcode::AnewArray)) => {
                copies += 1;
            }
            Opcode::AnewArray => {
                let of = instruction.constant().map(|at| file.constants.class(at));
                if !of.is_some_and(|of| of.is_ok_and(|of| !of.starts_with('['))) {
                    return true;
                }
            }
            _ => {
                let invoke = instruction.invoke();
                let named = invoke.and_then(|invoke| method_at(file, invoke.constant));
                if named.is_some_and(|named| keeps_array(&named, before)) {
                    return true;
                }
            }
        }
    }
    stores > copies
}
