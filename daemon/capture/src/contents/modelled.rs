//! What a call does to what is known of its receiver, by whichever model knows its class.

use jhyde_trace::{ObjectId, Value};

use super::{Container, Contents, Key, Modelled, Order, model, model_map};
use crate::program::Named;

impl Contents {
    /// What a call does to its receiver, of exactly this class, and how that orders its keys then. `text`: that of a string.
    pub(crate) fn modelled<'a>(
        &'a self,
        text: impl Fn(ObjectId) -> Option<&'a [u16]>,
        class: &str,
        named: &Named,
        arguments: &[Value],
        receiver: ObjectId,
    ) -> (Modelled, Option<Order>) {
        let container = self.get(receiver);
        let held = container.and_then(Container::items);
        let order = container.and_then(|container| container.order);
        if let (Some(held), Some(order)) = (held, order) {
            let known = |value: Value| self.key(value, &text);
            let name = named.name.as_str();
            let (done, order) = model_map(name, arguments, &named.descriptor, held, order, known);
            return (done, Some(order));
        }
        let done = model(class, &named.name, arguments, &named.descriptor, held);
        let order = match &done {
            Modelled::Does(..) if named.name == "<init>" => Order::constructed(class, arguments),
            _ => None,
        };
        (done, order)
    }

    /// A key, as far as its equality and hash code are specified.
    pub(crate) fn key<'a>(
        &self,
        value: Value,
        text: impl Fn(ObjectId) -> Option<&'a [u16]>,
    ) -> Option<Key<'a>> {
        let object = value.object()?;
        if let Some(text) = text(object) {
            return Some(Key::Text(text));
        }
        match self.boxed(object) {
            Some(Value::Int(value)) => Some(Key::Number('I', value.into())),
            Some(Value::Long(value)) => Some(Key::Number('J', value)),
            Some(Value::Short(value)) => Some(Key::Number('S', value.into())),
            Some(Value::Byte(value)) => Some(Key::Number('B', value.into())),
            Some(Value::Char(value)) => Some(Key::Number('C', value.into())),
            Some(Value::Boolean(value)) => Some(Key::Number('Z', value.into())),
            _ => None,
        }
    }
}
