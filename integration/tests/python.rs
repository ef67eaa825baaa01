//! The clients in `clients/python`, against real recordings.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;

use jhyde_integration::{Folder, jdks};
use serde_json::{Value, json};

fn client(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../clients/python")
        .join(name)
}

/// Runs a client as somebody would who has jhyde in the path.
fn run(folder: &Folder, name: &str, words: &[&str]) -> (Output, String) {
    let jhyde = folder.jhyde(&[]);
    let mut python = Command::new("python3");
    for (name, value) in jhyde.get_envs() {
        python.env(name, value.unwrap_or_default());
    }
    let output = python
        .env("JHYDED_DATA", folder.data())
        .arg("-B")
        .arg(client(name))
        .args(words)
        .stdin(Stdio::null())
        .output()
        .expect("python3 can be started");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    (output, said)
}

fn sorted(folder: &Folder) {
    let jdk = &jdks()[0];
    let path = jdk.classes("mergesort").display().to_string();
    let words = ["-cp".to_owned(), path, "MergeSort".to_owned()];
    let options = ["--level", "full", "--include", "MergeSort"];
    let run = folder.launch(jdk, "ms", &options, &words);
    assert!(run.status.success(), "{}", run.stderr);
}

#[test]
fn a_reference_implementation_finds_the_defect_and_points_at_what_is_wrong() {
    let folder = Folder::new();
    sorted(&folder);
    let reference = client("merge_sort.py").display().to_string();
    let ask = |words: &[&str]| {
        let words = [&["ms", reference.as_str()], words].concat();
        let (output, said) = run(&folder, "reference_oracle.py", &words);
        assert!(
            output.status.success(),
            "{said}{}",
            String::from_utf8_lossy(&output.stderr)
        );
        said
    };
    let said = ask(&["--strategy", "divide-and-query"]);
    let expected = "MergeSort.sort #0: invalid a[2] a[3]\nMergeSort.distribute #0: valid\nMergeSort.merge #0: valid\n\
                    MergeSort.merge #1: valid\nMergeSort.distribute #1: valid\nMergeSort.merge #2: invalid c[2] c[3]\n\
                    found: MergeSort.merge #2 (1.7)\n";
    assert_eq!(said, expected);
    let last = folder.json(&["sessions", "ms"]).remove(0);
    let wrong = last["answers"][0]["wrong"].as_array().expect("a list");
    let wrong: Vec<&str> = wrong.iter().filter_map(Value::as_str).collect();
    let elements = wrong
        .iter()
        .map(|form| form.trim_start_matches(|c| c != '['));
    assert_eq!(elements.collect::<Vec<_>>(), ["[2]", "[3]"], "{wrong:?}");
    let said = ask(&["--no-pointing", "--strategy", "top-down"]);
    assert!(
        said.ends_with("found: MergeSort.merge #2 (1.7)\n"),
        "{said}"
    );
    let last = folder.json(&["sessions", "ms"]).remove(1);
    assert_eq!(last["answers"][1]["wrong"], Value::Null);
    // What the reference does not know is not guessed.
    let empty = folder.data().with_file_name("empty.py");
    std::fs::write(&empty, "METHODS = {}\n").expect("can be written");
    let empty = empty.display().to_string();
    let (output, said) = run(&folder, "reference_oracle.py", &["ms", &empty]);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.ends_with("not found: undecided\n"), "{said}");
}

/// A server on loopback that replies as servers of models do: what is said of a question that has these words.
fn model(
    said: &'static [(&'static str, &'static str)],
) -> (String, thread::JoinHandle<Vec<Value>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let serve = move || {
        let mut requests = Vec::new();
        for stream in listener.incoming() {
            let mut stream = stream.expect("a connection");
            let mut read = Vec::new();
            let (mut chunk, mut body) = ([0; 4096], None);
            while body.is_none() {
                let count = stream.read(&mut chunk).expect("a request");
                if count == 0 {
                    return requests;
                }
                read.extend(&chunk[..count]);
                let text = String::from_utf8_lossy(&read).into_owned();
                let Some((head, rest)) = text.split_once("\r\n\r\n") else {
                    continue;
                };
                let length = head.lines().find_map(|line| {
                    let (name, value) = line.split_once(':')?;
                    let is_length = name.eq_ignore_ascii_case("content-length");
                    is_length.then(|| value.trim().parse::<usize>().expect("a number"))
                });
                if rest.len() >= length.expect("a length") {
                    body = Some(serde_json::from_str::<Value>(rest).expect("JSON"));
                }
            }
            let body = body.expect("a body");
            let asked = body["messages"][1]["content"]
                .as_str()
                .expect("a question")
                .to_owned();
            let word = said.iter().find(|(words, _)| asked.contains(words));
            let word = word.map_or("unknown", |(_, word)| word);
            requests.push(body);
            let reply = json!({"choices": [{"message": {"role": "assistant", "content": word}}]})
                .to_string();
            write!(
                stream,
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{reply}",
                reply.len()
            )
            .expect("it listens");
        }
        requests
    };
    (
        format!("http://{address}/v1/chat/completions"),
        thread::spawn(serve),
    )
}

/// Ends the server, and tells what it was asked.
fn end((url, server): (String, thread::JoinHandle<Vec<Value>>)) -> Vec<Value> {
    let address = url
        .trim_start_matches("http://")
        .split('/')
        .next()
        .expect("an address");
    drop(std::net::TcpStream::connect(address).expect("it listens"));
    server.join().expect("it ends")
}

#[test]
fn what_a_model_says_is_marked_and_is_not_the_last_word() {
    let folder = Folder::new();
    sorted(&folder);
    let (output, _) = run(&folder, "model_oracle.py", &["ms"]);
    assert_eq!(
        output.status.code(),
        Some(2),
        "off unless an address is given"
    );
    assert_eq!(folder.json(&["sessions", "ms"]).len(), 0);
    let server = model(&[
        ("MergeSort.sort #0", "Invalid, since a[2] is 9."),
        ("MergeSort.merge #2", "invalid"),
        ("MergeSort.", "valid"),
    ]);
    let words = [
        "ms",
        "--url",
        &server.0,
        "--model",
        "m1",
        "--",
        "--strategy",
        "divide-and-query",
    ];
    let (output, said) = run(&folder, "model_oracle.py", &words);
    let trouble = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{said}{trouble}");
    assert!(
        said.contains("m1 takes MergeSort.merge #2 (1.7) for the buggy call"),
        "{said}"
    );
    assert!(said.contains("not confirmed by anybody"), "{said}");
    let asked = end(server);
    assert_eq!(asked.len(), 6);
    assert_eq!(asked[0]["model"], "m1");
    let question = asked[0]["messages"][1]["content"].as_str().expect("text");
    assert!(question.contains("It was given: "), "{question}");
    let session = folder.json(&["sessions", "ms"]).remove(0);
    assert_eq!(
        session["answers"],
        json!([]),
        "a model's answers are nobody's"
    );
    let known = session["known"].as_array().expect("a list");
    assert_eq!(known.len(), 6);
    for known in known {
        assert_eq!(
            (&known["from"], &known["told"]),
            (&json!("program"), &json!("m1"))
        );
    }
    // A person takes one back, and answers for it.
    let id = session["id"].as_str().expect("an id");
    let mut person = folder.jhyde(&["debug", "ms", "--session", id]);
    let mut person = person
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("jhyde can be started");
    let mut input = person.stdin.take().expect("an input");
    writeln!(input, "doubt 1.7\n1.7 valid").expect("it listens");
    drop(input);
    let output = person.wait_with_output().expect("it ends");
    let screen = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(screen.contains("nobody confirmed"), "{screen}");
    let session = folder.json(&["sessions", "ms"]).remove(0);
    assert_eq!(
        session["answers"],
        json!([{"call": "1.7", "answer": "valid"}])
    );
    assert_eq!(session["known"].as_array().map(Vec::len), Some(5));
    assert_eq!(
        session["buggy"]["method"], "sort",
        "with the person's word another call is left"
    );
    // A model that cannot be reached answers nothing.
    let words = ["ms", "--url", "http://127.0.0.1:9/v1", "--timeout", "5"];
    let (output, said) = run(&folder, "model_oracle.py", &words);
    assert_eq!(output.status.code(), Some(1), "{said}");
    let trouble = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(trouble.contains("cannot be asked"), "{trouble}");
}
