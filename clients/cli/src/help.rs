//! Help beyond `--help`: the topics of `jhyde help`.

use clap::CommandFactory as _;

use crate::args::Cli;
use crate::error::Error;
use crate::output::Paint;

const TOPICS: [(&str, &str); 6] = [
    ("properties", PROPERTIES),
    ("json", JSON),
    ("calls", CALLS),
    ("variables", VARIABLES),
    ("exit-codes", EXIT_CODES),
    ("daemon", DAEMON),
];

/// The text for a command or a topic; without one, for all.
///
/// # Errors
/// [`Error::Usage`] for a topic that is not there.
pub fn text(topic: Option<&str>, paint: Paint) -> Result<String, Error> {
    let mut cli = Cli::command();
    cli.build();
    let command = match topic {
        None => Some(&mut cli),
        Some(topic) => {
            if let Some((_, text)) = TOPICS.iter().find(|(name, _)| *name == topic) {
                return Ok((*text).trim_end().to_owned());
            }
            cli.find_subcommand_mut(topic)
        }
    };
    let Some(command) = command else {
        let names = TOPICS.map(|(name, _)| name).join(", ");
        let topic = topic.unwrap_or_default();
        return Err(Error::Usage(format!(
            "there is no command or topic '{topic}'; topics are {names}, and jhyde --help lists the commands"
        )));
    };
    let help = command.render_long_help();
    Ok(if paint.is_on() {
        help.ansi().to_string()
    } else {
        help.to_string()
    }
    .trim_end()
    .to_owned())
}

const CALLS: &str = "\
How to write a call

  1.7                     its id: thread 1, number 7 in that thread (ids stand in brackets: [1.7])
  merge#3                 the call number 3 (from 0) of the method, by time: shown as `merge #3`
  MergeSort.merge#3       with the class, if several have such a method
  pkg.MergeSort.merge(II)V#3   with package and descriptor, if the method is overloaded
";

const VARIABLES: &str = "\
How to write a variable

  CALL:name            a local variable or parameter of a call: merge#3:lc or 1.7:lc
  CALL:name@SLOT       … of that slot, or CALL:name@FROM-TO (bytecode indexes), where the method uses the
                       name twice; CALL:@SLOT where the class has no variable table
  object#12.field      a field of an object; object#12.pkg.Super.field where a subclass hides it
  array#3[2]           an element of an array
  pkg.Cls.FIELD        a static field
  list#7[3]            what a list, queue or deque holds; map#12[\"k\"] what a map has for a key
  CALL:this.field      from a call by way of what it held at its end: 1.7:c[2], 1.7:book.orders[0].price,
                       1.7:this.books[\"OAK\"].trades[1]
  CALL:return          the result of a call
  CALL:exception       the exception that ended it

Quote forms with # or [ for the shell: jhyde history demo 'array#3[2]'
";

const EXIT_CODES: &str = "\
Exit codes

  0    done
  1    failed, and the message says why
  2    the command line, or what was asked, makes no sense
  3    there is no such recording, call, variable, object or session
  4    not possible now: the name is taken, the recording still runs, nothing to undo, …
  5    a daemon or JVM cannot be reached, or does not answer in time
  6    not built yet
  7    a part of the recording is damaged, or was cut off (--ring)
  130  ended by Ctrl-C

jhyde launch ends with the program's own exit code (128 + number if a signal ended it); 127 if the
program is not there, 126 if it cannot be run, 125 if jhyde failed in a way that would be 1 elsewhere.
";

const DAEMON: &str = "\
The daemon

Recordings are made and kept by jhyded, one for each data folder. jhyde uses the daemon of its data
folder, over the unix socket in it; if none runs, it starts one (`jhyded serve --data DIR --idle-exit
10m`), which goes on by itself and ends when nobody has needed it for ten minutes. Its log is
DIR/jhyded.log.

The data folder is the first of these that is given:
  --data DIR, JHYDED_DATA, `data` in ~/.config/jhyde/jhyded.toml or /etc/jhyde/jhyded.toml, JHYDE_DATA,
  $XDG_DATA_HOME/jhyde, ~/.local/share/jhyde

Where none of your own runs, and neither --data nor the environment nor your configuration names a folder, the
machine's daemon is asked, if there is one at /run/jhyde/jhyded.sock (or at JHYDE_SYSTEM_SOCKET; empty: at none)
and you may connect to it. `jhyde daemon status` says which one answers.

--daemon ADDRESS (or JHYDE_DAEMON) names a daemon by https://HOST:PORT, by HOST:PORT or by unix:/path/to/socket
instead; none is started then. Over TCP a token says who you are (jhyded token create makes one): in the file of
--token-file or JHYDE_TOKEN_FILE, which nobody else may be able to read, or in JHYDE_TOKEN; never on the command
line. Without https:// it is sent to loopback addresses alone. With https:// the daemon's certificate must be
signed by a CA that the system trusts, or with --ca FILE (JHYDE_CA) by that one; --identity FILE (JHYDE_IDENTITY)
shows a certificate of your own. The jhyded to start is JHYDE_DAEMON_PROGRAM, the one beside jhyde, or the one in
PATH.
";

const JSON: &str = r#"JSON (--json): one object per line, for every command. Names are stable: they may get company, but do not
change. Numbers are exact, also those of 64 bits. Lists come whole, unless --limit or --page asks for a
page; then a last line {"next_page":"TOKEN"} says that there is more, for --page TOKEN. Behind the rows of a list stands
{"notes":["…", …]} if the recording does not tell everything: what its level leaves out, what damage hides, and that it
was cut, failed or was stopped before the run ended.

Rows of jhyde query have a key for each column (jhyde query --list --json describes them): events are numbers, values, calls and
places look as everywhere, fields are [{"name":…,"value":…}, …], null says what the column's description says. The last line is
{"until":N,"rows":N,"more":false,"notes":[…]}: only events before `until` count. Of jhyde sql over several recordings `until` is that of the first,
and recordings [{schema, id, name, until}] tells all.

A call (jhyde tree, and wherever a call stands inside something else)
  id           "1.7": thread and number in it, in preorder
  class        dotted binary name, "pkg.Outer$Inner"
  method       "merge", "<init>", "<clinit>"
  descriptor   "([II)V"
  invocation   0-based ordinal among all calls of that method in the recording, by time
  enter, exit  timestamps (events' numbers); exit is null while it runs or if its end was not seen
  parent       id of the calling call; of an outermost call the root of its thread, "1.0"
  depth        calls above it: 0 for an outermost call
  boundary     true: a call out of the recorded classes, trusted from the start
  descendants  calls below it
  arguments    [{"name":"la","type":"int","value":0}, …]
  result       the value that it returned; {"void":true} for a void method
  exception    instead of result, if it ended by one; neither is there while it runs
  line         first line of the method's code, or null
  also: receiver (not for static methods), thread, thread_name, source_file, call_site (a place),
  incomplete, recording_ended (only if true: it is incomplete and stays so, the recording has ended),
  changed (of a boundary call in events, if it changed something: [{"variable":"list#7","value":…}, …]),
  lowered (if something of it was recorded at a lower level than was asked for: ["recorded at level state from @12 on:
  --max-bytes 1MB was reached"]), already_running (only if true), classification (only in sessions)

A value
  int, long, short, byte, float, double, boolean   number, true, false; "NaN", "Infinity", "-Infinity"
  char                   "x"; {"char":55357} for half of a surrogate pair
  null                   null
  String                 "text"; if it was cut: {"object":5,"class":"java.lang.String","text":"…","length":90000}
  object                 {"object":12,"class":"pkg.A"}; with "content" for boxes, exceptions (its message), threads
                         (its name), "runs" for lambdas ("lambda at Letters.java:28", "Integer::sum");
                         one that is no valid UTF-16: "units":[97,55357] (its UTF-16 units) instead of "text"
  constant, number, date {"object":6,"class":"pkg.Side","shown":"Side.SELL"}: what can never change, as users see it
  collection and other   {"object":7,"class":"java.util.ArrayList","held":{"kind":"list","length":2,"items":["a","b"]}}:
  objects of the JDK     what it held then; of more than 12 items the first (jhyde state --expand shows more); kind map
                         has items {"key":…,"value":…}, named (records, lambdas) {"name":…,"value":…}; also set, single,
                         next (an iterator's rest), text (with "text" or "units"); or "held":{"not_recorded":"why"}
  array                  {"object":3,"class":"int[]","length":4}
  no value (void)        {"void":true}
  removed                {"removed":true}: in a history, the key or element is there no more
  not recorded           {"not_recorded":"why"}

Source       {file, origin, lines}: origin is where it was found
  a line     line (its number), code, marked (only if true: control was here), values [{name, text}] of what it
             mentions; lines may be left out
A place      class, method, descriptor, index (bytecode), line, source_file; index and line may be null
tree         calls, in preorder, thread by thread; all of them with an error at the end if damage hides some, and
             pages with notes
call         a call, with input and outcome ({rows, objects, notes}) and path (calls from the outermost on); outcome
             is null, with notes beside it, if it has not ended; source (of its method, with the values at its end,
             the line marked at which it ended; not there if there is none) and source_notes (why, and warnings)
state        {call, from, to, rows, notes}
  a row      kind (return, exception, this, local, static, field, element, content), name, variable, type,
             start, end (not there while the variable has no value yet), changed, changed_below (null: not
             known), children (with --depth or --expand; start_children and end_children if start and end
             are different objects), cut (more are there), open_above (a cycle), constant (only if true)
events       timestamp, call (its id), kind, place, and by kind: entered or exited (a call); variable, name,
             value (write); value (new, thrown, caught, uncaught); thread_name; prepared; reason (gap);
             from, to (edge). Of a call also level (how many loops and iterations it stands in), mark (direct,
             inside) with --mark, and the rows of loops: kind loop (row, iterations, from, to, running) and
             iteration (row, iteration, from, to), followed by what is inside, with a higher level. With code, the
             text of the line at which it happened, if there is source
  a gap      also stands where a damaged part cannot be read; of the whole recording (call is null if it is not one
             thread's) an error follows at the end
  kinds      enter exit new write content thrown caught uncaught thread_start thread_end class_prepared gap monitor
             use edge loop iteration
step         an event for each step, as of events, with notes if what it looked for may have happened on the way and
             was not recorded
history      timestamp, variable, value, call, place
why          step, parent (the step that it led to; null: the first), relation (asked value place condition content),
             deed (write found content argument result condition created called thrown caught), read (the variable
             that was read in between), argument (its name), event (as of events), notes
coverage     {call, edges, chains, notes}
  an edge    from (the place of a jump or switch; null: the method's entry), to (a place), calls (how many calls
             of the recording covered it)
  a chain    declaration (local, field, static, element), name ("lc", "Cls.size", "a[]"), defined (a place, without
             index if by_entry; null: by code outside of the recorded classes), by_entry (the value is the
             parameter's), used (a place), calls
threads      id, name, group, calls, start, end, recording_ended (only if true: it has no end and gets none)
where        exception, timestamp, fate (ended-thread, left-scope, caught-by-framework), thread_name, place, call,
             ended (calls, innermost first), caught_by (a call or null), test {test, assertion, under_test} (calls;
             null where it failed no test), source (around the place, with the values then, if there is source); then
             who ended the program: exit_code, timestamp, call, caller, place
gaps         timestamp, reason, call (null outside of all calls), place, thread_name
classes      class, source_file, in_scope, methods [{method, descriptor, first_line, last_line, calls}]
list, show, watch, attach, stop, detach    id, name, state, state_reason, exit_code, created_ms, ended_ms,
             level, engine, probe_log (null: engine events), include, exclude, string_limit, snapshots {depth, elements,
             bytes}, contents, events, calls, threads, classes, bytes, notes,
             gaps [{reason, count}] (numbers in reasons are N), jvm {address, name, version, command},
             listen_port (while waiting); with limits max_bytes, max_duration, max_slowdown (null: none) and at_limit; with --ring
             ring and kept_from (the first event that is there); if something
             was recorded at a lower level lowered [{since, until, subject, level, reason}] (until null: to the end;
             subject a class or method, "" everything) and more_lowered (how many more there are)
  states     waiting running complete detached stopped connection-lost cut failed unreadable
delete       deleted, bytes
jvms         pid, user, program, command, version (of the JDK; null: not known), here (false: in another network namespace; null:
             not readable), port, sockets (where it listens: the debug port, or those of which one is it), open_to_others (true:
             one of them is reached from other machines), attach (what jhyde attach takes; null where that cannot be said),
             debugger {pid, name} (who is connected, if it is a process of this machine that can be read), recording (the
             one that this daemon makes of it), advice (a text: what to do, or to know)
  ports      open one-of taken (by a debugger) on-jcmd shut (the agent is loaded and listens nowhere) none unreadable
launch       the recording, as show gives it, on standard error when the program has ended
sessions     id, recording, strategy, progress, suspicious, answers [{call, answer; wrong, cut (calls), uncut (why none), value (it was about this one
             alone), remembered (by which session)}],
             knowing, against, known [{call, answer, from; equal_to, recording, told}] (what was answered without asking: from
             equal, an equal call, equal_to, was answered so; recording, it is equal to equal_to of recording; memory, an earlier
             session, in the words of told; property, the call does not have the one in told;
             program, the one in told said so, and nobody confirmed it), trusted (classes, by pattern), properties, changed {from, only},
             passing (recordings), trust_passing, can_undo, can_redo,
             restricted_to, created_ms, question, buggy

jhyde debug REC --json: one line out, one line in
  out  {"type":"question","call":{…},"suspicious":7,"session":"…","strategy":"top-down"}
       with strategy adaptive also why (a text) and expected (questions left, this one counted; right on average);
       known, as in sessions, if something was answered without asking (also in found and none; --no-known: nothing is)
       with --details also input, outcome and source, as jhyde call has them; notes if damage hides calls, or the recording
       ended before the run did (also in found, none and undecided)
       value {variable, way, value, instead} once something was pointed at, where one value decides as much as the whole call:
       given what the call was given, was it right when the call ended? (way: from the call, as in "result", "this.size"; instead:
       so many values the call yielded; with --values)
  in   {"answer":"valid"}        or invalid, trusted, unknown, inadmissible (should not have been called so)
       {"answer":"invalid","call":"merge#3"}     about another call than the proposed one
       {"answer":"invalid","wrong":["a[2]","result.size"]}     what is wrong of the call's result: the calls that it
                                 did not come from are cut away (notes of the next question; --no-pointing refuses it)
       {"answer":"right"}        of the value: or wrong, unknown (then the call is asked as a whole). The call may be answered for instead
       {"answer":"valid","by":"NAME"}   valid or invalid, says a program that may be wrong (a language model): listed in known (from
                                 program, its name in told) until somebody else answers for the call, or doubts it
       {"trust":"shop.util.*"}   the methods of these classes are right: a class, a package, or either with * (notes of
                                 the next question say how many calls that takes out);  {"distrust":"shop.util.*"}
       {"assert":"Cart.total: result >= 0"}   what calls must do (jhyde help properties); {"retract":"Cart.total: result >= 0"}
       {"changed":null}          what --changed said makes no difference any more
       {"passing":"green"}       that recording is of a run that passed: what it ran, too, is less suspicious;  {"passing":null}: none is
       {"doubt":"merge#3"}       take back what was known of it without asking: it is asked, should it come to that
       {"undo":true}  {"redo":true}  {"strategy":"divide-and-query"}  {"restrict":"1.2"} (null: lift it)
  out  {"type":"waiting"}        the program still runs and there is nothing to ask now
       {"type":"error","message":"…"}      bad input; the question follows again
  end  {"type":"found","call":{…}}   the buggy call
       {"type":"none"}               no buggy call
       {"type":"undecided","calls":[…]}   it is one of these: some answers were unknown
       {"type":"left","session":"…"} the input ended first; --session goes on
"#;

const PROPERTIES: &str = r#"What calls must do, for jhyde debug REC --assert and assert in a session: METHOD: EXPRESSION

  jhyde debug demo --assert 'Discount.off: result <= cents'
  jhyde debug demo --assert 'Cart.add: this.pieces == before.this.pieces + many'
  jhyde debug demo --assert 'Sorter.sort: a.all(|x| x >= 0) && a.length == before.a.length'

The method is written as calls are, without a number: sort, Sorter.sort, pkg.Sorter.sort(I)V. The expression is evaluated over the
recording, for each of its calls that ended; no code of the program runs. Where it is true nothing follows. The first call to end
for which it is false, of those that are suspicious, is invalid without being asked; known lists it, doubt CALL takes that back,
retract takes the property back. Where it looks at a value that was not recorded, or is not certain because of a gap, nothing follows.

Names
  the arguments, by name or as arg0, arg1 …, as they were given, also where the method assigned to them
  this, result, exception (null if the call returned), null
  before            the same arguments and this as they were when the call began: before.this.pieces, before.a[0]
  Everything else is as it was when the call ended. result of a call that threw is undecided: exception != null || result > 0
Values
  whole numbers have 64 bits and do not wrap at 32; float and double are their exact value; char is 'c'; boxes are what is in
  them; strings are texts, compared by content; other objects are compared by identity, a constant of an enum also with its name
  x.field   array[2]   array.length   list[2]   map["key"] (null without one)   x.len()   x.size()   item in x
  x.all(|item| item > 0)   x.some(|item| item == 3)   x.values()   x.keys()   text(builder)   class_of(x)   message(exception)
Operators
  == != < <= > >=   && || !   + - * / % **   and the functions of rhai (https://rhai.rs/book) for numbers, texts and arrays:
  abs(x), min(a, b), text.len(), text.contains("x"), text.starts_with("x"), x.values().filter(|v| v > 0).len() …
  There are no statements, assignments and loops. What cannot be compared ("a" < 5) is a mistake, never false.
Limits: 1,000,000 steps, 50,000 values and half a second for a call; what takes more is undecided.
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_topic_and_command_has_a_text() {
        for (topic, _) in TOPICS {
            assert!(
                text(Some(topic), Paint::new(false))
                    .unwrap()
                    .lines()
                    .count()
                    > 4,
                "{topic}"
            );
        }
        let debug = text(Some("debug"), Paint::new(false)).unwrap();
        assert!(
            debug.contains("--strategy") && debug.contains("divide-and-query"),
            "{debug}"
        );
        let error = text(Some("jsn"), Paint::new(false)).unwrap_err();
        assert_eq!(error.exit_code(), 2);
    }

    #[test]
    fn the_contract_names_what_is_written() {
        let call =
            serde_json::to_value(crate::json::CallJson(&jhyde_proto::v1::Call::default())).unwrap();
        for key in call.as_object().unwrap().keys() {
            assert!(JSON.contains(key), "{key} is not told in jhyde help json");
        }
    }
}
