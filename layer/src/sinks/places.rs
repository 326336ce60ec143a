//! Where in the recorded frames the subject of a finding is: the label regions around its pass, and which image it is about.

use super::messages::Place;
use std::collections::{BTreeMap, HashMap};
use tbdr_model::frame::FrameStructure;
use tbdr_model::identity::Names;
use tbdr_model::report::Finding;

/// What is kept of the frames for it, as long as they come.
#[derive(Default)]
pub struct Places {
    /// The structure of a frame, by the number of the first frame of each.
    firsts: BTreeMap<u64, u32>,
    /// Identities of the images of the newest frame of each structure.
    newest: HashMap<u32, Vec<u64>>,
}

impl Places {
    /// A frame has this structure, with images of these identities.
    pub fn frame(&mut self, index: u64, structure: u32, images: &[u64]) {
        let newest = self.newest.entry(structure).or_insert_with(|| {
            self.firsts.insert(index, structure);
            Vec::new()
        });
        newest.clear();
        newest.extend_from_slice(images);
    }

    /// Finds what findings are about in these structures, given with their numbers.
    pub fn finder<'a>(&'a self, structures: HashMap<u32, &'a FrameStructure>) -> Finder<'a> {
        Finder { places: self, structures, names: HashMap::new() }
    }
}

/// Finds what findings are about.
pub struct Finder<'a> {
    places: &'a Places,
    structures: HashMap<u32, &'a FrameStructure>,
    /// Identities of what is in a structure, once somebody has asked.
    names: HashMap<u32, Names>,
}

impl Finder<'_> {
    /// The place of a finding in the first of its frames, as far as that frame was the first of its structure.
    pub fn find(&mut self, finding: &Finding) -> Place {
        let first = finding.frames.iter().map(|[first, ..]| first).min();
        let number = first.and_then(|first| self.places.firsts.get(first));
        let Some((number, structure)) = number.and_then(|n| Some((n, *self.structures.get(n)?))) else {
            return Place::default();
        };
        let names = self.names.entry(*number).or_insert_with(|| Names::of(structure));
        let at = |all: &[String], wanted: Option<&String>| wanted.and_then(|id| all.iter().position(|name| name == id));
        let pass = at(&names.passes, finding.pass.as_ref()).or_else(|| at(&names.labels, finding.pass.as_ref()));
        let labels = pass.and_then(|at| structure.passes().nth(at)).map(|pass| pass.labels.clone());
        let image = at(&names.images, finding.attachment.as_ref());
        let image = image.and_then(|at| self.places.newest.get(number)?.get(at).copied());
        Place { labels: labels.unwrap_or_default(), image }
    }
}
