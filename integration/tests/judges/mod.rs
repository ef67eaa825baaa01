//! People who know what three programs should do, and see of their runs what stands on the screen. They read the values
//! as they are printed, at 80 columns, and know no numbers of objects.

mod expenses;

use jhyde_integration::person::{Line, Question, inside, value_of};
use jhyde_integration::terminal::converse;
use jhyde_integration::{Folder, Jdk};

/// A program with a planted bug, and somebody who knows what it should do.
pub(crate) struct Case {
    /// Part of `integration/java`, and name of the recording.
    pub(crate) name: &'static str,
    pub(crate) main: &'static str,
    /// The planted bug.
    pub(crate) buggy: &'static str,
    /// Did the call do right, as far as the screen tells?
    pub(crate) judge: fn(&Question) -> bool,
    /// The level that it is recorded at.
    pub(crate) level: &'static str,
    /// The library that is recorded with it, and its jar.
    pub(crate) library: Option<(&'static str, &'static str)>,
    /// Where a result is wrong, if that is pointed at: the number of the value.
    pub(crate) point: Option<fn(&Question) -> Option<u32>>,
}

pub(crate) const BOOK: Case = Case {
    name: "book",
    main: "book.OrderBook",
    buggy: "OrderBook$Account.sold",
    judge: book,
    level: "state",
    library: None,
    point: None,
};

pub(crate) const TEMPLATES: Case = Case {
    name: "templates",
    main: "templates.Letters",
    buggy: "Scope.lookup",
    judge: templates,
    level: "state",
    library: None,
    point: None,
};

/// A library is between the program's calls.
pub(crate) const EXPENSES: Case = Case {
    name: "expenses",
    main: "expenses.Expenses",
    buggy: "Expenses.cents",
    judge: expenses::judge,
    level: "full",
    library: Some(("org.apache.commons.csv", "/usr/share/java/commons-csv.jar")),
    point: None,
};

pub(crate) const EXPENSES_POINTED: Case = Case {
    point: Some(expenses::point),
    ..EXPENSES
};

/// What was asked, and all that stood on the screen.
pub(crate) struct Session {
    pub(crate) questions: Vec<Question>,
    pub(crate) screen: String,
}

/// In which order questions come.
const STRATEGY: &str = "divide-and-query";

impl Case {
    /// Records the program.
    pub(crate) fn record(&self, jdk: &Jdk) -> Folder {
        let folder = Folder::new();
        let mut path = jdk.classes(self.name).display().to_string();
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/java");
        let mut options = vec!["--level", self.level, "--source", source];
        if let Some((library, jar)) = self.library {
            path.push_str(&format!(":{jar}"));
            options.extend(["--include", self.name, "--include", library]);
        }
        let java = ["-cp".to_owned(), path, self.main.to_owned()];
        let run = folder.launch(jdk, self.name, &options, &java);
        assert!(run.status.success(), "{}", run.stderr);
        folder
    }

    /// Debugs it in a terminal of 80 columns.
    pub(crate) fn debug(&self, folder: &Folder) -> Session {
        /// No question is asked so often.
        const MOST: usize = 60;
        let mut questions = Vec::new();
        // What is judged is what questions show. Their order is that of a strategy which chooses by the tree alone.
        let mut words = vec!["debug", self.name, "--strategy", STRATEGY];
        let trusted = self.library.map(|(library, _)| format!("{library}.*"));
        words.extend(trusted.iter().flat_map(|trusted| ["--trust", trusted]));
        let mut command = folder.jhyde(&words);
        let screen = converse(&mut command, 80, |shown| {
            let question = Question::read(shown);
            let right = (self.judge)(&question);
            let wrong = self.point.and_then(|point| point(&question));
            questions.push(question);
            match (right, wrong) {
                _ if questions.len() > MOST => "quit".to_owned(),
                (true, _) => "valid".to_owned(),
                (false, Some(wrong)) => format!("invalid {wrong}"),
                (false, None) => "invalid".to_owned(),
            }
        });
        Session { questions, screen }
    }
}

/// What can be said of accessors of records, whatever the program: `Trade.symbol (this=Trade(symbol="OAK", …))`. `None`
/// of other calls.
fn accessor(question: &Question) -> Option<bool> {
    let field = question.method();
    let this = question.given("this");
    let inline = this.split_once(&format!("{field}=")).map(|(_, rest)| rest);
    let below = value_of(question.below("this"), field);
    match (below, inline) {
        ("", None) => None,
        ("", Some(rest)) => Some(rest.starts_with(question.result())),
        (value, _) => Some(value == question.result()),
    }
}

/// A letter lists books, each between angle brackets. Names mean what the innermost frame says that has them.
fn templates(question: &Question) -> bool {
    if let Some(right) = accessor(question) {
        return right;
    }
    let result = question.result();
    let variable = match question.method() {
        "lookup" => Some(question.given("name").to_owned()),
        "evaluate" => variable(question.given("expr")),
        _ => None,
    };
    if let Some(name) = variable {
        return match meaning(&question.given, &name) {
            Some(value) => result.trim_end_matches(')').ends_with(value.as_str()),
            None => result.contains("empty") || result == "\"\"",
        };
    }
    // The customer is no book. The outermost frame stands last, and so do the names that a letter is filled with.
    let customer = question
        .given
        .iter()
        .rfind(|line| line.name == "[\"name\"]");
    if let Some(customer) = customer {
        let listed = format!("<{}>", customer.value.trim_matches('"'));
        return !result.contains(&listed);
    }
    // Of a parser: the first name that is to come is in what was made of it.
    let token = question
        .given
        .iter()
        .find(|line| line.value.contains("kind=Kind.NAME"));
    let text = token.and_then(|token| token.value.split("text=").nth(1)?.split(',').next());
    text.is_none_or(|text| result.contains(text) || result == "void")
}

/// `Variable object#491 (name="name")`: its name, in quotes.
fn variable(expr: &str) -> Option<String> {
    let rest = expr.strip_prefix("Variable ")?;
    let name = rest.split("name=").nth(1)?.strip_suffix(')')?;
    Some(name.to_owned())
}

/// What a name means in the first frame that has it.
fn meaning(given: &[Line], name: &str) -> Option<String> {
    let at = given.iter().position(|line| line.name == "frames")?;
    let frames = inside(given, at);
    for (at, frame) in frames.iter().enumerate() {
        if frame.indent != frames[0].indent {
            continue;
        }
        let opened = value_of(inside(frames, at), &format!("[{name}]"));
        if !opened.is_empty() {
            return Some(opened.to_owned());
        }
        if let Some((_, rest)) = frame.value.split_once(&format!("{name}: ")) {
            let end = rest.find([',', '}']).unwrap_or(rest.len());
            return Some(rest[..end].to_owned());
        }
    }
    None
}

/// What is bought comes to who buys, what is sold goes from who sells, and nothing comes from nowhere.
fn book(question: &Question) -> bool {
    if let Some(right) = accessor(question) {
        return right;
    }
    let number = |text: &str| {
        let digits = text
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(text.len());
        text[..digits].parse::<i64>().ok()
    };
    let of_trade = |name: &str, field: &str| -> Option<i64> {
        let below = value_of(question.below(name), field);
        let inline = question.given(name).split_once(&format!("{field}="));
        match (below, inline) {
            ("", inline) => number(inline?.1),
            (below, _) => number(below),
        }
    };
    let expected = match question.method() {
        "amount" => {
            let product = of_trade("this", "price").zip(of_trade("this", "quantity"));
            return product.map(|(price, quantity)| price * quantity) == number(question.result());
        }
        "bought" => of_trade("trade", "quantity"),
        "sold" => of_trade("trade", "quantity").map(|quantity| -quantity),
        _ => Some(0),
    };
    expected == Some(moved(&question.changed))
}

/// By how much all holdings together changed, as far as is shown.
fn moved(changed: &[Line]) -> i64 {
    let mut sum = 0;
    let mut holdings = false;
    for line in changed {
        if !line.name.is_empty() {
            holdings = line.name.ends_with(".holdings");
        }
        if !holdings || line.value.starts_with("in the end as before") {
            continue;
        }
        match line.value.strip_prefix("was ") {
            Some(before) => sum -= held(before),
            None => sum += held(&line.value),
        }
    }
    sum
}

/// The numbers in `{"ELM": 40, "OAK": -15}`.
fn held(map: &str) -> i64 {
    let inside = map
        .rsplit('{')
        .next()
        .unwrap_or_default()
        .trim_end_matches('}');
    let numbers = inside
        .split(", ")
        .filter_map(|entry| entry.split_once(": "));
    numbers
        .filter_map(|(_, number)| number.parse::<i64>().ok())
        .sum()
}
