//! Records the transcripts in `tests/transcripts`: takes the tour of the live tests
//! (`tests/support/tour`) on every JDK that is found, with a tap on the wire.
//!
//! ```sh
//! JHYDE_JDKS=/path/to/jdk17:/path/to/jdk25 cargo run -p jdwp --example record_transcript
//! ```
//!
//! An existing transcript of the same feature version is replaced; those of versions that are not
//! on this machine stay. Keep old ones: they are what older JVMs say.

#[path = "../tests/support/mod.rs"]
mod support;

use jdwp::{Client, Options};
use support::jvm::{Fixture, Jvm, PATIENCE};
use support::{jdks, proxy, tour, transcript};

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts");
    for jdk in jdks::all() {
        let fixture = Fixture::compile(&jdk);
        let (mut jvm, addr) = Jvm::start_server(&jdk, &fixture, &[]);
        let (tap, tape) = proxy::tap(addr).await;
        let options = Options::default()
            .timeout(PATIENCE)
            .request_timeout(Some(PATIENCE));
        let client = Client::connect(tap, options)
            .await
            .expect("the JVM listens");
        let tour = tour::whole(client, &jdk, &fixture).await;
        tour.client.closed().await;
        jvm.wait();
        let packets = tape.lock().expect("no tap panics").clone();
        let path = folder.join(format!("tour-jdk{}.txt", jdk.feature));
        std::fs::write(&path, transcript::write(&jdk.version, &packets))?;
        println!(
            "{} packets of JDK {} in {}",
            packets.len(),
            jdk.version,
            path.display()
        );
    }
    Ok(())
}
