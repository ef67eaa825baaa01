//! What the JDK's own disassembler says of compiled programs, for the rare question that their source does not answer.

use std::path::PathBuf;
use std::process::Command;

use crate::Jdk;

/// Compiled classes.
#[derive(Clone, Debug)]
pub struct Compiled {
    javap: PathBuf,
    classes: PathBuf,
}

impl Compiled {
    /// Those of a folder.
    pub fn new(jdk: &Jdk, classes: PathBuf) -> Self {
        Self {
            javap: jdk.java().with_file_name("javap"),
            classes,
        }
    }

    /// Does the conditional branch at a place (`pkg.Cls.method@43`) lead to the instruction behind it in any case?
    ///
    /// # Panics
    /// When `javap` cannot be started.
    pub fn always_goes_on(&self, place: &str) -> bool {
        let parts = place
            .rsplit_once('@')
            .and_then(|(method, at)| Some((method.rsplit_once('.')?, at.parse::<u64>().ok()?)));
        let Some(((class, method), at)) = parts else {
            return false;
        };
        let output = Command::new(&self.javap)
            .args(["-c", "-p", "-cp"])
            .arg(&self.classes)
            .arg(class)
            .output()
            .expect("javap can be started");
        always_goes_on(&String::from_utf8_lossy(&output.stdout), class, method, at)
    }
}

/// The same in the disassembler's words. Of methods of one name any may have that branch.
fn always_goes_on(said: &str, class: &str, method: &str, at: u64) -> bool {
    let (mut here, next) = (false, (at + 3).to_string());
    for line in said.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if line.starts_with("  ") && !line.starts_with("   ") {
            here = match method {
                "<clinit>" => line.trim() == "static {};",
                "<init>" => line.contains(&format!("{class}(")),
                method => line.contains(&format!(" {method}(")),
            };
        } else if here && words.first() == Some(&format!("{at}:").as_str()) {
            let branches = words.get(1).is_some_and(|name| name.starts_with("if"));
            if branches && words.get(2) == Some(&next.as_str()) {
                return true;
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_branch_to_the_next_instruction_is_known() {
        let said = "Compiled from \"Main.java\"
class g.A0 {
  int f(int);
    Code:
       4: if_icmpne     7
       7: ifeq          12
  g.A0(double[], char);
    Code:
      43: if_icmpne     46
  static {};
    Code:
       1: goto          4
";
        let is = |method, at| always_goes_on(said, "g.A0", method, at);
        assert!(is("f", 4) && is("<init>", 43));
        assert!(!is("f", 7) && !is("f", 43) && !is("<clinit>", 1));
    }
}
