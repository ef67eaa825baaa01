//! Asking for events (spec: "EventRequest Command Set (15)"). The events themselves are in
//! [`crate::event`].

pub use super::modifier::Modifier;
use crate::types::{EventKind, RequestId, SuspendPolicy};

command_set! {
    EventRequest = 15;

    /// Asks for events of a kind.
    Set = 1 {
        /// The kind.
        event_kind: EventKind,
        /// What such an event suspends.
        suspend_policy: SuspendPolicy,
        /// What events must fulfil to be sent; they are applied in order.
        modifiers: Vec<Modifier>,
    } -> RequestId;

    /// Cancels a request. Events that are on their way still come.
    Clear = 2 {
        /// The kind of the request.
        event_kind: EventKind,
        /// The request.
        request: RequestId,
    } -> ();

    /// Cancels all breakpoint requests.
    ClearAllBreakpoints = 3 -> ();
}
