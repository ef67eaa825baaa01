//! Who reads an answer slowly gets all of it.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;
use std::time::Duration;

use jhyde_integration::jdks;

use crate::merge_sort;

/// A pager, a terminal: what is not read yet waits, in frames that must not be too small, or the client takes so many of them for an attack.
#[test]
fn a_reader_that_takes_its_time_gets_all_rows() {
    const ROWS: usize = 1_000_000;
    let folder = merge_sort(&jdks()[0], "calls");
    let statement = format!(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT {ROWS}) SELECT i FROM n"
    );
    let mut client = folder
        .jhyde(&["sql", "run", "--csv", "-c", &statement])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("jhyde can be started");
    let lines = BufReader::new(client.stdout.take().expect("an output")).lines();
    let mut count = 0;
    for line in lines {
        let line = line.expect("a line");
        assert_eq!(
            line,
            if count == 0 {
                "i".to_owned()
            } else {
                count.to_string()
            }
        );
        // All that may wait does, each time: the windows of HTTP/2 are full, and the daemon stands still.
        if count % 250_000 == 1 {
            std::thread::sleep(Duration::from_secs(1));
        }
        count += 1;
    }
    let output = client.wait_with_output().expect("it ends");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(count, ROWS + 1);
}
