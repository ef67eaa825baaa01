use super::*;
use crate::access::Right;

#[test]
fn the_kernel_says_who_is_at_the_unix_socket() {
    let group = Rights::NONE.and(Right::Read);
    let me = jhyde_proto::folder::user();
    assert!(at_unix_socket(Some(me), Rights::NONE).is_owner());
    assert!(at_unix_socket(Some(ROOT), Rights::NONE).is_owner());
    let other = at_unix_socket(Some(me + 1), group);
    assert!(!other.is_owner() && other.rights == group);
    assert_eq!(at_unix_socket(None, group).rights, Rights::NONE);
}

#[test]
fn insecure_loopback_counts_at_loopback_alone() {
    let allowed = Allowed {
        insecure_loopback: Rights::NONE.and(Right::Read),
        ..Allowed::default()
    };
    let comes = |socket| without_token(allowed, socket, &Request::new(Body::empty()));
    assert!(comes(Socket::Loopback).is_ok());
    let refused = comes(Socket::Network).err().map(|status| status.code());
    assert_eq!(refused, Some(tonic::Code::Unauthenticated));
}

#[test]
fn a_bearer_is_read_as_the_standard_says() {
    let mut headers = HeaderMap::new();
    assert_eq!(bearer(&headers).unwrap(), None);
    for good in ["Bearer x", "bearer x", "BEARER  x "] {
        headers.insert(AUTHORIZATION, good.parse().unwrap());
        assert_eq!(bearer(&headers).unwrap(), Some("x"), "{good}");
    }
    for bad in ["Basic x", "Bearer", "", "Bearé x"] {
        headers.insert(
            AUTHORIZATION,
            http::HeaderValue::from_bytes(bad.as_bytes()).unwrap(),
        );
        assert!(bearer(&headers).is_err(), "{bad}");
    }
}

#[test]
fn each_method_is_open_to_those_with_its_right_and_no_others() {
    for method in crate::access::table::METHODS {
        for right in Right::ALL {
            let with = Caller::with_rights("with", Rights::NONE.and(right));
            let without = Right::ALL.into_iter().filter(|other| *other != right);
            let without = without.fold(Rights::NONE, Rights::and);
            let without = Caller::with_rights("without", without);
            let may = |caller: &Caller| check(caller, method).is_ok();
            let path = method.path;
            match method.needs {
                Needs::The(needed) => {
                    assert_eq!(may(&with), needed == right, "{path} {right:?}");
                    assert_eq!(may(&without), needed != right, "{path} {right:?}");
                }
                Needs::Nothing | Needs::ToBeKnown => assert!(may(&with), "{path}"),
                Needs::ToBeTheOwner => assert!(!may(&with) && !may(&without), "{path}"),
            }
        }
        assert!(check(&Caller::owner(), method).is_ok());
        let nobody = check(&Caller::with_rights("nobody", Rights::NONE), method);
        assert_eq!(nobody.is_ok(), method.needs == Needs::Nothing);
    }
}
