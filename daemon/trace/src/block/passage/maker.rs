//! Makes passages of block after block of one recording.

use std::collections::hash_map::Entry;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::super::Block;
use super::super::shape::{Shape, join_event, op};
use super::contents::is_unknown;
use super::digest::Digest;
use super::plan::{Act, MIX, Plan, Word};
use super::{Met, Passage, Running, Site};
use crate::content::{Change, Items};
use crate::ids::{CallId, MethodId, ObjectId, ThreadId, Timestamp};

/// A passage has so many events, before it can end.
const LEAST: u32 = 1024;
/// So many bits decide where it ends: behind 2,048 more events, on average.
const BITS: u32 = 11;
/// It has no more events than this, but for contents behind the last one.
const MOST: u32 = 16_384;
/// The last one of a thread may have so few.
const LEAST_OF_LAST: u32 = 256;
/// It has no more words than this.
const MOST_WORDS: u32 = 1 << 20;
/// It is about no more objects.
pub(super) const MOST_OBJECTS: usize = 8192;
/// It takes no more bytes than these and one for four events.
const TABLES: usize = 256;
/// All passages that are being made are about no more objects: some 30 MB.
const MOST_OBJECTS_OF_ALL: usize = 1 << 20;
/// There are no more sites: some 20 MB.
const MOST_SITES: u32 = 1 << 17;
/// Ids of objects are below this, so that they and what is said of them fit a word.
const MOST_OBJECT: u64 = 1 << 60;

/// What the events so far gave.
#[derive(Debug)]
pub enum Made {
    /// The site that goes by this number from now on.
    Site(u32, Site),
    /// A passage of a thread.
    Passage(ThreadId, Passage),
}

/// What can happen, in the words of the recording.
#[derive(Debug, PartialEq, Eq, Hash)]
struct SiteKey {
    frame: u32,
    /// Without the number of its tag list, which is another one in each block.
    shape: Shape,
    tags: Option<Arc<[u8]>>,
}

/// Outside of all calls. A method has its number twice, and one more if it is called out of the scope.
const ROOT: u32 = u32::MAX;

/// What is known of the events of a shape in a frame, in one block.
#[derive(Debug, Default)]
struct Known {
    /// `None`: there is no room for it.
    site: Option<u32>,
    /// In this passage it has this local number.
    passage: u64,
    local: u32,
}

/// So many objects are known by their ids twice, before they are looked up.
const RECENT: usize = 64;

/// One thread.
#[derive(Debug)]
pub(super) struct Thread {
    /// Of the calls that run, outermost first.
    frames: Vec<u32>,
    /// Of the last events, what is the same in every run.
    roll: u64,
    pub(super) passage: Passage,
    pub(super) digest: Digest,
    /// There will be no passage.
    pub(super) is_broken: bool,
    /// The number of the passage: no other one of the recording has it.
    number: u64,
    /// What has which local number.
    sites: FxHashMap<u32, u32>,
    objects: FxHashMap<u64, u32>,
    /// Objects that were met lately.
    recent: [(u64, u32); RECENT],
}

/// See the module.
#[derive(Debug, Default)]
pub struct Passages {
    threads: FxHashMap<ThreadId, Box<Thread>>,
    sites: FxHashMap<SiteKey, u32>,
    /// Objects of all passages that are being made.
    objects: usize,
    /// Passages that were begun.
    begun: u64,
}

impl Passages {
    /// Takes the next block. `put` is given what it completes; sites before the passages that have them.
    ///
    /// # Errors
    /// Those of `put`.
    pub fn of_block<E>(
        &mut self,
        block: &Block,
        put: &mut impl FnMut(Made) -> Result<(), E>,
    ) -> Result<(), E> {
        let plans = Plan::of(block);
        let mut seen = FxHashMap::default();
        for (thread, run) in block.runs() {
            // Taken out meanwhile, so that the sites of all can be added to.
            let known_thread = self.threads.remove(&thread.id);
            let mut own = known_thread.unwrap_or_else(|| Box::new(Thread::new(self.begin())));
            let mut is_over = false;
            for at in run {
                let number = block.shape_number(at);
                let Some(plan) = plans.get(number) else {
                    continue;
                };
                match plan.act {
                    Act::Nothing => continue,
                    Act::Gap => {
                        own.is_broken = true;
                        continue;
                    }
                    Act::Found => {
                        own.is_broken |= block.content(at).is_none_or(|of| is_unknown(of.change));
                        continue;
                    }
                    Act::End => {
                        is_over = true;
                        continue;
                    }
                    _ => {}
                }
                if own.ends_before(plan.act) {
                    self.close(thread.id, &mut own, block.timestamp(at), put)?;
                }
                let frame = own.frames.last().copied().unwrap_or(ROOT);
                let known = match seen.entry((frame, number)) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(new) => new.insert(Known {
                        site: self.site(block, frame, number, put)?,
                        ..Known::default()
                    }),
                };
                own.take(block, at, plan, known, &mut self.objects);
            }
            match is_over {
                true => {
                    let end = block.timestamp(thread.last_event as usize);
                    self.close(thread.id, &mut own, end, put)?;
                }
                false => drop(self.threads.insert(thread.id, own)),
            }
        }
        Ok(())
    }

    /// The recording ends before this event.
    ///
    /// # Errors
    /// Those of `put`.
    pub fn finish<E>(
        mut self,
        end: Timestamp,
        put: &mut impl FnMut(Made) -> Result<(), E>,
    ) -> Result<(), E> {
        for (thread, mut own) in std::mem::take(&mut self.threads) {
            self.close(thread, &mut own, end, put)?;
        }
        Ok(())
    }

    /// The number of a new passage.
    fn begin(&mut self) -> u64 {
        self.begun += 1;
        self.begun
    }

    /// Ends what a thread's passage is so far.
    fn close<E>(
        &mut self,
        thread: ThreadId,
        own: &mut Thread,
        end: Timestamp,
        put: &mut impl FnMut(Made) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut passage = std::mem::take(&mut own.passage);
        self.objects = self.objects.saturating_sub(passage.objects.len());
        passage.digest = std::mem::take(&mut own.digest).value();
        passage.end = end;
        own.number = self.begin();
        // Their room goes, too: of very many threads each had a long passage once.
        own.sites = FxHashMap::default();
        own.objects = FxHashMap::default();
        own.recent = [NOTHING; RECENT];
        let is_broken = std::mem::take(&mut own.is_broken);
        if is_broken || passage.events < LEAST_OF_LAST {
            return Ok(());
        }
        let tables = passage.encode().len();
        match tables > TABLES + passage.events as usize / 4 {
            true => Ok(()),
            false => put(Made::Passage(thread, passage)),
        }
    }

    /// The number of a site; `None` where there is no room for it.
    fn site<E>(
        &mut self,
        block: &Block,
        frame: u32,
        shape: usize,
        put: &mut impl FnMut(Made) -> Result<(), E>,
    ) -> Result<Option<u32>, E> {
        let Some(&shape) = block.shapes.get(shape) else {
            return Ok(None);
        };
        let tags = match shape.op {
            op::ENTER => block.tag_lists.get(shape.tags as usize).map(Arc::clone),
            _ => None,
        };
        let shape = Shape { tags: 0, ..shape };
        let key = SiteKey { frame, shape, tags };
        if let Some(&known) = self.sites.get(&key) {
            return Ok(Some(known));
        }
        let number = u32::try_from(self.sites.len()).unwrap_or(MOST_SITES);
        if number >= MOST_SITES {
            return Ok(None);
        }
        let changes = [Change::Whole(Items::Elements(Vec::new()))];
        let event = join_event(
            &shape,
            CallId::default(),
            key.tags.as_deref().unwrap_or(&[]),
            (&[], &changes),
            &mut std::iter::repeat(0),
        );
        let method = (frame != ROOT).then_some(MethodId(frame >> 1));
        self.sites.insert(key, number);
        let site = Site {
            method,
            boundary: method.is_some() && frame & 1 == 1,
            event,
        };
        put(Made::Site(number, site)).map(|()| Some(number))
    }
}

/// No object.
const NOTHING: (u64, u32) = (u64::MAX, 0);

impl Thread {
    /// One that begins with the passage of this number.
    fn new(number: u64) -> Self {
        Self {
            frames: Vec::new(),
            roll: 0,
            passage: Passage::default(),
            digest: Digest::default(),
            is_broken: false,
            number,
            sites: FxHashMap::default(),
            objects: FxHashMap::default(),
            recent: [NOTHING; RECENT],
        }
    }

    /// Does the passage end before an event that does this?
    fn ends_before(&self, act: Act) -> bool {
        let events = self.passage.events;
        // Contents are compared with what is behind them.
        act != Act::Content
            && events >= LEAST
            && (self.roll >> (u64::BITS - BITS) == 0 || events >= MOST)
    }

    /// Takes the next event. `all`: objects of all passages.
    fn take(&mut self, block: &Block, at: usize, plan: &Plan, known: &mut Known, all: &mut usize) {
        if self.passage.events == 0 {
            self.passage.first = block.timestamp(at);
            self.passage.ended.push(0);
        }
        self.passage.events += 1;
        let begin = block.payload_at.get(at);
        let begin = begin.map_or(usize::MAX, |&at| at as usize);
        let payload = block.payload.get(begin..).unwrap_or(&[]);
        self.is_broken |= plan.breaks || known.site.is_none();
        let before = self.passage.objects.len();
        // What there is of a payload is told by the site: its first word stands beside that.
        let mut head = u128::from(self.local(known)) << 64;
        let (mut mark, mut holder) = (plan.mark, 0);
        for (word, &raw) in plan.words.iter().zip(payload) {
            let number = match word {
                Word::Number => {
                    mark = (mark.rotate_left(23) ^ raw).wrapping_mul(MIX);
                    raw
                }
                // What comes there is only looked through for where it ends.
                _ if self.is_broken => continue,
                Word::Object => self.object(raw, false),
                Word::Holder => {
                    holder = self.object(raw, true);
                    holder
                }
                Word::Born => self.born(raw),
                Word::Change => {
                    self.change(block, raw, holder);
                    continue;
                }
            };
            self.digest
                .push(std::mem::take(&mut head) | u128::from(number));
        }
        if plan.words.is_empty() {
            self.digest.push(head);
        }
        self.roll = (self.roll << 1).wrapping_add(mark);
        *all += self.passage.objects.len() - before;
        self.is_broken |= *all > MOST_OBJECTS_OF_ALL || self.digest.words() >= MOST_WORDS;
        match plan.act {
            Act::Enter => {
                self.frames.push(frame(block, at));
                self.passage.running.push(Running {
                    call: block.call(at).preorder,
                    entered: block.timestamp(at),
                    site: known.site.unwrap_or(0),
                    ended: 0,
                });
            }
            Act::Exit => {
                self.frames.pop();
                let ended = self.passage.running.pop();
                let around = self.passage.running.last_mut().map(|call| &mut call.ended);
                match (ended, around.or_else(|| self.passage.ended.last_mut())) {
                    (Some(ended), Some(around)) => *around += ended.ended + 1,
                    _ => self.passage.ended.push(0),
                }
            }
            _ => {}
        }
    }

    /// The local number of a site.
    fn local(&mut self, known: &mut Known) -> u32 {
        if known.passage != self.number
            && let Some(site) = known.site
        {
            let next = self.passage.sites.len() as u32;
            known.passage = self.number;
            known.local = *self.sites.entry(site).or_insert_with(|| {
                self.passage.sites.push(site);
                next
            });
        }
        known.local
    }

    /// The local number of an object; `held`: it holds something, or is held.
    pub(super) fn object(&mut self, object: u64, held: bool) -> u64 {
        let next = self.passage.objects.len();
        let (known, number) = self.recent[object as usize % RECENT];
        if known == object && object < MOST_OBJECT {
            return u64::from(number);
        }
        if next >= MOST_OBJECTS || object >= MOST_OBJECT {
            self.is_broken = true;
            return 0;
        }
        let number = *self.objects.entry(object).or_insert_with(|| {
            self.passage.objects.push(Met {
                object: ObjectId(object),
                born: false,
                held,
                lost: false,
            });
            next as u32
        });
        self.recent[object as usize % RECENT] = (object, number);
        u64::from(number)
    }

    /// That of one that is made.
    fn born(&mut self, object: u64) -> u64 {
        let next = self.passage.objects.len() as u64;
        let number = self.object(object, false);
        match self.passage.objects.get_mut(next as usize) {
            Some(met) => met.born = true,
            // It was met before it was made.
            None => self.is_broken = true,
        }
        number
    }
}

/// The frame of the call that begins with an event.
fn frame(block: &Block, at: usize) -> u32 {
    let Some(enter) = block.enter(at) else {
        return ROOT;
    };
    // No program has so many methods that two of them would be one.
    enter.method.0 << 1 | u32::from(enter.boundary)
}
