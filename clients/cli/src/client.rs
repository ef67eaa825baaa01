//! The stubs of the services over one connection.

use jhyde_proto::token::Connection;
use jhyde_proto::v1::debugging_client::DebuggingClient;
use jhyde_proto::v1::history_client::HistoryClient;
use jhyde_proto::v1::queries_client::QueriesClient;
use jhyde_proto::v1::recordings_client::RecordingsClient;
use jhyde_proto::v1::web_client::WebClient;

/// A page of ten thousand rows, or an object with long strings, is more than the usual 4 MB.
const LARGEST_ANSWER_BYTES: usize = 256 << 20;

/// One connection to a daemon.
#[derive(Clone, Debug)]
pub struct Client {
    /// Making and keeping recordings.
    pub recordings: RecordingsClient<Connection>,
    /// Questions about the past.
    pub history: HistoryClient<Connection>,
    /// Declarative debugging.
    pub debugging: DebuggingClient<Connection>,
    /// Letting a browser in.
    pub web: WebClient<Connection>,
    /// Queries by name.
    pub queries: QueriesClient<Connection>,
}

impl Client {
    /// The services behind this channel.
    pub fn new(channel: Connection) -> Self {
        Self {
            recordings: RecordingsClient::new(channel.clone())
                .max_decoding_message_size(LARGEST_ANSWER_BYTES),
            history: HistoryClient::new(channel.clone())
                .max_decoding_message_size(LARGEST_ANSWER_BYTES),
            web: WebClient::new(channel.clone()),
            debugging: DebuggingClient::new(channel.clone())
                .max_decoding_message_size(LARGEST_ANSWER_BYTES),
            queries: QueriesClient::new(channel).max_decoding_message_size(LARGEST_ANSWER_BYTES),
        }
    }
}
