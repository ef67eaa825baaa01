//! The service `Web`: letting browsers in. What they find is [`crate::web`].

use std::sync::Arc;

use jhyde_proto::v1;
use tonic::{Request, Response, Status};

use crate::access::caller;
use crate::error::Kind;
use crate::services::status::with_details;
use crate::web::Door;
use crate::web::address::AddressError;
use crate::web::guests::{TICKET_TIME, TicketError};

/// See the module.
#[derive(Debug)]
pub struct WebService {
    door: Arc<Door>,
}

impl WebService {
    /// The service at this door.
    pub fn new(door: Arc<Door>) -> Self {
        Self { door }
    }
}

/// The gate lets nobody else through; this holds wherever the service is put.
fn only_the_owner<T>(request: &Request<T>) -> Result<(), Status> {
    match caller(request).is_owner() {
        true => Ok(()),
        false => Err(with_details(
            Kind::PermissionDenied,
            "OVER_TCP",
            None,
            "only the daemon's own user may open the page, at its unix socket",
        )),
    }
}

fn no_random_bits(error: std::io::Error) -> Status {
    let told = format!("the system gives no random numbers: {error}");
    with_details(Kind::Internal, "NO_RANDOM_BITS", None, told)
}

#[tonic::async_trait]
impl v1::web_server::Web for WebService {
    async fn open(
        &self,
        request: Request<v1::OpenWebRequest>,
    ) -> Result<Response<v1::OpenWebResponse>, Status> {
        only_the_owner(&request)?;
        let page = self.door.open().await.map_err(|error| {
            let (kind, reason) = match &error {
                AddressError::Off => (Kind::FailedPrecondition, "WEB_OFF"),
                AddressError::NotServing => (Kind::Unavailable, "NOT_SERVING"),
                AddressError::Refused(_) => (Kind::FailedPrecondition, "BAD_ADDRESS"),
                AddressError::Taken(_) => (Kind::FailedPrecondition, "PORT_TAKEN"),
            };
            with_details(kind, reason, Some("listen.web"), error.to_string())
        })?;
        let ticket = self.door.guests().ticket().map_err(no_random_bits)?;
        Ok(Response::new(v1::OpenWebResponse {
            url: page.url,
            ticket,
            valid_ms: u32::try_from(TICKET_TIME.as_millis()).unwrap_or(u32::MAX),
            notes: page.notes,
        }))
    }

    async fn await_redeemed(
        &self,
        request: Request<v1::AwaitRedeemedRequest>,
    ) -> Result<Response<v1::AwaitRedeemedResponse>, Status> {
        only_the_owner(&request)?;
        let ticket = request.into_inner().ticket;
        match self.door.guests().redeemed(&ticket).await {
            Some(redeemed) => Ok(Response::new(v1::AwaitRedeemedResponse { redeemed })),
            None => Err(with_details(
                Kind::NotFound,
                "TICKET_UNKNOWN",
                Some("ticket"),
                TicketError::Unknown.to_string(),
            )),
        }
    }

    async fn redeem(
        &self,
        request: Request<v1::RedeemRequest>,
    ) -> Result<Response<v1::RedeemResponse>, Status> {
        let ticket = request.into_inner().ticket;
        let redeemed = self.door.guests().redeem(&ticket);
        let key = redeemed.map_err(no_random_bits)?.map_err(|error| {
            let reason = match error {
                TicketError::Unknown => "TICKET_UNKNOWN",
                TicketError::Used => "TICKET_USED",
                TicketError::Expired => "TICKET_EXPIRED",
            };
            with_details(Kind::Unauthenticated, reason, None, error.to_string())
        })?;
        Ok(Response::new(v1::RedeemResponse {
            key,
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }))
    }
}
