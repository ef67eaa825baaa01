//! Methods by a part of their names, or by a place in a file.

use std::sync::Arc;

use jhyde_trace::{ClassInfo, MethodInfo};

use crate::error::Result;
use crate::history::History;
use crate::page::{Page, Tokens, rows};
use crate::tables::{MethodView, Uncounted};

/// A method that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundMethod {
    /// Dotted binary name of its class.
    pub class: String,
    /// Source file without folder; empty if it is not known.
    pub source_file: String,
    /// Is its inside recorded?
    pub in_scope: bool,
    /// The method.
    pub method: MethodView,
}

/// A page of methods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundMethods {
    /// Those that fit best first.
    pub page: Page<FoundMethod>,
    /// How many there are in all.
    pub found: u64,
    /// Which may be missing, and why, for people.
    pub notes: Vec<String>,
}

/// How well a method fits; the least is the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// It has that name, or stands at that place.
    Name,
    /// Its name begins so.
    Begins,
    /// Its name has it inside.
    Inside,
    /// Its name with that of its class has.
    WithClass,
}

/// What is looked for.
enum Sought {
    /// In lower case.
    Text(String),
    /// A line of a file.
    Place(String, u32),
}

impl Sought {
    fn new(text: &str) -> Self {
        let place = text.rsplit_once(':').and_then(|(file, line)| {
            let line = line.parse().ok()?;
            Some(Self::Place(file.rsplit('/').next()?.to_owned(), line))
        });
        place.unwrap_or_else(|| Self::Text(text.to_lowercase()))
    }

    fn fit(&self, class: &ClassInfo, method: &MethodInfo) -> Option<Fit> {
        match self {
            Self::Place(file, line) => {
                let lines = method.lines.iter().map(|entry| entry.line);
                let (first, last) = lines.clone().min().zip(lines.clone().max())?;
                let is_here = class.source_file.as_ref() == Some(file);
                // A line without code is of the method around it; what initialises fields stands all over the class.
                let is_around = (first..=last).contains(line) && !method.name.starts_with('<');
                match lines.into_iter().any(|of| of == *line) {
                    true => is_here.then_some(Fit::Name),
                    false => (is_here && is_around).then_some(Fit::Begins),
                }
            }
            Self::Text(text) => {
                let name = method.name.to_lowercase();
                match name.find(text.as_str()) {
                    Some(0) if name.len() == text.len() => Some(Fit::Name),
                    Some(0) => Some(Fit::Begins),
                    Some(_) => Some(Fit::Inside),
                    None => {
                        let full = format!("{}.{name}", class.name.to_lowercase());
                        full.contains(text.as_str()).then_some(Fit::WithClass)
                    }
                }
            }
        }
    }
}

impl History {
    /// A page of the methods that have a text in `Class.method`, in any case, or code at `FILE:LINE`; of the scope, or
    /// `all` that were met. Of lambdas and classes in one another each is a method of its own.
    ///
    /// # Errors
    /// When the request makes no sense or the recording cannot be read.
    pub fn find_methods(
        &self,
        text: &str,
        all: bool,
        page_size: u32,
        page_token: &str,
    ) -> Result<FoundMethods> {
        let limit = rows(page_size)?;
        let tokens = Tokens::of(&[&"methods", &self.recording.id(), &text, &all]);
        let begin = tokens.position(page_token)?.unwrap_or(0);
        let sought = Sought::new(text);
        let mut fitting: Vec<(Fit, Arc<ClassInfo>, usize)> = Vec::new();
        for id in self.recording.classes() {
            self.check()?;
            let class = self
                .recording
                .class(id)?
                .filter(|class| all || class.in_scope);
            let Some(class) = class else { continue };
            for (at, method) in class.methods.iter().enumerate() {
                let fit = sought.fit(&class, method);
                fitting.extend(fit.map(|fit| (fit, Arc::clone(&class), at)));
            }
        }
        fitting.sort_by(|a, b| (a.0, &a.1.name, a.1.id, a.2).cmp(&(b.0, &b.1.name, b.1.id, b.2)));
        let mut uncounted = Uncounted::default();
        let begin = usize::try_from(begin)
            .unwrap_or(usize::MAX)
            .min(fitting.len());
        let end = begin.saturating_add(limit).min(fitting.len());
        let page = fitting.get(begin..end).unwrap_or_default().iter();
        let found = page.filter_map(|(_, class, at)| Some((class, class.methods.get(*at)?)));
        let found = found.map(|(class, method)| {
            Ok(FoundMethod {
                class: class.name.clone(),
                source_file: class.source_file.clone().unwrap_or_default(),
                in_scope: class.in_scope,
                method: self.method_view(class, method, &mut uncounted)?,
            })
        });
        let found = found.collect::<Result<_>>()?;
        let lost = self.recording.lost_classes();
        let mut notes: Vec<String> = lost.iter().map(ToString::to_string).collect();
        notes.extend(uncounted.notes());
        Ok(FoundMethods {
            page: Page {
                rows: found,
                next: (end < fitting.len()).then(|| tokens.token(end as u64)),
                previous: None,
            },
            found: fitting.len() as u64,
            notes,
        })
    }
}
