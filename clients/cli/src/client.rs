//! The stubs of the three services over one connection.

use jhyde_proto::v1::debugging_client::DebuggingClient;
use jhyde_proto::v1::history_client::HistoryClient;
use jhyde_proto::v1::recordings_client::RecordingsClient;
use tonic::transport::Channel;

/// A page of ten thousand rows, or an object with long strings, is more than the usual 4 MB.
const LARGEST_ANSWER_BYTES: usize = 256 << 20;

/// One connection to a daemon.
#[derive(Clone, Debug)]
pub struct Client {
    /// Making and keeping recordings.
    pub recordings: RecordingsClient<Channel>,
    /// Questions about the past.
    pub history: HistoryClient<Channel>,
    /// Declarative debugging.
    pub debugging: DebuggingClient<Channel>,
}

impl Client {
    /// The services behind this channel.
    pub fn new(channel: Channel) -> Self {
        Self {
            recordings: RecordingsClient::new(channel.clone())
                .max_decoding_message_size(LARGEST_ANSWER_BYTES),
            history: HistoryClient::new(channel.clone())
                .max_decoding_message_size(LARGEST_ANSWER_BYTES),
            debugging: DebuggingClient::new(channel)
                .max_decoding_message_size(LARGEST_ANSWER_BYTES),
        }
    }
}
