//! SIGHUP and `jhyded config check`, asked of the binary from outside.

use std::fs;
use std::net::TcpListener;

use crate::served::{Served, reason, run, text};
use jhyde_proto::v1::recordings_client::RecordingsClient;
use jhyde_proto::v1::{AttachRequest, ListRecordingsRequest, ListenRequest};
use rustix::process::Signal;
use tonic::Code;

#[tokio::test]
async fn sighup_changes_what_can_be_changed_and_names_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("jhyded.toml");
    fs::write(&file, "[listen]\ntcp = [\"127.0.0.1:0\"]\n").unwrap();
    let config = file.to_str().unwrap();
    let served = Served::start(&["--config", config]);
    let mut client = RecordingsClient::new(served.over_tcp().await);
    let list = ListRecordingsRequest::default;
    let refused = client.list(list()).await.unwrap_err();
    assert_eq!(reason(&refused), "NO_TOKEN");

    let attach = |address: &str| AttachRequest {
        address: address.to_owned(),
        ..AttachRequest::default()
    };
    let mut owner = RecordingsClient::new(served.at_socket().await);
    // It accepts, and says nothing.
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("localhost:{}", nobody.local_addr().unwrap().port());

    let text = "memory = \"256MB\"\n[listen]\ntcp = [\"127.0.0.1:0\"]\ninsecure_loopback = [\"read\"]\n\
                [attach]\nhosts = [\"10.0.0.0/8\"]\n[record]\nlevel = \"calls\"\n";
    fs::write(&file, text).unwrap();
    served.signal(Signal::HUP);
    let warned = served.logged("need a restart").await;
    assert!(
        warned.contains("memory") && !warned.contains("record.level"),
        "{warned}"
    );
    let told = served.logged("was read anew").await;
    for key in ["attach.hosts", "listen.insecure_loopback", "record.level"] {
        assert!(told.contains(key), "{told}");
    }
    client.list(list()).await.unwrap();
    let refused = owner.attach(attach(&address)).await.unwrap_err();
    assert_eq!(
        (refused.code(), reason(&refused).as_str()),
        (Code::PermissionDenied, "HOST_NOT_ALLOWED")
    );
    assert!(refused.message().contains("127.0.0.1"), "{refused}");
    let made = owner
        .listen(ListenRequest::default())
        .await
        .unwrap()
        .into_inner();
    assert_eq!(made.options.unwrap().level, "calls");

    // What is wrong changes nothing.
    for (wrong, words) in [
        ("[listen", "not a valid configuration file"),
        ("[listen]\nno_such = 1\n", "no_such"),
        ("[listen]\ninsecure_loopback = [\"all\"]\n", "no right"),
        ("[attach]\nhosts = [\"10.0.0.0/99\"]\n", "no host"),
    ] {
        fs::write(&file, wrong).unwrap();
        served.signal(Signal::HUP);
        let told = served.logged("the configuration is as it was").await;
        assert!(told.contains(words), "{wrong}: {told}");
        client.list(list()).await.unwrap();
    }
    // A restart is asked for as long as it is due.
    fs::write(&file, text).unwrap();
    served.signal(Signal::HUP);
    let warned = served.logged("need a restart").await;
    assert!(warned.contains("memory"), "{warned}");

    // What is no longer allowed is refused. (The flag --log wins over the file, at a reload, too.)
    served.logged("was read anew").await;
    let quiet = format!("{text}[log]\nfilter = \"warn\"\n");
    fs::write(&file, quiet.replace("insecure_loopback = [\"read\"]\n", "")).unwrap();
    served.signal(Signal::HUP);
    served.logged("need a restart").await;
    served.logged("was read anew").await;
    let refused = client.list(list()).await.unwrap_err();
    assert_eq!(reason(&refused), "NO_TOKEN");
}

#[test]
fn a_file_is_checked_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.toml");
    let check = |content: &str| {
        fs::write(&file, content).unwrap();
        let output = run(folder.path(), &["config", "check", file.to_str().unwrap()]);
        (
            output.status.code(),
            text(&output.stdout),
            text(&output.stderr),
        )
    };
    let (code, told, _) =
        check("memory = \"1GB\"\n[listen]\nunix_group_rights = [\"read\", \"debug\"]\n");
    assert_eq!(code, Some(0));
    assert!(told.contains("is good") && told.contains("2 of"), "{told}");
    for (wrong, words) in [
        ("memory = \"1MB\"", "too little"),
        ("tcp_records = true", "tcp_records"),
        ("[log]\nfilter = \"a=b=c\"", "log.filter"),
        ("[attach]\nhosts = [\"a b\"]", "no host"),
    ] {
        let (code, told, errors) = check(wrong);
        assert_eq!(code, Some(3), "{wrong}");
        assert!(
            told.is_empty() && errors.contains(words),
            "{wrong}: {errors}"
        );
    }
    let missing = run(folder.path(), &["config", "check", "/none.toml"]);
    assert_eq!(missing.status.code(), Some(3));
}
