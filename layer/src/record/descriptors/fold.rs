//! From what shaders statically use and what is bound to what they reach.
//!
//! One fold serves one list of accesses: a subpass's, or that of consecutive dispatches. Work that comes again with the same shaders and
//! the same contents costs one look into a table per set; memory grows with distinct images, never with draws.

use super::{BindPoint, BoundSet, Contents, Descriptor, Set};
use crate::record::static_use::{Binding, Elements, StaticUse};
use crate::record::{Image, Recording, View};
use std::collections::HashSet;
use std::sync::Arc;
use tbdr_model::frame::{AccessKind, Aspects, ImageAccess, ImageRef, ShaderAccess, SubresourceRange};

/// Descriptors whose contents at submission count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Late {
    /// Number of the set in the recording.
    pub set: u32,
    /// First descriptor.
    pub first: u64,
    /// Descriptors.
    pub count: u64,
    /// What the shaders do with them.
    pub kind: AccessKind,
    /// VkShaderStageFlags.
    pub stages: u32,
    /// Whether the shaders name exactly these.
    pub certain: bool,
}

/// What work reaches: what is known when it is recorded, and what is told when it is submitted.
#[derive(Clone, Debug, Default)]
pub struct Reached {
    /// Known when it is recorded.
    pub shader: ShaderAccess,
    /// Told when it is submitted.
    pub late: Vec<Late>,
}

/// Combinations that are remembered. What is forgotten is looked at again, so this bounds memory and nothing else.
const MOST_SEEN: usize = 4096;

/// The shaders, a set's number, the set and its version, and whether the work may not happen.
type Combination = (usize, u32, u64, u64, bool);

/// What one list of accesses holds already.
#[derive(Default)]
pub struct Fold {
    seen: HashSet<Combination>,
    found: HashSet<ImageAccess>,
    late: HashSet<Late>,
    /// Keeps the addresses in `seen` from being given to others.
    held: Vec<Arc<StaticUse>>,
    /// Whether the list is the one that the fields above tell of.
    current: bool,
}

impl Fold {
    /// Another list begins, or others have added to this one.
    pub fn restart(&mut self) {
        self.seen.clear();
        self.held.clear();
        self.current = false;
    }

    /// Adds what shaders reach now; nothing for certain where the work is `conditional`.
    pub fn fold(
        &mut self,
        uses: &Arc<StaticUse>,
        point: &BindPoint,
        conditional: bool,
        recording: &mut Recording,
        reached: &mut Reached,
    ) {
        if !self.current {
            self.found.clear();
            self.found.extend(reached.shader.images.iter().copied());
            self.late.clear();
            self.late.extend(reached.late.iter().copied());
            self.current = true;
        }
        reached.shader.known &= uses.known;
        reached.shader.keeps_memory &= uses.keeps_memory;
        for bindings in uses.bindings.chunk_by(|a, b| a.set == b.set) {
            let number = bindings[0].set;
            match point.set(number) {
                BoundSet::Set(set) => {
                    if self.is_new(uses, number, set, conditional) {
                        bindings.iter().for_each(|used| self.binding(set, used, conditional, recording, reached));
                    }
                }
                // Every push is another version: to remember them would be to remember every draw.
                BoundSet::Pushed(set) => {
                    bindings.iter().for_each(|used| self.binding(set, used, conditional, recording, reached));
                }
                BoundSet::Memory(taken) => {
                    // The host may write descriptors into memory after the submission, while it waits for the host.
                    reached.shader.known = false;
                    for used in bindings {
                        let late = Late {
                            set: recording.set(taken),
                            first: 0,
                            count: u64::MAX,
                            kind: used.kind,
                            stages: used.stages,
                            certain: false,
                        };
                        self.late(late, reached);
                    }
                }
                BoundSet::Nothing | BoundSet::Unknown => reached.shader.known = false,
            }
        }
    }

    fn is_new(&mut self, uses: &Arc<StaticUse>, number: u32, set: &Set, conditional: bool) -> bool {
        let combination = (Arc::as_ptr(uses) as usize, number, set.serial, set.version(), conditional);
        if self.seen.contains(&combination) {
            return false;
        }
        if self.seen.len() >= MOST_SEEN {
            self.seen.clear();
            self.held.clear();
        }
        self.seen.insert(combination);
        if self.held.last().is_none_or(|last| !Arc::ptr_eq(last, uses)) {
            self.held.push(Arc::clone(uses));
        }
        true
    }

    fn binding(
        &mut self,
        set: &Arc<Set>,
        used: &Binding,
        conditional: bool,
        recording: &mut Recording,
        reached: &mut Reached,
    ) {
        let Some((binding, start)) = set.layout.binding(used.binding).filter(|(b, _)| b.images) else {
            // Not the layout that the shaders were made for.
            reached.shader.known = false;
            return;
        };
        let (first, count, certain) = match used.elements {
            Elements::One(index) => (start.saturating_add(u64::from(index)), 1, true),
            Elements::Any => (start, u64::from(binding.count), binding.count == 1),
        };
        let (kind, stages, certain) = (used.kind, used.stages, certain && !conditional);
        if binding.late {
            self.late(Late { set: recording.set(set), first, count, kind, stages, certain }, reached);
            return;
        }
        set.each(first, count, |descriptor| match descriptor {
            Descriptor::View(view) => {
                let image = Some(recording.image(&view.image));
                let access = ImageAccess { image, range: shown(view), kind, stages, certain };
                if self.found.insert(access) {
                    reached.shader.images.push(access);
                }
            }
            Descriptor::Unknown => reached.shader.known = false,
            Descriptor::Other => {}
        });
    }

    fn late(&mut self, late: Late, reached: &mut Reached) {
        if self.late.insert(late) {
            reached.late.push(late);
        }
    }
}

/// Adds what late descriptors hold in `contents`, those of `sets` at submission, to what work reaches. `image` numbers images.
pub fn resolve(
    lates: &[Late],
    sets: &[Arc<Set>],
    contents: &Contents,
    shader: &mut ShaderAccess,
    mut image: impl FnMut(&Arc<Image>) -> ImageRef,
) {
    if lates.is_empty() {
        return;
    }
    let mut found: HashSet<ImageAccess> = shader.images.iter().copied().collect();
    for late in lates {
        let (kind, stages, certain) = (late.kind, late.stages, late.certain);
        let Some(slots) = sets.get(late.set as usize).and_then(|set| contents.get(&set.serial)) else {
            shader.known = false;
            continue;
        };
        let Some(slots) = slots else { continue };
        super::set::each(slots, late.first, late.count, |descriptor| match descriptor {
            Descriptor::View(view) => {
                let image = Some(image(&view.image));
                let access = ImageAccess { image, range: shown(view), kind, stages, certain };
                if found.insert(access) {
                    shader.images.push(access);
                }
            }
            Descriptor::Unknown => shader.known = false,
            Descriptor::Other => {}
        });
    }
}

/// VK_IMAGE_ASPECT_PLANE_0_BIT to _2_BIT.
const PLANES: u32 = 0x70;

/// The part of the image that a descriptor's view shows; planes are followed as one colour aspect.
fn shown(view: &View) -> SubresourceRange {
    let range = view.range;
    if range.aspects.0 & PLANES == 0 { range } else { SubresourceRange { aspects: Aspects::COLOR, ..range } }
}
