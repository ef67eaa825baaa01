//! Declarative debugging: sessions, answers, strategies.
