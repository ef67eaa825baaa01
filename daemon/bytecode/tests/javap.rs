//! A sample of each JDK's classes, and classes compiled here, compared with what `javap` prints:
//! instructions with their operands, exception tables, line tables, variable tables.

mod common;

use std::path::Path;

use jhyde_bytecode::{
    ClassFile, ClassSource, Code, CodeAttribute, Constant, Instruction, Operands,
};

/// A method's code in the words of `javap -c -l -p -s`, without its comments.
#[derive(Debug, Default, PartialEq)]
struct Printed {
    descriptor: String,
    /// `12: iload_w 300`, switches with their cases on one line.
    instructions: Vec<String>,
    /// What stands behind `// Field`, `// Method` and `// InterfaceMethod`: `12: name:descriptor`.
    members: Vec<String>,
    handlers: Vec<String>,
    lines: Vec<String>,
    variables: Vec<String>,
}

#[test]
fn a_sample_of_each_jdk() {
    for jdk in common::jdks() {
        let source = ClassSource::java_home(&jdk).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let names = source.names().unwrap();
        let mut classes = Vec::new();
        for name in names
            .iter()
            .filter(|n| !n.ends_with("-info"))
            .step_by(names.len() / 700)
        {
            let class = ClassFile::parse(source.read(name).unwrap().unwrap()).unwrap();
            let path = folder.path().join(format!("{}.class", classes.len()));
            std::fs::write(&path, &class.bytes).unwrap();
            classes.push((path, class));
        }
        let seen = compare(&jdk, &classes);
        println!(
            "{}: {} classes, {} instructions",
            jdk.display(),
            classes.len(),
            seen
        );
        assert!(
            classes.len() > 600 && seen > 100_000,
            "{} {seen}",
            classes.len()
        );
    }
}

#[test]
fn classes_of_this_jdks_compiler_with_and_without_tables() {
    let source = include_str!("fixtures/Shapes.java");
    for jdk in common::jdks() {
        // Java 8 class files too, as long as compilers make them.
        for (option, release) in [("-g", "8"), ("-g", ""), ("-g:none", "")] {
            let folder = tempfile::tempdir().unwrap();
            let into = folder.path();
            let mut options = vec![option, "-Xlint:-options"];
            if !release.is_empty() {
                options.extend(["--release", release]);
            }
            common::javac(&jdk, "Shapes.java", source, into, &options);
            let place = ClassSource::open(into, 8).unwrap();
            let read = |name: &String| {
                let class = ClassFile::parse(place.read(name).unwrap().unwrap()).unwrap();
                (into.join(format!("{name}.class")), class)
            };
            let classes: Vec<_> = place.names().unwrap().iter().map(read).collect();
            // The class that maps an enum's constants to cases: newer compilers need none.
            assert!((3..=4).contains(&classes.len()), "{}", classes.len());
            let methods = || classes.iter().flat_map(|(_, class)| &class.methods);
            let code = || methods().filter_map(|method| method.code.as_ref());
            assert_eq!(code().any(|c| !c.lines.is_empty()), option != "-g:none");
            assert_eq!(code().any(|c| !c.variables.is_empty()), option == "-g");
            if !release.is_empty() {
                assert!(classes.iter().all(|(_, class)| class.major_version == 52));
            }
            assert!(compare(&jdk, &classes) > 300);
        }
    }
}

/// How many instructions were compared.
fn compare(jdk: &Path, classes: &[(std::path::PathBuf, ClassFile)]) -> usize {
    let mut seen = 0;
    for part in classes.chunks(400) {
        let paths: Vec<String> = part
            .iter()
            .map(|(path, _)| path.display().to_string())
            .collect();
        let mut arguments = vec!["-c", "-l", "-p", "-s"];
        arguments.extend(paths.iter().map(String::as_str));
        let text = common::run(jdk, "javap", &arguments);
        let mut printed = parse(&text).into_iter();
        for (_, class) in part {
            let theirs = printed
                .next()
                .unwrap_or_else(|| panic!("{} is missing", class.name));
            assert_eq!(theirs.len(), class.methods.len(), "{}", class.name);
            for (method, theirs) in class.methods.iter().zip(theirs) {
                let mut ours = method
                    .code
                    .as_ref()
                    .map_or_else(Printed::default, |c| print(class, c));
                ours.descriptor = method.descriptor.descriptor();
                assert_eq!(ours, theirs, "{}.{}", class.name, method.name);
                seen += ours.instructions.len();
            }
        }
        assert_eq!(printed.count(), 0);
    }
    seen
}

/// Methods by class, as they come in the output.
fn parse(text: &str) -> Vec<Vec<Printed>> {
    let mut classes = Vec::new();
    let mut methods: Vec<Printed> = Vec::new();
    let mut section = "";
    let mut switch: Option<String> = None;
    for line in text.lines() {
        let words = line.trim();
        if line == "}" {
            classes.push(std::mem::take(&mut methods));
            section = "";
            continue;
        }
        if let Some(descriptor) = words.strip_prefix("descriptor: ") {
            if descriptor.starts_with('(') {
                methods.push(Printed {
                    descriptor: descriptor.to_owned(),
                    ..Printed::default()
                });
            }
            section = "";
            continue;
        }
        if words.is_empty() {
            section = "";
            continue;
        }
        if let "Code:" | "Exception table:" | "LineNumberTable:" | "LocalVariableTable:" = words {
            section = words;
            continue;
        }
        let Some(method) = methods.last_mut() else {
            continue;
        };
        match section {
            "Code:" => {
                if let Some(started) = &mut switch {
                    if words == "}" {
                        method.instructions.extend(switch.take());
                    } else {
                        started.push_str(&format!(" {words}"));
                    }
                    continue;
                }
                let (code, comment) = words.split_once("//").unwrap_or((words, ""));
                let code = code.split_whitespace().collect::<Vec<_>>().join(" ");
                if let Some((_, member)) = ["Field ", "Method ", "InterfaceMethod "]
                    .iter()
                    .find_map(|kind| Some((kind, comment.trim().strip_prefix(kind)?)))
                {
                    let index = code.split(':').next().unwrap_or_default();
                    method.members.push(format!("{index}: {member}"));
                }
                match code.strip_suffix(" {") {
                    Some(head) => switch = Some(head.to_owned()),
                    None => method.instructions.push(code),
                }
            }
            "Exception table:" if !words.starts_with("from") => {
                method
                    .handlers
                    .push(words.split_whitespace().collect::<Vec<_>>().join(" "));
            }
            "LineNumberTable:" => method.lines.push(words.to_owned()),
            "LocalVariableTable:" if !words.starts_with("Start") => {
                method
                    .variables
                    .push(words.split_whitespace().collect::<Vec<_>>().join(" "));
            }
            _ => {}
        }
    }
    classes
}

fn print(class: &ClassFile, code: &CodeAttribute) -> Printed {
    let decoded: Code = code.decode().unwrap();
    let handlers = code.handlers.iter().map(|h| {
        let kind = h
            .catch_type
            .as_ref()
            .map_or_else(|| "any".to_owned(), |class| format!("Class {class}"));
        format!("{} {} {} {kind}", h.start, h.end, h.handler)
    });
    let variables = code.variables.iter().map(|v| {
        format!(
            "{} {} {} {} {}",
            v.start, v.length, v.slot, v.name, v.descriptor
        )
    });
    Printed {
        descriptor: String::new(),
        instructions: decoded
            .instructions()
            .iter()
            .map(print_instruction)
            .collect(),
        members: decoded
            .instructions()
            .iter()
            .filter_map(|i| print_member(class, i))
            .collect(),
        handlers: handlers.collect(),
        lines: code
            .lines
            .iter()
            .map(|l| format!("line {}: {}", l.line, l.start))
            .collect(),
        variables: variables.collect(),
    }
}

fn print_instruction(instruction: &Instruction) -> String {
    let head = format!("{}: {}", instruction.index, instruction.mnemonic());
    match &instruction.operands {
        Operands::None => head,
        Operands::Immediate(number) => format!("{head} {number}"),
        Operands::Local(slot) => format!("{head} {slot}"),
        Operands::Increment { slot, by } => format!("{head} {slot}, {by}"),
        Operands::Jump(target) => format!("{head} {target}"),
        Operands::NewArray(kind) => format!("{head} {}", kind.name()),
        Operands::MultiNewArray {
            constant,
            dimensions,
        } => {
            format!("{head} #{constant}, {dimensions}")
        }
        Operands::InvokeInterface { constant, count } => format!("{head} #{constant}, {count}"),
        // javap shows the two zeros behind the constant as one number.
        Operands::Constant(constant) if instruction.mnemonic() == "invokedynamic" => {
            format!("{head} #{constant}, 0")
        }
        Operands::Constant(constant) => format!("{head} #{constant}"),
        Operands::TableSwitch(table) => {
            let cases = table.cases().map(|(v, t)| format!(" {v}: {t}"));
            format!(
                "{head}{} default: {}",
                cases.collect::<String>(),
                table.default
            )
        }
        Operands::LookupSwitch(table) => {
            let cases = table.pairs.iter().map(|(v, t)| format!(" {v}: {t}"));
            format!(
                "{head}{} default: {}",
                cases.collect::<String>(),
                table.default
            )
        }
    }
}

/// Members of the class itself are printed without the class, odd names in quotes.
fn print_member(class: &ClassFile, instruction: &Instruction) -> Option<String> {
    let constant = instruction.constant()?;
    let member = match class.constants.get(constant).unwrap() {
        Constant::Field(_) => class.constants.field(constant).unwrap(),
        Constant::Method(_) | Constant::InterfaceMethod(_) => {
            class.constants.method(constant).unwrap()
        }
        _ => return None,
    };
    let quoted = |name: &str| {
        if name.starts_with(['<', '[']) {
            format!("\"{name}\"")
        } else {
            name.to_owned()
        }
    };
    let owner = if member.class == class.name {
        String::new()
    } else {
        format!("{}.", quoted(member.class))
    };
    let (index, name) = (instruction.index, quoted(member.name));
    Some(format!("{index}: {owner}{name}:{}", member.descriptor))
}
