//! The page's files: the built ones of `clients/web`, embedded.

use http::header::{
    ALLOW, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, ETAG, HeaderValue, IF_NONE_MATCH,
};
use http::{HeaderMap, Method, Response, StatusCode};
use rust_embed::RustEmbed;
use tonic::body::Body;

/// See the module. `clients/web/README.md` says how they are made.
#[derive(RustEmbed)]
#[folder = "../../clients/web/dist"]
struct Files;

/// Files here have a hash of what is in them in their names.
const HASHED: &str = "assets/";

/// What a file is, by its ending. None are served but these.
const TYPES: &[(&str, &str)] = &[
    ("html", "text/html; charset=utf-8"),
    ("js", "text/javascript; charset=utf-8"),
    ("css", "text/css; charset=utf-8"),
    ("json", "application/json"),
    ("webmanifest", "application/manifest+json"),
    ("svg", "image/svg+xml"),
    ("png", "image/png"),
    ("ico", "image/x-icon"),
    ("woff2", "font/woff2"),
    ("wasm", "application/wasm"),
    ("txt", "text/plain; charset=utf-8"),
];

/// Answers what is no gRPC call.
pub(crate) fn answer(method: &Method, path: &str, headers: &HeaderMap) -> Response<Body> {
    if !matches!(*method, Method::GET | Method::HEAD) {
        let mut refused = text(
            StatusCode::METHOD_NOT_ALLOWED,
            "only GET, and gRPC-web calls to the services of jhyde.v1",
        );
        let headers = refused.headers_mut();
        headers.insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
        return refused;
    }
    let path = match path.strip_prefix('/') {
        Some("") => "index.html",
        Some(path) => path,
        None => "",
    };
    let content_type = path.rsplit_once('.').and_then(|(_, ending)| {
        let known = TYPES.iter().find(|(known, _)| *known == ending);
        known.map(|(_, content_type)| HeaderValue::from_static(content_type))
    });
    let Some((content_type, file)) = content_type.zip(Files::get(path)) else {
        return text(
            StatusCode::NOT_FOUND,
            "there is nothing here: the page is at /",
        );
    };
    let tag = file.metadata.sha256_hash();
    let tag = tag.iter().take(16).map(|byte| format!("{byte:02x}"));
    let tag = format!("\"{}\"", tag.collect::<String>());
    let known = headers.get(IF_NONE_MATCH);
    let is_known = known.is_some_and(|known| known.as_bytes() == tag.as_bytes());
    let length = file.data.len();
    let body = match (is_known, method == Method::HEAD) {
        (false, false) => whole(bytes(file.data)),
        _ => Body::empty(),
    };
    let mut response = Response::new(body);
    if is_known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    }
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, content_type);
    if !is_known {
        headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
    }
    headers.extend(HeaderValue::try_from(tag).ok().map(|tag| (ETAG, tag)));
    let caching = match path.starts_with(HASHED) {
        true => "private, max-age=31536000, immutable",
        false => "no-cache",
    };
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(caching));
    response
}

/// A line of text.
pub(crate) fn text(status: StatusCode, line: &str) -> Response<Body> {
    let mut response = Response::new(whole(format!("{line}\n").into()));
    *response.status_mut() = status;
    let plain = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, plain);
    response
}

fn bytes(data: std::borrow::Cow<'static, [u8]>) -> bytes::Bytes {
    match data {
        std::borrow::Cow::Borrowed(data) => bytes::Bytes::from_static(data),
        std::borrow::Cow::Owned(data) => data.into(),
    }
}

fn whole(data: bytes::Bytes) -> Body {
    Body::new(http_body_util::Full::new(data))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(path: &str) -> Response<Body> {
        answer(&Method::GET, path, &HeaderMap::new())
    }

    #[test]
    fn files_are_served_by_their_names_alone() {
        let page = get("/");
        assert_eq!(page.status(), StatusCode::OK);
        assert_eq!(page.headers()[CONTENT_TYPE], "text/html; charset=utf-8");
        assert_eq!(page.headers()[CACHE_CONTROL], "no-cache");
        for none in [
            "/none",
            "/../index.html",
            "//index.html",
            "/index.html/",
            "/%69ndex.html",
            "",
            "/.gitattributes",
            "/assets/",
        ] {
            assert_eq!(get(none).status(), StatusCode::NOT_FOUND, "{none}");
        }
        let refused = answer(&Method::PUT, "/", &HeaderMap::new());
        assert_eq!(refused.status(), StatusCode::METHOD_NOT_ALLOWED);
    }

    #[test]
    fn what_a_browser_has_is_not_sent_again() {
        let tag = get("/").headers()[ETAG].clone();
        let known = HeaderMap::from_iter([(IF_NONE_MATCH, tag)]);
        let again = answer(&Method::GET, "/", &known);
        assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
        let other = HeaderMap::from_iter([(IF_NONE_MATCH, HeaderValue::from_static("\"x\""))]);
        assert_eq!(answer(&Method::GET, "/", &other).status(), StatusCode::OK);
    }

    #[test]
    fn every_embedded_file_has_a_type() {
        for file in Files::iter() {
            let path = format!("/{file}");
            assert_eq!(
                get(&path).status(),
                StatusCode::OK,
                "{path}: add its ending to TYPES"
            );
        }
    }
}
