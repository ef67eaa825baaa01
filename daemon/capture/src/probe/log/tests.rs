//! Words as the probe writes them, and words that nobody writes.

use proptest::prelude::*;

use super::*;

fn head(kind: u64, number: u64, low: u64) -> u64 {
    kind << 56 | number << 32 | low
}

fn all(words: &[u64]) -> Result<Vec<(Record, Option<Sum>)>, Nonsense> {
    let mut log = Log::default();
    log.extend(words.iter().copied());
    let mut records = Vec::new();
    while log.peek()?.is_some() {
        records.extend(log.take());
    }
    Ok(records)
}

/// A class that is named, a string with its text, an array of two references.
fn sample() -> Vec<u64> {
    let text = |text: &str| {
        let units: Vec<u64> = text.encode_utf16().map(u64::from).collect();
        let mut words = vec![(units.len() as u64) << 32 | units.len() as u64];
        words.extend(units.chunks(4).map(|four| {
            let shifted = four.iter().enumerate();
            shifted.fold(0, |word, (at, unit)| word | unit << (16 * at))
        }));
        words
    };
    let mut words = vec![head(1, 7, 0), head(11, 0, 16)];
    words.extend(text("[Ljava.lang.Object;"));
    words.extend([
        head(5, 3, 99),
        11 << 32 | 16,
        2,
        head(5, 0, 0),
        head(5, 0, 44),
        1 << 32 | 5,
    ]);
    words.extend(text("seven 7"));
    words.extend([head(8, 3, 12), head(4, 9, 0), u64::MAX]);
    // The same string again, and one that was not told.
    words.extend([head(5, 4, 44), 5, head(5, 5, 45), 5]);
    words
}

#[test]
fn texts_are_kept_as_long_as_there_is_room() {
    let text = |length: usize| LongText {
        units: vec![7; length].into(),
        length: length as u32,
    };
    let mut texts = Texts::default();
    texts.learn(1, 10, &text(3));
    texts.learn(2, 20, &text(Texts::MOST - 3));
    assert_eq!(texts.get(1, 10), Some(text(3)));
    assert_eq!(texts.get(1, 11), None);
    // It has the place of the first.
    texts.learn(1 + Texts::PLACES, 10, &text(2));
    assert_eq!(texts.get(1, 10), None);
    assert!(texts.get(2, 20).is_some());
    texts.learn(3, 30, &text(2));
    assert!(texts.get(2, 20).is_none() && texts.get(3, 30).is_some());
    texts.learn(4, 40, &text(Texts::MOST + 1));
    assert!(texts.get(4, 40).is_none());
    assert_eq!(
        texts.units,
        texts
            .known
            .values()
            .map(|(.., text)| text.units.len())
            .sum::<usize>()
    );
}

#[test]
fn records_say_what_was_written() {
    let records = all(&sample()).expect("sense");
    let units: Vec<u16> = "seven 7".encode_utf16().collect();
    let text = LongText {
        units: units.into(),
        length: 7,
    };
    let string = Object {
        hash: 44,
        told: Told::Text {
            hash: 5,
            text: Some(text),
        },
    };
    let again = Raw::Reference(Some(string.clone()));
    let other = Told::Text {
        hash: 5,
        text: None,
    };
    let other = Raw::Reference(Some(Object {
        hash: 45,
        told: other,
    }));
    let array = Object {
        hash: 99,
        told: Told::Array {
            class: "[Ljava.lang.Object;".into(),
            length: 2,
            elements: Some(vec![Raw::Reference(None), Raw::Reference(Some(string))]),
        },
    };
    let result = |site, result| Record::Result { site, result };
    let expected = [
        (Record::Enter { method: 7 }, None),
        (result(3, Raw::Reference(Some(array))), None),
        (
            result(9, Raw::Wide(u64::MAX)),
            Some(Sum {
                points: 3,
                read: 12,
            }),
        ),
        (result(4, again), None),
        (result(5, other), None),
    ];
    assert_eq!(records, expected);
}

#[test]
fn what_ends_in_the_middle_of_a_record_is_cut() {
    let words = sample();
    // Behind these many words a record, or a name, or a checksum has come whole.
    let whole = [0, 1, 8, 17, 18, 20, 22, 24];
    for count in 0..=words.len() {
        let mut log = Log::default();
        log.extend(words[..count].iter().copied());
        while let Ok(Some(_)) = log.peek() {
            assert!(!log.is_cut(), "{count}: there is one before it");
            log.take();
        }
        assert_eq!(log.is_cut(), !whole.contains(&count), "{count}");
    }
}

proptest! {
    #[test]
    fn what_comes_in_pieces_is_read_as_a_whole(cuts in prop::collection::vec(0..30_usize, 0..8)) {
        let words = sample();
        let mut log = Log::default();
        let (mut records, mut from) = (Vec::new(), 0);
        for cut in cuts.into_iter().chain([words.len()]) {
            let to = cut.clamp(from, words.len());
            log.extend(words[from..to].iter().copied());
            from = to;
            while log.peek().expect("sense").is_some() {
                records.extend(log.take());
            }
        }
        prop_assert_eq!(records, all(&words).expect("sense"));
    }

    #[test]
    fn nothing_panics_on_words_that_nobody_wrote(words: Vec<u64>, at: usize, low: u64) {
        let _ = all(&words);
        let mut damaged = sample();
        let at = at % damaged.len();
        damaged[at] = low;
        let _ = all(&damaged);
    }
}

#[test]
fn where_an_error_of_the_jvm_came_from_is_told() {
    let kinds = [
        Fall::Anywhere,
        Fall::Calling,
        Fall::Refused,
        Fall::Outside,
        Fall::Unknown,
    ];
    for (at, how) in (0..).zip(kinds) {
        for left in [0, 3, (1 << 20) - 1] {
            let records = all(&[head(17, left << 4 | at, 99)]).expect("sense");
            let left = left as u32;
            let fell = Record::Fell {
                points: 99,
                how,
                left,
            };
            assert_eq!(records, [(fell, None)]);
        }
    }
}

/// The object that a constructor makes is looked for behind others that begin and end before it, and not behind an exception.
#[test]
fn what_a_constructor_makes_is_looked_for_ahead() {
    const CONSTRUCTOR: u64 = 3;
    let name = || -> Vec<u64> { vec![head(11, 0, 16), 1 << 32 | 1, u64::from(b'A')] };
    let enters = |method: u64| vec![head(1, method, 0)];
    let born = |hash: u64| vec![head(20, 16, hash)];
    let caught = vec![head(6, 9, 0)];
    let told = |hash| Ahead::Told {
        hash,
        class: "A".into(),
    };
    let nested = [name(), enters(CONSTRUCTOR), born(5), born(6)].concat();
    let cases = [
        (vec![], Ahead::NotYet),
        (name(), Ahead::NotYet),
        ([name(), born(5)].concat(), told(5)),
        // Another object's, and a method that is no constructor.
        (nested.clone(), told(6)),
        (nested[..nested.len() - 1].to_vec(), Ahead::NotYet),
        ([name(), enters(4), born(7)].concat(), told(7)),
        ([name(), caught.clone(), born(5)].concat(), Ahead::Never),
        ([enters(CONSTRUCTOR), caught].concat(), Ahead::Never),
    ];
    for (words, ahead) in cases {
        let mut log = Log::default();
        log.extend(words.iter().copied());
        let constructs = |method: u32| u64::from(method) == CONSTRUCTOR;
        assert_eq!(log.born_ahead(constructs), ahead, "{words:x?}");
        // Nothing of it was taken.
        let mut rest = Vec::new();
        while log.peek().expect("words with a sense").is_some() {
            rest.extend(log.take());
        }
        assert_eq!(rest, all(&words).expect("words with a sense"));
    }
}
