//! What numbers, dates, paths and their like look like to their users, as `toString` of their classes gives it. They
//! never change, so each is read once.

use jdwp::commands::class_object_reference::ReflectedType;
use jdwp::{ArrayRegion, ObjectId, ReferenceTypeId, Value};

use super::numbers::{decimal, magnitude};
use super::plain::Plain;
use super::read::{ReadError, Reader, gone, renamed, unknown};

/// The most 32-bit digits of a number that is shown.
const LONGEST: usize = 1 << 9;

impl Reader<'_> {
    /// How an object is shown.
    pub(crate) fn shown(
        &mut self,
        object: ObjectId,
        class: ReferenceTypeId,
        plain: Plain,
    ) -> Result<Vec<u16>, ReadError> {
        let text = match plain {
            Plain::Text(field) => {
                let [text] = self.some(object, class, [field])?;
                return self.string(&text)?.map_or_else(gone, Ok);
            }
            Plain::BigInteger => self.big_integer(object, class)?,
            Plain::BigDecimal => self.big_decimal(object, class)?,
            Plain::Uuid => match self.some(object, class, ["mostSigBits", "leastSigBits"])? {
                [Value::Long(most), Value::Long(least)] => {
                    let digits = format!("{:016x}{:016x}", most as u64, least as u64);
                    let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|part| &digits[part]);
                    parts.join("-")
                }
                _ => return renamed(),
            },
            Plain::UnixPath => {
                let [bytes] = self.some(object, class, ["path"])?;
                let length = self.length(&bytes)?;
                let bytes = match self.region(&bytes, 0, length)? {
                    Some(ArrayRegion::Byte(bytes)) => bytes.iter().map(|&b| b as u8).collect(),
                    _ => Vec::new(),
                };
                match String::from_utf8(bytes) {
                    Ok(path) => path,
                    Err(_) => return unknown("its bytes are no UTF-8"),
                }
            }
            Plain::Member(name) => self.member(object, class, name)?,
            Plain::Frame => self.frame(object, class)?,
            Plain::Locale => self.locale(object, class)?,
            Plain::Url => self.url(object, class)?,
            Plain::Date(date) => self.date(object, class, date)?,
        };
        Ok(text.encode_utf16().collect())
    }

    /// The text of a string; none of null.
    pub(crate) fn string(&mut self, value: &Value) -> Result<Option<Vec<u16>>, ReadError> {
        let Some(string) = value.object() else {
            return Ok(None);
        };
        let string = string.id.into();
        let told = self
            .link
            .request(&jdwp::commands::string_reference::Value { string })?;
        told.map_or_else(|_| gone(), |text| Ok(Some(text.to_utf16().to_vec())))
    }

    /// Texts in fields of an object; nothing of null.
    fn texts<const N: usize>(
        &mut self,
        object: ObjectId,
        class: ReferenceTypeId,
        names: [&str; N],
    ) -> Result<[String; N], ReadError> {
        let mut texts = [const { String::new() }; N];
        for (text, value) in texts.iter_mut().zip(self.some(object, class, names)?) {
            let units = self.string(&value)?.unwrap_or_default();
            *text = String::from_utf16_lossy(&units);
        }
        Ok(texts)
    }

    /// `pkg.Class.name`, without parameters.
    fn member(
        &mut self,
        object: ObjectId,
        class: ReferenceTypeId,
        name: Option<&'static str>,
    ) -> Result<String, ReadError> {
        let [declares] = self.some(object, class, ["clazz"])?;
        let Some(declares) = declares.object() else {
            return gone();
        };
        let class_object = declares.id.into();
        let reflected = ReflectedType { class_object };
        let Ok(declares) = self.link.request(&reflected)? else {
            return gone();
        };
        let declares = self.program.name(self.link, declares.type_id)?;
        Ok(match name {
            None => format!("{declares}.<init>"),
            Some(name) => {
                let [name] = self.texts(object, class, [name])?;
                format!("{declares}.{name}")
            }
        })
    }

    /// A line of a stack trace, without its module.
    fn frame(&mut self, object: ObjectId, class: ReferenceTypeId) -> Result<String, ReadError> {
        let names = ["declaringClass", "methodName", "fileName"];
        let [declares, method, file] = self.texts(object, class, names)?;
        let [line] = self.some(object, class, ["lineNumber"])?;
        let place = match line {
            // As the JVM marks native methods.
            Value::Int(-2) => "Native Method".to_owned(),
            _ if file.is_empty() => "Unknown Source".to_owned(),
            Value::Int(line @ 0..) => format!("{file}:{line}"),
            _ => file,
        };
        Ok(format!("{declares}.{method}({place})"))
    }

    fn locale(&mut self, object: ObjectId, class: ReferenceTypeId) -> Result<String, ReadError> {
        let [base, extensions] = self.some(object, class, ["baseLocale", "localeExtensions"])?;
        let Some(base) = base.object() else {
            return gone();
        };
        let class = self.class_of(base.id)?;
        let names = ["language", "region", "variant", "script"];
        let [language, region, variant, script] = self.texts(base.id, class, names)?;
        let mut extension = String::new();
        if let Some(extensions) = extensions.object() {
            let class = self.class_of(extensions.id)?;
            [extension] = self.texts(extensions.id, class, ["id"])?;
        }
        let is_bare = language.is_empty() && region.is_empty();
        let more = [&variant, &script, &extension];
        let mut text = language;
        if !region.is_empty() || !is_bare && more.iter().any(|part| !part.is_empty()) {
            text += &format!("_{region}");
        }
        if !variant.is_empty() && !is_bare {
            text += &format!("_{variant}");
        }
        if !script.is_empty() && !is_bare {
            text += &format!("_#{script}");
        }
        if !extension.is_empty() && !is_bare {
            let mark = if script.is_empty() { "#" } else { "" };
            text += &format!("_{mark}{extension}");
        }
        Ok(text)
    }

    /// As `URLStreamHandler.toExternalForm` has it, which a program's own handler may override.
    fn url(&mut self, object: ObjectId, class: ReferenceTypeId) -> Result<String, ReadError> {
        let [handler] = self.some(object, class, ["handler"])?;
        let Some(handler) = handler.object() else {
            return gone();
        };
        let handler = self.class_of(handler.id)?;
        let handler = self.program.name(self.link, handler)?;
        if !handler.starts_with("sun.net.www.protocol.") {
            return unknown("a handler of the program's own says how it looks");
        }
        let names = ["protocol", "authority", "path", "query", "ref"];
        let absent = self
            .some(object, class, names)?
            .map(|value| value.object().is_none());
        let [protocol, authority, path, query, fragment] = self.texts(object, class, names)?;
        let mut text = protocol + ":";
        if !authority.is_empty() {
            text += &format!("//{authority}");
        }
        text += &path;
        if !absent[3] {
            text += &format!("?{query}");
        }
        if !absent[4] {
            text += &format!("#{fragment}");
        }
        Ok(text)
    }

    fn big_integer(
        &mut self,
        object: ObjectId,
        class: ReferenceTypeId,
    ) -> Result<String, ReadError> {
        let [sign, digits] = self.some(object, class, ["signum", "mag"])?;
        let length = self.length(&digits)?;
        if length > LONGEST {
            return unknown("the number is too long to be shown");
        }
        let digits = match self.region(&digits, 0, length)? {
            Some(ArrayRegion::Int(digits)) => digits,
            _ => Vec::new(),
        };
        let sign = if sign == Value::Int(-1) { "-" } else { "" };
        let digits = digits.into_iter().map(|digit| digit as u32).collect();
        Ok(format!("{sign}{}", magnitude(digits)))
    }

    fn big_decimal(
        &mut self,
        object: ObjectId,
        class: ReferenceTypeId,
    ) -> Result<String, ReadError> {
        let names = ["intVal", "intCompact", "scale"];
        let [big, compact, scale] = self.some(object, class, names)?;
        let unscaled = match (compact, big.object()) {
            // This one means that the number is in the other field.
            (Value::Long(compact), _) if compact != i64::MIN => compact.to_string(),
            (_, Some(big)) => {
                let class = self.class_of(big.id)?;
                self.big_integer(big.id, class)?
            }
            _ => return renamed(),
        };
        match scale {
            Value::Int(scale) => Ok(decimal(&unscaled, scale)),
            _ => renamed(),
        }
    }
}
