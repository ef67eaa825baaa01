//! Class files (JVMS 4), as far as the tables of classes, fields and lines tell of them. They are read here, and not with what jhyde
//! reads them with.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

/// What a compiler wrote of a class. Names of classes are dotted.
#[derive(Debug)]
pub(super) struct ClassFile {
    pub(super) name: String,
    /// The class that it extends: an interface extends none.
    pub(super) above: Option<String>,
    pub(super) interfaces: Vec<String>,
    pub(super) source_file: Option<String>,
    pub(super) modifiers: u16,
    pub(super) fields: Vec<Member>,
    pub(super) methods: Vec<Member>,
}

/// A field or a method.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) descriptor: String,
    pub(super) modifiers: u16,
    /// Of a method's code: an index, and the line that begins there.
    pub(super) lines: Vec<(u16, u16)>,
}

const INTERFACE: u16 = 0x200;
/// In the flags of every class, and not in those that its outer class has of it.
const SUPER: u16 = 0x20;

/// All class files of a folder, by the names of their classes.
pub(super) fn all(folder: &Path) -> HashMap<String, ClassFile> {
    let mut found = HashMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "class") {
                let file = ClassFile::read(&fs::read(&path).expect("a class file"));
                found.insert(file.name.clone(), file);
            }
        }
    }
    found
}

impl ClassFile {
    fn read(bytes: &[u8]) -> Self {
        let mut bytes = Bytes(bytes);
        // A magic number and the version.
        bytes.take(8);
        let pool = Pool::read(&mut bytes);
        let access = bytes.u2();
        let own = bytes.u2();
        let above = bytes.u2();
        let interfaces = bytes.times(|bytes| pool.class(bytes.u2()));
        let fields = bytes.times(|bytes| Member::read(bytes, &pool));
        let methods = bytes.times(|bytes| Member::read(bytes, &pool));
        let mut file = Self {
            name: pool.class(own),
            above: (access & INTERFACE == 0).then(|| pool.class(above)),
            interfaces,
            source_file: None,
            modifiers: access,
            fields,
            methods,
        };
        for (name, mut bytes) in pool.attributes(&mut bytes) {
            match name {
                "SourceFile" => file.source_file = Some(pool.text(bytes.u2()).to_owned()),
                "InnerClasses" => {
                    let inner = bytes.times(|bytes| [(); 4].map(|()| bytes.u2()));
                    let it = inner.iter().find(|inner| inner[0] == own);
                    if let Some([.., access_inside]) = it {
                        file.modifiers = access_inside | access & SUPER;
                    }
                }
                _ => {}
            }
        }
        file
    }
}

impl Member {
    fn read(bytes: &mut Bytes<'_>, pool: &Pool) -> Self {
        let modifiers = bytes.u2();
        let [name, descriptor] = [(); 2].map(|()| pool.text(bytes.u2()).to_owned());
        let mut lines = Vec::new();
        for (name, mut code) in pool.attributes(bytes) {
            if name != "Code" {
                continue;
            }
            // How much stack and how many locals it takes, the code itself, and what catches exceptions.
            code.take(4);
            let length = code.u4();
            code.take(length);
            code.times(|code| code.take(8).len());
            for (name, mut table) in pool.attributes(&mut code) {
                if name == "LineNumberTable" {
                    lines.extend(table.times(|table| (table.u2(), table.u2())));
                }
            }
        }
        Self {
            name,
            descriptor,
            modifiers,
            lines,
        }
    }

    /// The type of a field, as in source.
    pub(super) fn type_name(&self) -> String {
        let element = self.descriptor.trim_start_matches('[');
        let name = match element {
            "Z" => "boolean",
            "B" => "byte",
            "C" => "char",
            "S" => "short",
            "I" => "int",
            "J" => "long",
            "F" => "float",
            "D" => "double",
            class => class.trim_start_matches('L').trim_end_matches(';'),
        };
        let dimensions = self.descriptor.len() - element.len();
        name.replace('/', ".") + &"[]".repeat(dimensions)
    }
}

/// What is left of some bytes.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(count);
        self.0 = rest;
        taken
    }

    fn number(&mut self, bytes: usize) -> usize {
        let taken = self.take(bytes).iter();
        taken.fold(0, |number, byte| number << 8 | usize::from(*byte))
    }

    fn u2(&mut self) -> u16 {
        self.number(2) as u16
    }

    fn u4(&mut self) -> usize {
        self.number(4)
    }

    /// A number, and so many of something.
    fn times<T>(&mut self, read: impl Fn(&mut Self) -> T) -> Vec<T> {
        let count = self.u2();
        (0..count).map(|_| read(self)).collect()
    }
}

/// The texts and the names of classes of a constant pool.
struct Pool {
    texts: HashMap<u16, String>,
    classes: HashMap<u16, u16>,
}

impl Pool {
    fn read(bytes: &mut Bytes<'_>) -> Self {
        let mut pool = Self {
            texts: HashMap::new(),
            classes: HashMap::new(),
        };
        let count = bytes.u2();
        let mut at = 1;
        while at < count {
            let tag = bytes.number(1);
            match tag {
                1 => {
                    let length = bytes.number(2);
                    let text = String::from_utf8_lossy(bytes.take(length));
                    pool.texts.insert(at, text.into_owned());
                }
                7 => {
                    pool.classes.insert(at, bytes.u2());
                }
                8 | 16 | 19 | 20 => drop(bytes.u2()),
                15 => drop(bytes.take(3)),
                3 | 4 | 9..=12 | 17 | 18 => drop(bytes.u4()),
                5 | 6 => drop(bytes.take(8)),
                _ => panic!("a constant of kind {tag}"),
            }
            // A long or a double takes two places.
            at += if matches!(tag, 5 | 6) { 2 } else { 1 };
        }
        pool
    }

    fn text(&self, at: u16) -> &str {
        &self.texts[&at]
    }

    fn class(&self, at: u16) -> String {
        self.text(self.classes[&at]).replace('/', ".")
    }

    fn attributes<'a>(&self, bytes: &mut Bytes<'a>) -> Vec<(&str, Bytes<'a>)> {
        bytes.times(|bytes| {
            let name = self.text(bytes.u2());
            let length = bytes.u4();
            (name, Bytes(bytes.take(length)))
        })
    }
}
