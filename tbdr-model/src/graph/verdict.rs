//! What became of loads, stores and transfers: what is open, and verdicts that a submission to another queue may still call into question.
//!
//! A verdict rests on all accesses between the store and the loss of what it wrote. Work on another queue that is not known to
//! follow may lie between, though it is recorded later. So where several queues have work a verdict is held until whatever may still
//! come is known to follow it; work that does not follow takes it back, and it is undecided. A program of one queue waits for nothing.

use super::Operation;
use super::access::{Maker, Reader};
use super::order::Place;
use crate::frame::{AccessKind, Aspects, HOST_QUEUE};
use crate::ranges::Ranges;
use alloc::collections::{BTreeMap, BTreeSet, VecDeque};

/// Verdicts held for one queue; of more the oldest are given up.
const MOST_HELD: usize = 16_384;

/// An attachment's load or store in a frame structure, or what a transfer writes there: then `pass` is the number of the transfer in the
/// frame, and there is one site for all that it writes, without attachment and aspect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Site {
    /// Number of the structure.
    pub structure: u32,
    /// Number of the pass in the frame.
    pub pass: u32,
    /// Its attachment.
    pub attachment: u32,
    /// One aspect.
    pub aspect: Aspects,
    /// Load or store.
    pub operation: Operation,
}

/// Who reads a copy while its source still holds the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CopyReader {
    /// Number of the frame structure in which it reads.
    pub structure: u32,
    /// Who.
    pub reader: Reader,
    /// Whether the frame is a later one than that of the copy.
    pub later: bool,
}

/// A read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Read {
    pub structure: u32,
    pub frame: u64,
    pub op: u32,
    /// How often shaders ran before that are not followed.
    pub now: u64,
    pub reader: Reader,
    pub by: Maker,
}

/// What became of a site over the run.
#[derive(Clone, Debug, Default)]
pub struct Fate {
    /// Frames in which a load had nothing to load, or a store was for nobody.
    pub dead: Ranges,
    /// Frames in which a store was read by transfers only, and by which; then its contents went.
    pub by_transfers: BTreeMap<BTreeSet<u32>, Ranges>,
    /// Frames in which a copy was read only where its source would have done, and by whom; then its contents went.
    pub copies: BTreeMap<BTreeSet<CopyReader>, Ranges>,
    /// Frames in which a store was read though nothing but the pass itself can have given it contents.
    pub read_undefined: Ranges,
    /// Times the contents were needed, or may be by any reader but a transfer.
    pub needed: u64,
    /// Times transfers read it, whatever came after.
    pub transferred: u64,
    /// Times a later frame than that of the store read it.
    pub kept: u64,
    /// Times nothing could be proved.
    pub undecided: u64,
}

impl Fate {
    fn take(&mut self, frame: u64, readers: &Readers) {
        match readers {
            Readers { transfers, copy } if !copy.is_empty() && transfers.is_empty() => {
                self.copies.entry(copy.clone()).or_default().insert(frame);
            }
            Readers { transfers, .. } if transfers.is_empty() => {
                self.dead.insert(frame);
            }
            Readers { transfers, .. } => {
                self.by_transfers.entry(transfers.clone()).or_default().insert(frame);
            }
        }
    }
}

/// Those who read and could do without.
#[derive(Clone, Debug, Default)]
struct Readers {
    transfers: BTreeSet<u32>,
    copy: BTreeSet<CopyReader>,
}

/// What a copy is of.
#[derive(Clone, Debug)]
struct Copied {
    source: u64,
    /// Moment of the copy, where shaders that are not followed may write the source.
    since: Option<u64>,
    /// Source and copy may differ by now.
    changed: bool,
    /// Frame and operation of the newest read.
    newest: Option<(u64, u32)>,
}

/// A store or the writes of a transfer in one frame, over all its subresources: it was for nothing only if all of it was.
#[derive(Clone, Debug)]
pub struct Occurrence {
    pub site: Site,
    pub frame: u64,
    pub image: u64,
    /// Whether shaders can reach the image.
    pub by_shaders: bool,
    pub parts: u32,
    readers: Readers,
    pub needed: bool,
    /// Whether a later frame has read it.
    pub kept: bool,
    pub undecided: bool,
    /// The contents were undefined before the pass, which may have written them.
    undefined: bool,
    copied: Option<Copied>,
    /// Queue and number of the submission with which the last part went.
    gone: Option<(u32, u64)>,
}

impl Copied {
    /// Whether who reads the copy could read the source instead, as far as its contents go.
    fn would_do(&mut self, by: &Read) -> bool {
        self.changed |= self.since.is_some_and(|since| since != by.now);
        let samples = matches!(by.by, Maker::Shader { kind: AccessKind::Sampled, .. });
        let would =
            !self.changed && (samples || matches!((by.by, by.reader), (Maker::Transfer(_), Reader::Transfer(_))));
        if would {
            self.newest = Some((by.frame, by.op));
        }
        would
    }
}

/// A verdict in waiting.
#[derive(Clone, Debug)]
struct Held {
    number: u64,
    image: u64,
    by_shaders: bool,
    site: Site,
    frame: u64,
    readers: Readers,
    /// Work that may lie between was seen.
    doubted: bool,
}

/// Stores whose fate is still open, and what became of the others.
#[derive(Clone, Debug, Default)]
pub struct Fates {
    by_site: BTreeMap<Site, Fate>,
    pub open: BTreeMap<u64, Occurrence>,
    /// Open copies, by source.
    copies: BTreeMap<u64, BTreeSet<u64>>,
    held: BTreeMap<u32, VecDeque<Held>>,
    /// Whether more queues than one have work.
    several: bool,
    /// Newest frame and submissions of which verdicts were let go without a proof that all later work follows, while one queue was all.
    let_go: BTreeMap<u32, (u64, u64)>,
    next: u64,
}

impl Fates {
    /// The fate of a site.
    pub fn of(&mut self, site: Site) -> &mut Fate {
        self.by_site.entry(site).or_default()
    }

    /// What became of every site that was met: what is held counts as said where no other queue can call it into question.
    pub fn all(&self) -> BTreeMap<Site, Fate> {
        let mut all = self.by_site.clone();
        for held in self.held.values().flatten() {
            let fate = all.entry(held.site).or_default();
            if self.several || held.doubted {
                fate.undecided += 1;
            } else {
                fate.take(held.frame, &held.readers);
            }
        }
        all
    }

    /// A store begins its life.
    pub fn begin(&mut self, site: Site, frame: u64, image: u64, by_shaders: bool) -> u64 {
        self.next += 1;
        let occurrence = Occurrence {
            site,
            frame,
            image,
            by_shaders,
            parts: 0,
            readers: Readers::default(),
            needed: false,
            kept: false,
            undecided: false,
            undefined: false,
            copied: None,
            gone: None,
        };
        self.open.insert(self.next, occurrence);
        self.next
    }

    /// It has one more part.
    pub fn part(&mut self, occurrence: u64) {
        if let Some(open) = self.open.get_mut(&occurrence) {
            open.parts += 1;
        }
    }

    /// What it writes is not followed.
    pub fn give_up(&mut self, occurrence: u64) {
        if let Some(open) = self.open.get_mut(&occurrence) {
            open.undecided = true;
        }
    }

    /// A store of contents that were undefined before the pass.
    pub fn stores_undefined(&mut self, occurrence: u64) {
        if let Some(open) = self.open.get_mut(&occurrence) {
            open.undefined = true;
        }
    }

    /// It is a copy of `source`; `since` is the moment, where shaders that are not followed may write that.
    pub fn copies(&mut self, occurrence: u64, source: u64, since: Option<u64>, changed: bool) {
        if let Some(open) = self.open.get_mut(&occurrence) {
            open.copied = Some(Copied { source, since, changed, newest: None });
            self.copies.entry(source).or_default().insert(occurrence);
        }
    }

    /// An image is written, or nobody knows: copies of it are copies no longer. Who reads a copy in the operation that writes could not
    /// read the image instead.
    pub fn disturb(&mut self, image: u64, at: Option<(u64, u32)>) {
        for occurrence in self.copies.get(&image).into_iter().flatten() {
            let Some(open) = self.open.get_mut(occurrence) else { continue };
            let Some(copied) = &mut open.copied else { continue };
            copied.changed = true;
            if at.is_some() && copied.newest == at && !open.needed {
                open.needed = true;
                self.by_site.entry(open.site).or_default().needed += 1;
            }
        }
    }

    /// Something else is written over a part of what a transfer wrote.
    pub fn mixed(&mut self, occurrence: u64) {
        if let Some(copied) = self.open.get_mut(&occurrence).and_then(|open| open.copied.as_mut()) {
            copied.changed = true;
        }
    }

    /// A part was read.
    pub fn read(&mut self, occurrence: u64, by: &Read) {
        let Some(open) = self.open.get_mut(&occurrence) else { return };
        if by.frame != open.frame && !open.kept {
            open.kept = true;
            self.by_site.entry(open.site).or_default().kept += 1;
        }
        if open.undefined && !matches!(by.by, Maker::Unsure | Maker::Shader { certain: false, .. }) {
            self.by_site.entry(open.site).or_default().read_undefined.insert(open.frame);
        }
        let would_do = open.copied.as_mut().is_some_and(|copied| copied.would_do(by));
        match by.reader {
            // A transfer of another frame is beyond what an edit of this frame can replace.
            Reader::Transfer(number) if by.frame == open.frame && open.site.operation == Operation::Store => {
                open.readers.transfers.insert(number);
                self.by_site.entry(open.site).or_default().transferred += 1;
            }
            _ if open.needed => {}
            reader if would_do => {
                open.readers.copy.insert(CopyReader { structure: by.structure, reader, later: by.frame != open.frame });
            }
            _ => {
                open.needed = true;
                self.by_site.entry(open.site).or_default().needed += 1;
            }
        }
    }

    /// A part went with the submission at `place`, by proof unless `undecided`.
    pub fn settle(&mut self, occurrence: u64, undecided: bool, place: &Place) {
        let Some(open) = self.open.get_mut(&occurrence) else { return };
        open.parts = open.parts.saturating_sub(1);
        open.undecided |= undecided;
        if place.queue != HOST_QUEUE {
            // Parts that went on several queues have no one moment after which all else must follow.
            open.undecided |= open.gone.is_some_and(|(queue, _)| queue != place.queue);
            open.gone = Some((place.queue, place.number.max(open.gone.map_or(0, |(_, number)| number))));
        }
        if open.parts > 0 {
            return;
        }
        let Some(done) = self.open.remove(&occurrence) else { return };
        if let Some(source) = done.copied.as_ref().map(|copied| copied.source) {
            let empty =
                self.copies.get_mut(&source).is_some_and(|copies| copies.remove(&occurrence) && copies.is_empty());
            if empty {
                self.copies.remove(&source);
            }
        }
        if done.needed {
            // Counted when it was read.
        } else if done.undecided {
            self.of(done.site).undecided += 1;
        } else if let Some((queue, number)) = done.gone {
            let Occurrence { site, frame, image, by_shaders, readers, .. } = done;
            self.hold(queue, Held { number, image, by_shaders, site, frame, readers, doubted: false });
        } else {
            self.of(done.site).take(done.frame, &done.readers);
        }
    }

    /// A load had nothing to load.
    pub fn dead_load(&mut self, site: Site, frame: u64, image: u64, by_shaders: bool, place: &Place) {
        let (number, readers) = (place.number, Readers::default());
        self.hold(place.queue, Held { number, image, by_shaders, site, frame, readers, doubted: false });
    }

    fn hold(&mut self, queue: u32, held: Held) {
        let list = self.held.entry(queue).or_default();
        list.push_back(held);
        if list.len() > MOST_HELD {
            let Some(oldest) = list.pop_front() else { return };
            if !self.several {
                self.let_go.insert(queue, (oldest.frame, oldest.number));
            }
            self.decide(oldest, self.several);
        }
    }

    fn decide(&mut self, held: Held, undecided: bool) {
        let fate = self.by_site.entry(held.site).or_default();
        if undecided || held.doubted {
            fate.undecided += 1;
        } else {
            fate.take(held.frame, &held.readers);
        }
    }

    /// Work at `place` is not known to follow what was said of `image`, or of any image that shaders reach.
    pub fn doubt(&mut self, image: Option<u64>, place: &Place) {
        for (queue, list) in self.held.iter_mut().filter(|(queue, _)| **queue != place.queue) {
            for held in list.iter_mut().rev().take_while(|held| !place.follows(*queue, held.number)) {
                held.doubted |= image.map_or(held.by_shaders, |image| image == held.image);
            }
        }
        if self.let_go.iter().any(|(queue, (_, number))| !place.follows(*queue, *number)) {
            self.distrust();
        }
    }

    /// Nothing of what was said by now holds.
    fn distrust(&mut self) {
        self.let_go.clear();
        for fate in self.by_site.values_mut() {
            let read = fate.by_transfers.values().chain(fate.copies.values());
            fate.undecided += fate.dead.count() + read.map(Ranges::count).sum::<u64>();
            (fate.dead, fate.by_transfers, fate.copies) = (Ranges::default(), BTreeMap::new(), BTreeMap::new());
        }
    }

    /// Several queues have work. What happened in frames before this number was complete when the second got its first.
    pub fn several(&mut self, complete_before: Option<u64>) {
        self.several = true;
        let Some(complete) = complete_before else { return };
        self.confirm(|_, _, frame| frame < complete);
        if self.let_go.values().any(|(frame, _)| *frame >= complete) {
            self.distrust();
        }
        self.let_go.clear();
    }

    /// Lets go of the verdicts that whatever comes later is known to follow: by queue, number on it, and frame.
    pub fn confirm(&mut self, known: impl Fn(u32, u64, u64) -> bool) {
        for (queue, mut list) in core::mem::take(&mut self.held) {
            while let Some(held) = list.pop_front() {
                if !known(queue, held.number, held.frame) {
                    list.push_front(held);
                    break;
                }
                self.decide(held, false);
            }
            if !list.is_empty() {
                self.held.insert(queue, list);
            }
        }
    }

    /// Nothing more comes of an image.
    pub fn forget(&mut self, image: u64) {
        // Most images that go have no verdict.
        if !self.held.values().flatten().any(|held| held.image == image) {
            return;
        }
        for (queue, list) in core::mem::take(&mut self.held) {
            let (gone, left): (VecDeque<Held>, VecDeque<Held>) = list.into_iter().partition(|held| held.image == image);
            for held in gone {
                self.decide(held, false);
            }
            if !left.is_empty() {
                self.held.insert(queue, left);
            }
        }
    }

    /// Work was missed that may lie between: what is held is undecided.
    pub fn gap(&mut self) {
        if self.several {
            for held in core::mem::take(&mut self.held).into_values().flatten() {
                self.decide(held, true);
            }
        }
    }

    /// Nothing more comes at all.
    pub fn end(&mut self) {
        self.confirm(|_, _, _| true);
    }

    /// Sites of which a store is open that nobody has read so far, or whose fate somewhere could not be proved.
    pub fn unsettled(&self, all: &BTreeMap<Site, Fate>) -> BTreeSet<Site> {
        let open = self.open.values().filter(|o| !o.needed && o.readers.transfers.is_empty()).map(|o| o.site);
        open.chain(all.iter().filter(|(_, fate)| fate.undecided > 0).map(|(site, _)| *site)).collect()
    }
}
