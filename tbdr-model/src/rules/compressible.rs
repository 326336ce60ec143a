//! What compression would leave of an attachment if its image were created otherwise.
//!
//! Inputs: the life of an image, and a change of how it is created. Output: by GPU, the bytes that compression saves of its loads and
//! stores in the frame that occurs most, where the GPU refuses the image as it is and takes it as changed. It is an estimate: how much is
//! left depends on the content ([`MEASURED`]). The change is tried on one pass for each image, so that the cost stays linear.

use super::{Evidence, Life, Place, Structure};
use crate::frame::{Image, ImageRef, Pass};
use crate::gpu::Profile;
use crate::gpu::compression::TRANSACTION_ELIMINATION;
use crate::ledger::MEASURED;
use crate::model::{Outcome, PassView};
use crate::report::{Basis, Compression, Quantity};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;

/// By id of the GPU.
pub type Amounts = BTreeMap<String, (Quantity, u64, Basis)>;

/// What compression saves of the loads and stores of an image once `change` is done to it.
pub fn saved(evidence: &Evidence<'_>, life: &Life<'_>, change: impl Fn(&mut Image)) -> Amounts {
    let Some((first, structure)) = most_often(evidence, life) else { return Amounts::new() };
    let Some((pass, images)) = changed(structure, *first, change) else { return Amounts::new() };
    let view = PassView::new(&pass, &images).remembering();
    let mut known: Vec<(&Profile, bool)> = Vec::new();
    let mut amounts = Amounts::new();
    for profile in evidence.profiles {
        let refused = |place: &&Place| {
            let facts = structure.compression(&profile.id, place.pass);
            place.structure == first.structure && applies(facts, place.attachment) == Some(false)
        };
        let places: Vec<&Place> = life.places.iter().filter(refused).collect();
        if places.is_empty() {
            continue;
        }
        let same = known.iter().find(|(other, _)| other.decides_like(profile)).map(|(_, takes)| *takes);
        let takes = same.unwrap_or_else(|| {
            let outcome = Outcome::of(&view, profile, &mut BTreeSet::new()).with_compression(&view, profile);
            applies(&outcome.compression, first.attachment) == Some(true)
        });
        known.push((profile, takes));
        let bytes: u64 = places.iter().map(|place| moved(structure, &profile.id, place)).sum();
        let saved = bytes.saturating_mul(1000 - MEASURED[1]) / 1000;
        if takes && saved > 0 {
            amounts.insert(profile.id.clone(), (Quantity::Dram, saved, Basis::Estimate));
        }
    }
    amounts
}

/// The first place of a life in the frame that occurs most.
fn most_often<'e, 'a>(evidence: &'e Evidence<'a>, life: &'e Life<'_>) -> Option<(&'e Place, &'e Structure<'a>)> {
    let occurrences = |place: &&Place| evidence.structures.get(&place.structure).map_or(0, |s| s.indices.count());
    let first = life.places.iter().max_by_key(|p| (occurrences(p), core::cmp::Reverse(**p)))?;
    Some((first, evidence.structures.get(&first.structure)?))
}

/// What compression saves of the loads and stores of an image as it is, at most: what is at stake if the driver does not compress it after all.
pub fn at_stake(evidence: &Evidence<'_>, life: &Life<'_>) -> Amounts {
    let Some((first, structure)) = most_often(evidence, life) else { return Amounts::new() };
    let of = |profile: &Profile| {
        let own = life.places.iter().filter(|place| place.structure == first.structure);
        let taken = own.filter(|p| applies(structure.compression(&profile.id, p.pass), p.attachment) == Some(true));
        let bytes: u64 = taken.map(|place| moved(structure, &profile.id, place)).sum();
        bytes.saturating_mul(1000 - MEASURED[1]) / 1000
    };
    let amounts =
        evidence.profiles.iter().map(|profile| (profile.id.clone(), (Quantity::Dram, of(profile), Basis::Bound)));
    amounts.filter(|(_, (_, saved, _))| *saved > 0).collect()
}

/// Whether a scheme that makes an attachment smaller applies to it; `None` where that is not known.
fn applies(facts: &[Compression], attachment: u32) -> Option<bool> {
    let smaller = |fact: &&Compression| fact.attachment == attachment && fact.scheme != TRANSACTION_ELIMINATION;
    facts.iter().find(smaller)?.eligible
}

/// Bytes of an attachment that one GPU loads and stores in a pass.
fn moved(structure: &Structure<'_>, gpu: &str, place: &Place) -> u64 {
    let entries = structure.run(gpu, place.pass).map_or(&[][..], |run| &run.ledger.entries);
    let own = entries.iter().filter(|e| e.attachment == place.attachment && e.basis != Basis::Undecided);
    own.map(|entry| entry.bytes.0).sum()
}

/// A pass alone with its images, one of them changed. Images are numbered as the attachments that show them.
fn changed(structure: &Structure<'_>, place: Place, change: impl Fn(&mut Image)) -> Option<(Pass, Vec<Image>)> {
    let recorded = structure.pass(place.pass)?;
    let own = recorded.attachments.get(place.attachment as usize)?.image;
    let mut pass = recorded.clone();
    let mut images = Vec::with_capacity(pass.attachments.len());
    for (number, attachment) in (0u32..).zip(&mut pass.attachments) {
        let mut image = structure.image(attachment).cloned().unwrap_or_default();
        if attachment.image == own {
            let was = image.format;
            change(&mut image);
            // A view of the image's own format follows it.
            if attachment.format == was {
                attachment.format = image.format;
            }
        }
        images.push(image);
        attachment.image = attachment.image.map(|_| ImageRef(number));
    }
    // What shaders reach has other numbers, and no say in what is compressed.
    pass.subpasses.iter_mut().for_each(|subpass| subpass.shader.images.clear());
    Some((pass, images))
}
