//! The ways to a JVM that is not to be reached by everybody, as docs/jdwp.md has them: through ssh, from within its network namespace,
//! at a port that is opened when it is wanted. That JVMs at loopback are attached to, and JVMs that connect by themselves
//! are waited for, is in `ways_in`.

use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use jhyde_integration::ticker::{
    PATIENCE, Ticker, assert_readable, attach, ended, has_calls, serves, until,
};
use jhyde_integration::{Folder, Jdk, jdks};

/// Ended with the test, however that ends.
struct Ends(Child);

impl Drop for Ends {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn run(command: &mut Command) -> String {
    let output = command.stdin(Stdio::null()).output();
    let output = output.unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    let wrong = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {told}{wrong}");
    told
}

/// Attaches, records, detaches; the program goes on.
fn is_recorded(jdk: &Jdk, mut ticker: Ticker, address: &str) {
    let folder = Folder::new();
    let mut attached = attach(&folder, address, "reached", "events");
    until(&folder, "reached", "recorded", has_calls);
    folder.ask(&["detach", "reached"]);
    // Its daemon ends with it: who asks meanwhile may be cut off.
    assert!(attached.wait().expect("it ends").success());
    let state = until(&folder, "reached", "ended", ended);
    assert_eq!(state["state"], "detached", "JDK {}: {state}", jdk.major);
    assert_readable(&folder, "reached");
    ticker.ticks(5);
    ticker.end();
}

/// A port of 127.0.0.1 that nobody listens at, just now.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

fn listens(port: u16) {
    let end = Instant::now() + PATIENCE;
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(Instant::now() < end, "nobody listens at {port}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_port_that_is_opened_when_it_is_wanted() {
    const AGENT: &str = "server=y,suspend=n,onjcmd=y,address=127.0.0.1:0";
    for jdk in jdks() {
        if jdk.major > 17 {
            // The page says so.
            let agent = format!("-agentlib:jdwp=transport=dt_socket,{AGENT}");
            let output = Command::new(jdk.java()).args([&agent, "-version"]).output();
            let output = output.expect("java can be started");
            let told = [output.stdout, output.stderr].concat();
            let told = String::from_utf8_lossy(&told);
            assert!(told.contains("JDWP option syntax error"), "{told}");
            continue;
        }
        let mut ticker = Ticker::start(&jdk, AGENT);
        ticker.ticks(3);
        let pid = ticker.child.id().to_string();
        let listens = || run(Command::new("ss").args(["-ltnp"])).contains(&format!("pid={pid},"));
        assert!(!listens(), "no port is open yet");
        let jcmd = jdk.home.join("bin/jcmd");
        run(Command::new(jcmd).args([&pid, "VM.start_java_debugging"]));
        let address = ticker.listens_again();
        assert!(listens(), "now one is");
        is_recorded(&jdk, ticker, &address);
    }
}

/// As a sidecar of a pod is: in the network namespace of the JVM, whose loopback nobody else has.
#[test]
fn from_within_its_network_namespace() {
    for jdk in jdks() {
        let mut java = Command::new("unshare");
        java.args([
            "--net",
            "sh",
            "-c",
            "ip link set lo up && exec \"$0\" \"$@\"",
        ]);
        java.arg(jdk.java());
        let mut ticker = Ticker::start_by(java, &jdk, "server=y,suspend=n,address=127.0.0.1:0");
        let address = ticker.listens_again();
        ticker.ticks(3);
        let folder = Folder::new();
        let outside = folder
            .jhyded(&["attach", &address])
            .stdin(Stdio::null())
            .output()
            .expect("jhyded can be started");
        let told = String::from_utf8_lossy(&outside.stderr);
        assert!(
            told.contains("Connection refused"),
            "it is not reached from outside: {told}"
        );
        assert!(!outside.status.success());
        let namespace = format!("--net=/proc/{}/ns/net", ticker.child.id());
        let jhyded = folder.jhyded(&[
            "attach",
            &address,
            "--name",
            "inside",
            "--level",
            "state",
            "--include",
            "fx.*",
        ]);
        let mut inside = Command::new("nsenter");
        inside
            .arg(namespace)
            .arg(jhyded.get_program())
            .args(jhyded.get_args());
        for (name, value) in jhyded.get_envs() {
            inside.env(name, value.unwrap_or_default());
        }
        let inside = inside.stdin(Stdio::null()).stdout(Stdio::null()).spawn();
        let mut inside = inside.expect("nsenter can be started");
        // A client that finds no daemon would start one out here. The socket is a file: clients need not be in there.
        serves(&folder.data().join("jhyded.sock"));
        until(&folder, "inside", "recorded", has_calls);
        folder.ask(&["detach", "inside"]);
        until(&folder, "inside", "ended", ended);
        assert!(inside.wait().expect("it ends").success());
        assert_readable(&folder, "inside");
        ticker.ticks(5);
        ticker.end();
    }
}

#[test]
fn through_ssh() {
    let jdk = jdks().remove(0);
    let (mut ticker, address) = Ticker::listening(&jdk);
    ticker.ticks(3);
    let keys = tempfile::tempdir().expect("a folder");
    let _server = Ends(ssh_server(keys.path()));
    let server = std::fs::read_to_string(keys.path().join("port")).expect("its port");
    let here = free_port();
    let _tunnel = Ends(tunnel(keys.path(), server.trim(), here, &address));
    listens(here);
    is_recorded(&jdk, ticker, &format!("127.0.0.1:{here}"));
}

/// A server on loopback that lets in who has the key of this folder.
fn ssh_server(folder: &Path) -> Child {
    for key in ["host", "client"] {
        let file = folder.join(key).display().to_string();
        run(Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f", &file]));
    }
    // Where it puts those that are not let in yet; the package's service makes it.
    std::fs::create_dir_all("/run/sshd").expect("root may make it");
    let port = free_port();
    let config = format!(
        "ListenAddress 127.0.0.1\nPort {port}\nHostKey {0}/host\nAuthorizedKeysFile {0}/client.pub\nPidFile none\n\
         UsePAM no\nStrictModes no\nPasswordAuthentication no\nPermitRootLogin prohibit-password\n",
        folder.display()
    );
    let file = folder.join("sshd_config");
    std::fs::write(&file, config).expect("it is written");
    std::fs::write(folder.join("port"), port.to_string()).expect("it is written");
    let log = std::fs::File::create(folder.join("log")).expect("it is made");
    let server = Command::new("/usr/sbin/sshd")
        .args(["-D", "-e", "-f"])
        .arg(&file)
        .stdin(Stdio::null())
        .stderr(log)
        .spawn()
        .expect("sshd can be started: deploy/test.sh installs openssh-server");
    listens(port);
    server
}

/// What docs/jdwp.md says, with a key and port of this test's own.
fn tunnel(folder: &Path, server: &str, here: u16, address: &str) -> Child {
    let forward = format!("127.0.0.1:{here}:{address}");
    let key = folder.join("client").display().to_string();
    Command::new("ssh")
        .args(["-N", "-L", &forward, "-p", server, "-i", &key])
        .args([
            "-o",
            "StrictHostKeyChecking=no",
            "-o",
            "UserKnownHostsFile=/dev/null",
        ])
        .args([
            "-o",
            "ExitOnForwardFailure=yes",
            "-o",
            "BatchMode=yes",
            "-F",
            "none",
        ])
        .args(["root@127.0.0.1"])
        .stdin(Stdio::null())
        .spawn()
        .expect("ssh can be started: deploy/test.sh installs openssh-client")
}
