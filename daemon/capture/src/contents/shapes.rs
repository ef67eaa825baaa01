//! Which classes of the JDK hold data, and how: by the names of their internal fields, which are the same in JDK 17
//! and 25. They are looked up when an object is read; where one is missing, nothing is claimed.

/// How the objects of a class hold what their users see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// The first elements of an array: so many as a field says, or all.
    Array {
        array: &'static str,
        size: Option<&'static str>,
    },
    /// An array that is filled from `head` to before `tail`, round its end.
    Ring,
    /// The same, by a beginning and a count.
    CountedRing,
    /// Nodes, each of which knows the next; those without an item do not count.
    Chain {
        first: &'static str,
        node: &'static str,
    },
    /// Nodes that know the next and the one before, from somewhere in the middle.
    ConcurrentDeque,
    /// Nodes of items, and of who waits for some.
    Transfers,
    /// Nothing, or what these fields hold.
    Fields(&'static [&'static str]),
    /// One or two elements; in the second field's place there may be a mark.
    OneOrTwo { is_set: bool },
    /// As many equal elements as a field says.
    Copies,
    /// Hash tables.
    Table(Table),
    /// A sorted tree of entries.
    Tree,
    /// A part of a sorted tree.
    SortedPart { descending: bool },
    /// The bottom level of a skip list.
    SkipList,
    /// The keys of a map that nobody else sees.
    KeysOf(&'static str),
    /// What another object holds that nobody else sees.
    Within(&'static str),
    /// One key and one value.
    Entry {
        key: &'static str,
        value: &'static str,
    },
    /// Nothing at all.
    EmptyElements,
    /// No entries.
    EmptyEntries,
    /// By ordinals of an enum.
    EnumMap,
    /// Bits of an enum's ordinals.
    EnumSet,
    /// Numbers of bits that are set.
    Bits,
    /// UTF-16 or Latin-1 units in a byte array.
    Text,
    /// One value.
    Value(&'static str),
    /// A number, if there is one.
    Perhaps,
    /// A number that several threads add to.
    Adder,
    /// A point in time.
    Moment,
    /// Part of a byte array.
    Buffer,
    /// All that another object holds, or a part.
    View { of: &'static str, part: Whole },
    /// A range of another list.
    SubList,
    /// An iterator over a map or a deque.
    Rest(Walk),
    /// An iterator: what it goes through, and where it stands.
    Iterator { of: &'static str, at: &'static str },
}

/// Which part of a whole a view shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whole {
    Same,
    Keys,
    Values,
    Entries,
    Reversed,
}

/// How an iterator goes through a map or deque.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Walk {
    Hash,
    Linked,
    Tree,
    Deque,
    Concurrent,
    SkipList,
}

/// The kinds of hash tables, by the order in which they are gone through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Table {
    /// Chains of nodes, from the first to the last.
    Hash,
    /// Nodes that know who came after them.
    Linked,
    /// Chains of nodes, from the last to the first.
    Backwards,
    /// Chains of nodes, from the last to the first, whose keys may be gone at any time.
    Weak,
    /// Chains and trees of nodes, or marks of a table that is being moved.
    Concurrent,
    /// Keys and values in turn, in one array.
    Identity,
    /// Keys in one array, from a place and in a direction that each JVM draws for itself.
    ImmutableSet,
    /// The same with keys and values in turn.
    ImmutableMap,
}

impl Shape {
    /// How objects of a class hold data that is declared in the class itself, by its dotted name.
    pub(crate) fn of(class: &str) -> Option<Self> {
        let (package, simple) = class.rsplit_once('.')?;
        match package {
            "java.util" => of_util(simple),
            "java.util.concurrent" => of_concurrent(simple),
            "java.util.concurrent.atomic" => of_atomic(simple),
            "java.lang" if simple == "AbstractStringBuilder" => Some(Self::Text),
            "java.io" if simple == "StringWriter" => Some(Self::Within("buf")),
            "java.nio" if simple == "HeapByteBuffer" => Some(Self::Buffer),
            _ => None,
        }
    }

    /// Is it read in one command, or can it never change? Then nothing of it is of another time than the rest.
    pub(crate) fn is_read_at_once(self) -> bool {
        matches!(self, Self::Value(_) | Self::Entry { .. }) || self.is_immutable()
    }

    /// Does it hold characters?
    pub(crate) fn is_text(self) -> bool {
        matches!(self, Self::Text | Self::Within("buf"))
    }

    /// Is it an iterator's, or a wrapper's around one?
    pub(crate) fn is_iterator(self) -> bool {
        matches!(
            self,
            Self::Iterator { .. } | Self::Rest(_) | Self::View { of: "i", .. }
        )
    }

    /// Is it an iterator that goes on when what it goes through was changed?
    pub(crate) fn outlives_changes(self) -> bool {
        matches!(self, Self::Rest(Walk::Concurrent | Walk::SkipList))
    }

    /// Can it hold no object with contents, whatever it holds? What a view shows is followed from where that was made.
    pub(crate) fn holds_no_others(self) -> bool {
        self.is_text()
            || matches!(
                self,
                Self::EmptyElements
                    | Self::EmptyEntries
                    | Self::Perhaps
                    | Self::Adder
                    | Self::Moment
                    | Self::Buffer
                    | Self::Bits
                    | Self::EnumSet
                    | Self::View { .. }
            )
    }

    /// Can what it holds never change?
    pub(crate) fn is_immutable(self) -> bool {
        matches!(
            self,
            Self::OneOrTwo { .. }
                | Self::Copies
                | Self::Fields(_)
                | Self::EmptyElements
                | Self::EmptyEntries
                | Self::Perhaps
                | Self::View { .. }
                | Self::Table(Table::ImmutableSet | Table::ImmutableMap)
                | Self::Array {
                    array: "elements",
                    ..
                }
                | Self::Entry {
                    key: "k" | "k0",
                    ..
                }
        )
    }
}

fn of_util(simple: &str) -> Option<Shape> {
    let view = |of, part| Shape::View { of, part };
    let array = |array, size| Shape::Array { array, size };
    Some(match simple {
        "ArrayList" => array("elementData", Some("size")),
        "Vector" => array("elementData", Some("elementCount")),
        "PriorityQueue" => array("queue", Some("size")),
        "ImmutableCollections$ListN" => array("elements", None),
        "ArrayDeque" => Shape::Ring,
        "LinkedList" => Shape::Chain {
            first: "first",
            node: "java.util.LinkedList$Node",
        },
        "ImmutableCollections$List12" => Shape::OneOrTwo { is_set: false },
        "ImmutableCollections$Set12" => Shape::OneOrTwo { is_set: true },
        "Collections$SingletonList" | "Collections$SingletonSet" => Shape::Fields(&["element"]),
        "Collections$CopiesList" => Shape::Copies,
        "Collections$EmptyList" | "Collections$EmptySet" => Shape::EmptyElements,
        "Collections$EmptyMap" => Shape::EmptyEntries,
        "Arrays$ArrayList" => view("a", Whole::Same),
        "HashMap" => Shape::Table(Table::Hash),
        "LinkedHashMap" => Shape::Table(Table::Linked),
        "Hashtable" => Shape::Table(Table::Backwards),
        "WeakHashMap" => Shape::Table(Table::Weak),
        "IdentityHashMap" => Shape::Table(Table::Identity),
        "ImmutableCollections$SetN" => Shape::Table(Table::ImmutableSet),
        "ImmutableCollections$MapN" => Shape::Table(Table::ImmutableMap),
        "Properties" => Shape::Within("map"),
        "HashSet" => Shape::KeysOf("map"),
        "TreeMap" => Shape::Tree,
        "TreeSet" => Shape::KeysOf("m"),
        "TreeMap$AscendingSubMap" => Shape::SortedPart { descending: false },
        "TreeMap$DescendingSubMap" => Shape::SortedPart { descending: true },
        "Date" => Shape::Moment,
        "EnumMap" => Shape::EnumMap,
        "EnumSet" => Shape::EnumSet,
        "BitSet" => Shape::Bits,
        "Optional" => Shape::Value("value"),
        "OptionalInt" | "OptionalLong" | "OptionalDouble" => Shape::Perhaps,
        "ImmutableCollections$Map1" => Shape::Entry {
            key: "k0",
            value: "v0",
        },
        "Collections$SingletonMap" => Shape::Entry {
            key: "k",
            value: "v",
        },
        "HashMap$Node"
        | "TreeMap$Entry"
        | "Hashtable$Entry"
        | "KeyValueHolder"
        | "AbstractMap$SimpleEntry"
        | "AbstractMap$SimpleImmutableEntry" => Shape::Entry {
            key: "key",
            value: "value",
        },
        "ArrayList$SubList" | "AbstractList$SubList" | "ImmutableCollections$SubList" => {
            Shape::SubList
        }
        "HashMap$KeySet"
        | "LinkedHashMap$LinkedKeySet"
        | "Hashtable$KeySet"
        | "IdentityHashMap$KeySet"
        | "WeakHashMap$KeySet"
        | "EnumMap$KeySet" => view("this$0", Whole::Keys),
        "HashMap$Values"
        | "LinkedHashMap$LinkedValues"
        | "Hashtable$ValueCollection"
        | "TreeMap$Values"
        | "IdentityHashMap$Values"
        | "WeakHashMap$Values"
        | "EnumMap$Values" => view("this$0", Whole::Values),
        "HashMap$EntrySet"
        | "LinkedHashMap$LinkedEntrySet"
        | "Hashtable$EntrySet"
        | "TreeMap$EntrySet"
        | "TreeMap$NavigableSubMap$EntrySetView"
        | "WeakHashMap$EntrySet"
        | "IdentityHashMap$EntrySet"
        | "EnumMap$EntrySet" => view("this$0", Whole::Entries),
        "TreeMap$KeySet" | "Collections$SetFromMap" => view("m", Whole::Keys),
        "Collections$UnmodifiableCollection"
        | "Collections$SynchronizedCollection"
        | "Collections$CheckedCollection" => view("c", Whole::Same),
        // Iterators of such wrappers.
        "Collections$UnmodifiableCollection$1"
        | "Collections$UnmodifiableList$1"
        | "Collections$UnmodifiableMap$UnmodifiableEntrySet$1" => view("i", Whole::Same),
        "Collections$UnmodifiableMap"
        | "Collections$SynchronizedMap"
        | "Collections$CheckedMap" => view("m", Whole::Same),
        "ReverseOrderListView" => view("base", Whole::Reversed),
        // It is a list itself, and its own nodes are none of what it shows.
        "LinkedList$ReverseOrderLinkedListView" => view("list", Whole::Reversed),
        "Collections$AsLIFOQueue" => view("q", Whole::Same),
        "ArrayList$Itr" | "ArrayList$SubList$1" | "AbstractList$Itr" | "Vector$Itr" => {
            Shape::Iterator {
                of: "this$0",
                at: "cursor",
            }
        }
        "LinkedList$ListItr" => Shape::Iterator {
            of: "this$0",
            at: "nextIndex",
        },
        "HashMap$HashIterator" => Shape::Rest(Walk::Hash),
        "LinkedHashMap$LinkedHashIterator" => Shape::Rest(Walk::Linked),
        "TreeMap$PrivateEntryIterator" => Shape::Rest(Walk::Tree),
        "ArrayDeque$DeqIterator" => Shape::Rest(Walk::Deque),
        "ImmutableCollections$ListItr" => Shape::Iterator {
            of: "list",
            at: "cursor",
        },
        "Arrays$ArrayItr" => Shape::Iterator {
            of: "a",
            at: "cursor",
        },
        _ => return None,
    })
}

fn of_concurrent(simple: &str) -> Option<Shape> {
    let view = |of, part| Shape::View { of, part };
    Some(match simple {
        "CopyOnWriteArrayList" => Shape::Array {
            array: "array",
            size: None,
        },
        "CopyOnWriteArraySet" => Shape::Within("al"),
        "CopyOnWriteArrayList$COWIterator" => Shape::Iterator {
            of: "snapshot",
            at: "cursor",
        },
        "PriorityBlockingQueue" => Shape::Array {
            array: "queue",
            size: Some("size"),
        },
        "ArrayBlockingQueue" => Shape::CountedRing,
        "LinkedBlockingQueue" => Shape::Chain {
            first: "head",
            node: "java.util.concurrent.LinkedBlockingQueue$Node",
        },
        "LinkedBlockingDeque" => Shape::Chain {
            first: "first",
            node: "java.util.concurrent.LinkedBlockingDeque$Node",
        },
        "ConcurrentLinkedQueue" => Shape::Chain {
            first: "head",
            node: "java.util.concurrent.ConcurrentLinkedQueue$Node",
        },
        "ConcurrentLinkedDeque" => Shape::ConcurrentDeque,
        "LinkedTransferQueue" => Shape::Transfers,
        "ConcurrentHashMap" => Shape::Table(Table::Concurrent),
        "ConcurrentHashMap$MapEntry" => Shape::Entry {
            key: "key",
            value: "val",
        },
        "ConcurrentHashMap$KeySetView" => view("map", Whole::Keys),
        "ConcurrentHashMap$ValuesView" => view("map", Whole::Values),
        "ConcurrentHashMap$EntrySetView" => view("map", Whole::Entries),
        "ConcurrentHashMap$BaseIterator" => Shape::Rest(Walk::Concurrent),
        "ConcurrentSkipListMap" => Shape::SkipList,
        "ConcurrentSkipListMap$Iter" => Shape::Rest(Walk::SkipList),
        "ConcurrentSkipListSet" => Shape::KeysOf("m"),
        _ => return None,
    })
}

fn of_atomic(simple: &str) -> Option<Shape> {
    Some(match simple {
        "AtomicInteger" | "AtomicLong" | "AtomicBoolean" | "AtomicReference" => {
            Shape::Value("value")
        }
        "AtomicIntegerArray" | "AtomicLongArray" | "AtomicReferenceArray" => Shape::View {
            of: "array",
            part: Whole::Same,
        },
        "LongAdder" => Shape::Adder,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::Shape;

    #[test]
    fn classes_are_known_by_their_whole_names() {
        assert!(Shape::of("java.util.ArrayList").is_some());
        assert_eq!(Shape::of("org.foo.ArrayList"), None);
        assert_eq!(Shape::of("ArrayList"), None);
        assert_eq!(Shape::of("java.util.ArrayList$Other"), None);
    }
}
