//! What a statement may do.

use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::hooks::{AuthAction, AuthContext, Authorization};

/// What a statement wanted to do and may not.
pub(super) type Refused = Arc<Mutex<Option<&'static str>>>;

/// What a statement may do: read, and have temporary tables and views.
pub(super) fn allow(context: &AuthContext<'_>, refused: &Refused) -> Authorization {
    let is_temporary = context.database_name == Some("temp");
    let what = match context.action {
        AuthAction::Select | AuthAction::Recursive | AuthAction::Read { .. } => {
            return Authorization::Allow;
        }
        AuthAction::Function { function_name } => match function_name.to_ascii_lowercase().as_str()
        {
            "load_extension" => "extensions cannot be loaded",
            "fts3_tokenizer" => "this function may not be used",
            _ => return Authorization::Allow,
        },
        AuthAction::CreateTempTable { .. }
        | AuthAction::CreateTempView { .. }
        | AuthAction::CreateTempIndex { .. }
        | AuthAction::DropTempTable { .. }
        | AuthAction::DropTempView { .. }
        | AuthAction::DropTempIndex { .. } => return Authorization::Allow,
        AuthAction::Insert { .. } | AuthAction::Update { .. } | AuthAction::Delete { .. }
            if is_temporary =>
        {
            return Authorization::Allow;
        }
        AuthAction::Insert { .. } | AuthAction::Update { .. } | AuthAction::Delete { .. } => {
            "nothing can be written"
        }
        AuthAction::Attach { .. } | AuthAction::Detach { .. } => "no file can be attached",
        AuthAction::Pragma { .. } => "PRAGMA may not be used",
        AuthAction::Transaction { .. } | AuthAction::Savepoint { .. } => {
            "there are no transactions"
        }
        AuthAction::CreateTable { .. } | AuthAction::CreateView { .. } => {
            "only TEMP tables and views can be made"
        }
        _ => "this may not be done",
    };
    refused
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .get_or_insert(what);
    Authorization::Deny
}
