//! What `docs/scripting.md` tells to do: its ten tasks, and the commands around them.

use std::fs;
use std::path::{Path, PathBuf};

/// What stands in the page for the daemon's address.
pub(crate) const SOMEWHERE: &str = "https://build.example:7707";

/// Of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// One of the page's tasks: two ways to do it, and what both print.
#[derive(Debug)]
pub(crate) struct Task {
    pub(crate) shell: String,
    pub(crate) python: String,
    pub(crate) prints: String,
}

/// The code of the page, block by block.
pub(crate) struct Page {
    /// Which daemon, and who asks.
    pub(crate) variables: String,
    /// `ask` by `buf curl`, and by `grpcurl`.
    pub(crate) by_buf: String,
    pub(crate) by_grpcurl: String,
    pub(crate) imports: String,
    pub(crate) tasks: Vec<Task>,
}

impl Page {
    pub(crate) fn read() -> Self {
        let page = fs::read_to_string(root().join("docs/scripting.md")).expect("the page is there");
        let mut sections = page.split("\n## ");
        let head = sections.next().unwrap_or_default();
        let [variables, by_buf, by_grpcurl] = blocks(head, "sh").try_into().expect("three");
        let [imports] = blocks(head, "python").try_into().expect("one block");
        let tasks = sections.map(|section| {
            let one = |language| -> String {
                let [block] = blocks(section, language)
                    .try_into()
                    .unwrap_or_else(|met: Vec<_>| {
                        panic!("{} of {language} in {section}", met.len())
                    });
                block
            };
            Task {
                shell: one("sh"),
                python: one("python"),
                prints: one("text"),
            }
        });
        Self {
            variables,
            by_buf,
            by_grpcurl,
            imports,
            tasks: tasks.collect(),
        }
    }

    /// All of its Python, with something between the tasks.
    pub(crate) fn python(&self, between: &str) -> String {
        let tasks = self.tasks.iter().map(|task| task.python.as_str());
        let tasks: Vec<_> = tasks.collect();
        format!("{}{}", self.imports, tasks.join(between))
    }
}

/// The blocks of code in a language.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let begin = format!("\n```{language}\n");
    let found = text.split(&begin).skip(1);
    found
        .map(|rest| {
            let (block, _) = rest.split_once("\n```\n").expect("a block has an end");
            format!("{block}\n")
        })
        .collect()
}

/// The commands in docs/scripting.md and docs/service.md that make a token, whatever else the shell would let others read.
pub(crate) fn documented_tokens() -> Vec<String> {
    let pages = ["docs/scripting.md", "docs/service.md"].map(|page| {
        let page = fs::read_to_string(root().join(page)).expect("the page is there");
        let lines = page.split(['`', '\n']).map(str::trim);
        let mut makes = lines.filter(|line| line.contains("jhyded token create ci "));
        makes.next().expect("a command").to_owned()
    });
    pages.into()
}
