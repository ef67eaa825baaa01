//! Which classes have something that can never change, by their names, and how that is shown.

/// The kinds of such objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FixedKind {
    Enum,
    Thread,
    Throwable,
    Lambda,
    Shown(Plain),
}

impl FixedKind {
    /// By the dotted name of a class, or of one above it.
    pub(super) fn of(class: &str) -> Option<Self> {
        match class {
            "java.lang.Enum" => Some(Self::Enum),
            "java.lang.Thread" => Some(Self::Thread),
            "java.lang.Throwable" => Some(Self::Throwable),
            _ if class.contains("$$Lambda") => Some(Self::Lambda),
            _ => Plain::of(class).map(Self::Shown),
        }
    }
}

/// The classes that are shown by a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Plain {
    BigInteger,
    BigDecimal,
    Uuid,
    UnixPath,
    Locale,
    Url,
    /// A method, field or constructor: its class, and where its name stands.
    Member(Option<&'static str>),
    Frame,
    /// The text in a field.
    Text(&'static str),
    Date(Date),
}

impl Plain {
    /// By the dotted name of the class.
    pub(crate) fn of(class: &str) -> Option<Self> {
        Some(match class {
            "java.math.BigInteger" => Self::BigInteger,
            "java.math.BigDecimal" => Self::BigDecimal,
            "java.util.UUID" => Self::Uuid,
            "sun.nio.fs.UnixPath" => Self::UnixPath,
            "java.lang.reflect.Method" | "java.lang.reflect.Field" => Self::Member(Some("name")),
            "java.lang.reflect.Constructor" => Self::Member(None),
            "java.lang.StackTraceElement" => Self::Frame,
            "java.util.Locale" => Self::Locale,
            "java.net.URL" => Self::Url,
            "java.net.URI" => Self::Text("string"),
            "java.io.File" => Self::Text("path"),
            "java.util.regex.Pattern" => Self::Text("pattern"),
            "java.util.Currency" => Self::Text("currencyCode"),
            "java.nio.charset.Charset" => Self::Text("name"),
            "java.time.ZoneRegion" | "java.time.ZoneOffset" => Self::Text("id"),
            _ => Self::Date(Date::of(class.strip_prefix("java.time.")?)?),
        })
    }
}

/// Their classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Date {
    Instant,
    Duration,
    Period,
    Day,
    LocalTime,
    Local,
    Offset,
    Zoned,
    Year,
    YearMonth,
}

impl Date {
    /// By the simple name of the class.
    pub(super) fn of(simple: &str) -> Option<Self> {
        Some(match simple {
            "Instant" => Self::Instant,
            "Duration" => Self::Duration,
            "Period" => Self::Period,
            "LocalDate" => Self::Day,
            "LocalTime" => Self::LocalTime,
            "LocalDateTime" => Self::Local,
            "OffsetDateTime" => Self::Offset,
            "ZonedDateTime" => Self::Zoned,
            "Year" => Self::Year,
            "YearMonth" => Self::YearMonth,
            _ => return None,
        })
    }
}
