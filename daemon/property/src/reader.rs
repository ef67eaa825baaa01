//! Values of a recording as the expression language has them.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Instant;

use jhyde_history::exact::Exact;
use jhyde_history::{Error, History};
use jhyde_trace::{Content, Timestamp, Value};
use rhai::{Dynamic, EvalAltResult, FLOAT, INT, Position};

use crate::object::Object;
use crate::{STEPS, TIME, VALUES};

/// What every function of the language gives.
pub(crate) type Found<T> = Result<T, Box<EvalAltResult>>;

/// A value is not known: why. It ends an evaluation.
#[derive(Clone, Debug)]
pub(crate) struct Unknown(pub(crate) String);

/// Ends an evaluation because a value is not known.
pub(crate) fn unknown<T>(why: impl Into<String>) -> Found<T> {
    let token = Dynamic::from(Unknown(why.into()));
    Err(EvalAltResult::ErrorTerminated(token, Position::NONE).into())
}

/// Ends an evaluation because the expression makes no sense.
pub(crate) fn mistake<T>(told: impl Into<String>) -> Found<T> {
    Err(EvalAltResult::ErrorRuntime(told.into().into(), Position::NONE).into())
}

/// Why a value is not known, if that is what an error says.
pub(crate) fn reason(error: &EvalAltResult) -> Option<String> {
    match error {
        EvalAltResult::ErrorTerminated(token, _) => {
            token.clone().try_cast::<Unknown>().map(|why| why.0)
        }
        _ => None,
    }
}

/// Reads values of one recording, for one evaluation at a time.
#[derive(Debug)]
pub(crate) struct Reader {
    history: History,
    /// Why nothing that objects held is certain.
    doubt: RefCell<Option<String>>,
    /// So many values may still be looked at.
    left: Cell<usize>,
    /// So many steps were taken.
    steps: Cell<u64>,
    until: Cell<Instant>,
    /// The recording could not be read.
    failure: RefCell<Option<Error>>,
}

impl Reader {
    pub(crate) fn new(history: History) -> Self {
        Self {
            history,
            doubt: RefCell::default(),
            left: Cell::new(0),
            steps: Cell::new(0),
            until: Cell::new(Instant::now()),
            failure: RefCell::default(),
        }
    }

    pub(crate) fn history(&self) -> &History {
        &self.history
    }

    /// An evaluation begins.
    pub(crate) fn begin(&self, doubt: Option<String>) {
        *self.doubt.borrow_mut() = doubt;
        self.left.set(VALUES);
        self.steps.set(0);
        self.until.set(Instant::now() + TIME);
    }

    /// One step more, or why no more are taken.
    pub(crate) fn step(&self) -> Result<(), Unknown> {
        let steps = self.steps.get() + 1;
        self.steps.set(steps);
        if steps > STEPS {
            return Err(Unknown(format!("it took more than {STEPS} steps")));
        }
        // The clock costs more than a step.
        match steps.is_multiple_of(64) && self.is_late() {
            true => Err(Unknown(format!("it took longer than {TIME:?}"))),
            false => Ok(()),
        }
    }

    fn is_late(&self) -> bool {
        Instant::now() > self.until.get()
    }

    /// What could not be read, once.
    pub(crate) fn take_failure(&self) -> Option<Error> {
        self.failure.borrow_mut().take()
    }

    /// What was read of the recording; damage is a reason not to know it.
    pub(crate) fn read<T>(&self, read: Result<T, Error>) -> Found<T> {
        match read {
            Ok(read) => Ok(read),
            Err(error @ Error::Store(jhyde_store::Error::Damaged { .. })) => {
                unknown(error.to_string())
            }
            Err(error) => {
                *self.failure.borrow_mut() = Some(error);
                unknown("the recording cannot be read")
            }
        }
    }

    /// So many values of objects are looked at now.
    pub(crate) fn look(&self, values: usize) -> Found<()> {
        if let Some(doubt) = self.doubt.borrow().as_ref() {
            return unknown(doubt.clone());
        }
        if self.is_late() {
            return unknown(format!("it took longer than {TIME:?}"));
        }
        match self.left.get().checked_sub(values) {
            Some(left) => {
                self.left.set(left);
                Ok(())
            }
            None => unknown(format!("it looks at more than {VALUES} values")),
        }
    }

    /// A value that may not be known; nothing is null.
    pub(crate) fn exact(this: &Rc<Self>, exact: Exact, at: Timestamp) -> Found<Dynamic> {
        match exact {
            Exact::Value(value) => Self::dynamic(this, value, at),
            Exact::Unknown(why) => unknown(why),
            Exact::None => Ok(Dynamic::UNIT),
        }
    }

    /// A value as it was at a time.
    pub(crate) fn dynamic(this: &Rc<Self>, value: Value, at: Timestamp) -> Found<Dynamic> {
        Ok(match value {
            Value::Boolean(value) => value.into(),
            Value::Byte(value) => INT::from(value).into(),
            Value::Short(value) => INT::from(value).into(),
            Value::Int(value) => INT::from(value).into(),
            Value::Long(value) => value.into(),
            Value::Char(unit) => match char::from_u32(u32::from(unit)) {
                Some(value) => value.into(),
                None => return unknown("it is half of a surrogate pair, which is no character"),
            },
            Value::Float(bits) => FLOAT::from(f32::from_bits(bits)).into(),
            Value::Double(bits) => FLOAT::from_bits(bits).into(),
            Value::Null => Dynamic::UNIT,
            Value::Missing(_) => return unknown("it was not recorded"),
            Value::Object(id) => {
                let info = this.history.recording().object(id);
                let info = this.read(info.map_err(Error::from))?;
                let Some(info) = info else {
                    return unknown("what an object is was not recorded");
                };
                match info.content {
                    Content::String(text) if text.is_cut() => {
                        return unknown("a text was longer than what was recorded of it");
                    }
                    Content::String(text) => match text.prefix.to_text() {
                        Some(text) => text.into(),
                        None => return unknown("a text has half of a surrogate pair"),
                    },
                    Content::Box(value) => return Self::dynamic(this, value, at),
                    _ => Dynamic::from(Object::new(Rc::clone(this), id, at)),
                }
            }
        })
    }
}
