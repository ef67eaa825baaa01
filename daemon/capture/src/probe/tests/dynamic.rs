//! Constants that are computed by a method when they are used first (JVMS 5.4.3.6). Java compilers make hardly any, coverage
//! tools one in each method: the tests make them out of calls, which take as many bytes.

use super::*;

/// A constant pool as it grows: the entries behind the last one, and how many there are.
struct Pool<'a> {
    class: &'a [u8],
    /// Where each entry begins; of a wide one the second is none.
    entries: Vec<Option<usize>>,
    end: usize,
    more: Vec<u8>,
    count: u16,
}

fn u2(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

impl<'a> Pool<'a> {
    fn of(class: &'a [u8]) -> Self {
        let count = u2(class, 8);
        let (mut entries, mut at) = (vec![None], 10);
        while entries.len() < usize::from(count) {
            entries.push(Some(at));
            let (length, wide) = match class[at] {
                1 => (3 + usize::from(u2(class, at + 1)), false),
                3 | 4 | 9..=12 | 17 | 18 => (5, false),
                5 | 6 => (9, true),
                7 | 8 | 16 | 19 | 20 => (3, false),
                15 => (4, false),
                other => panic!("a constant of kind {other}"),
            };
            at += length;
            if wide {
                entries.push(None);
            }
        }
        Self {
            class,
            entries,
            end: at,
            more: Vec::new(),
            count,
        }
    }

    fn add(&mut self, bytes: &[u8]) -> u16 {
        self.more.extend(bytes);
        self.count += 1;
        self.count - 1
    }

    fn text(&mut self, text: &str) -> u16 {
        let mut bytes = vec![1];
        bytes.extend((text.len() as u16).to_be_bytes());
        bytes.extend(text.as_bytes());
        self.add(&bytes)
    }

    fn pair(&mut self, kind: u8, first: u16, second: u16) -> u16 {
        let [[a, b], [c, d]] = [first.to_be_bytes(), second.to_be_bytes()];
        self.add(&[kind, a, b, c, d])
    }

    fn utf8(&self, index: u16) -> &'a str {
        let at = self.entries[usize::from(index)].expect("an entry");
        let length = usize::from(u2(self.class, at + 1));
        std::str::from_utf8(&self.class[at + 3..at + 3 + length]).expect("plain")
    }

    fn second(&self, index: u16, part: usize) -> u16 {
        let at = self.entries[usize::from(index)].expect("an entry");
        u2(self.class, at + 1 + 2 * part)
    }

    /// The methods of the class `owner`: their indexes, names and descriptors.
    fn methods_of(&self, owner: &str) -> Vec<(u16, &'a str, &'a str)> {
        let all = (1..self.entries.len() as u16).filter(|&index| {
            let at = self.entries[usize::from(index)];
            at.is_some_and(|at| self.class[at] == 10)
                && self.utf8(self.second(self.second(index, 0), 0)) == owner
        });
        let named = all.map(|index| {
            let name_and_type = self.second(index, 1);
            let (name, descriptor) = (self.second(name_and_type, 0), self.second(name_and_type, 1));
            (index, self.utf8(name), self.utf8(descriptor))
        });
        named.collect()
    }
}

/// Makes each call of a method of `owner` a constant that the method of its name in the class itself computes.
fn with_constants(class: &[u8], name: &str, owner: &str) -> Vec<u8> {
    let mut pool = Pool::of(class);
    let methods = pool.methods_of(owner);
    let (mut code, mut linked) = (class[pool.end..].to_vec(), Vec::new());
    let own = pool.text(name);
    let own = pool.add(&[&[7], &own.to_be_bytes()[..]].concat());
    for (number, (index, name, descriptor)) in methods.iter().enumerate() {
        let returns = descriptor.strip_prefix("()").expect("no parameters");
        let computes = format!(
            "(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/Class;){returns}"
        );
        let (named, typed, computes) = (pool.text(name), pool.text(returns), pool.text(&computes));
        let method = pool.pair(12, named, computes);
        let method = pool.pair(10, own, method);
        let handle = pool.add(&[&[15, 6], &method.to_be_bytes()[..]].concat());
        linked.extend([handle.to_be_bytes(), [0, 0]].concat());
        let constant = pool.pair(12, named, typed);
        let constant = pool.pair(17, number as u16, constant);
        // `invokestatic`, and `ldc_w` or `ldc2_w`.
        let load = if matches!(returns, "J" | "D") {
            0x14
        } else {
            0x13
        };
        let [high, low] = index.to_be_bytes();
        for at in 0..code.len() - 2 {
            if code[at..at + 3] == [0xb8, high, low] {
                code[at] = load;
                code[at + 1..at + 3].copy_from_slice(&constant.to_be_bytes());
            }
        }
    }
    let attribute = pool.text("BootstrapMethods");
    let mut made = class[..8].to_vec();
    made.extend(pool.count.to_be_bytes());
    made.extend(&class[10..pool.end]);
    made.extend(&pool.more);
    // One attribute more: their number stands behind the last method.
    let attributes = attributes_at(&code);
    let count = u2(&code, attributes) + 1;
    made.extend(&code[..attributes]);
    made.extend(count.to_be_bytes());
    made.extend(&code[attributes + 2..]);
    made.extend(attribute.to_be_bytes());
    made.extend((linked.len() as u32 + 2).to_be_bytes());
    made.extend((methods.len() as u16).to_be_bytes());
    made.extend(linked);
    made
}

/// Where the attributes of a class begin, behind its constant pool.
fn attributes_at(class: &[u8]) -> usize {
    let mut at = 8 + 2 * usize::from(u2(class, 6));
    for _ in 0..2 {
        let members = u2(class, at);
        at += 2;
        for _ in 0..members {
            let attributes = u2(class, at + 6);
            at += 8;
            for _ in 0..attributes {
                let length = (u32::from(u2(class, at + 2)) << 16) + u32::from(u2(class, at + 4));
                at += 6 + length as usize;
            }
        }
    }
    at
}

#[test]
fn constants_that_methods_compute() {
    for jdk in jdks() {
        let jdk = jdk.as_deref();
        let folder = compiled(jdk, &source("Computed"));
        let file = folder.path().join("Computed.class");
        let class = std::fs::read(&file).expect("a class file");
        std::fs::write(
            &file,
            with_constants(&class, "Computed", "Computed$Constant"),
        )
        .expect("it can be written");
        let events = record(jdk, folder.path(), "Computed", EngineKind::Events);
        assert_eq!(
            events.printed,
            "38\n3\ntext!\n1099511627776 0.5 1nullbad, 3298534883328 1.5 3nullbad\n"
        );
        // The engine `events` finds most of what constants are by chance.
        let scope = |told: &Recorded| -> Vec<String> {
            let of_scope = |line: &String| line.contains(" enter Computed");
            story(&told.list).into_iter().filter(of_scope).collect()
        };
        for probe_log in [ProbeLog::Auto, ProbeLog::Writes] {
            let told = record_logging(probe_log, jdk, folder.path(), &["Computed"]);
            assert_eq!(told.printed, events.printed);
            assert_eq!(told.list.levels, [], "{probe_log}: {:?}", told.notes);
            assert_eq!(scope(&told), scope(&events));
            let story = story(&told.list);
            let all = story.join("\n");
            assert_eq!(all.matches("linkDynamicConstant").count(), 8, "{all}");
            // What each visit sees, what computed constants are, and what comes of them in the end.
            for said in [
                "= Some(\"Int(2)\")",
                "= Some(\"Int(3)\")",
                "= Some(\"Int(4)\")",
                "= Some(\"boolean[]#3\")",
                "= Some(\"\\\"text!\\\"\")",
                ":= Int(38)",
                "println(Ljava/lang/String;)V Some(\"java.io.PrintStream#11\") [\"\\\"text!\\\"\"]",
            ] {
                assert!(all.contains(said), "{said} in\n{all}");
            }
            assert!(!all.contains("Missing"), "{all}");
        }
    }
}

/// Names of classes that are not there, as constants and otherwise: each use throws an error.
#[test]
fn classes_that_are_not_there() {
    for jdk in jdks() {
        let jdk = jdk.as_deref();
        let folder = compiled(jdk, &source("Absent"));
        std::fs::remove_file(folder.path().join("Absent$Gone.class")).expect("it was compiled");
        for run in [&["Absent"][..], &["Absent", "without a rest"]] {
            let probe = record_of(jdk, folder.path(), run, EngineKind::Probe, (&[], &[]));
            assert_eq!(
                probe.printed,
                "constant instance method field type array arrays below later 12\n"
            );
            assert_eq!(probe.list.levels, [], "{:?}", probe.notes);
            let story = story(&probe.list);
            let all = story.join("\n");
            // Nothing is made and nothing is called of it; the error is thrown by each instruction that names it.
            assert!(!all.contains("Absent$Gone"), "{all}");
            assert!(!all.contains("Absent$Opt"), "{all}");
            let thrown = |line: &&String| line.contains(" thrown java.lang.NoClassDefFoundError#");
            let thrown: Vec<_> = story.iter().filter(thrown).collect();
            assert_eq!(thrown.len(), 8, "{all}");
            let later = " @12 thrown java.lang.ArrayIndexOutOfBoundsException#";
            assert!(all.contains(later), "{all}");
            let tried = |line: &&String| line.contains("enter Absent.lambda$main$");
            let tried: Vec<_> = story.iter().filter(tried).collect();
            assert_eq!(tried.len(), 8, "{all}");
            for line in tried {
                let call = line.split(' ').next().unwrap_or_default();
                let threw = |line: &String| {
                    line.starts_with(&format!("{call} "))
                        && line.contains(" threw java.lang.NoClassDefFoundError#")
                };
                assert!(story.iter().any(threw), "{line}");
            }
        }
    }
}
