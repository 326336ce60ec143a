//! What rules may ask: the distinct frames of a run, and what became of every load and store.
//!
//! The same attachment of the same pass plays one *role* in all frame structures. A load or store counts as idle only if its
//! role was idle wherever anything was proved: contents that were needed once are a pattern that is needed.

use super::narrower::{self, Narrower};
use super::signatures::{self, Lost};
use super::{Life, lives};
use crate::frame::{Aspects, Attachment, FrameStructure, Image, ImageRef, Pass};
use crate::gpu::{self, Profile};
use crate::graph::access::Unseen;
use crate::graph::liveness::{Fate, Site, may_be_reached_by_shaders, may_be_read_unseen};
use crate::graph::lives::Part;
use crate::graph::{self, Accesses, Liveness, Misread, Operation};
use crate::identity::Names;
use crate::model::{Run, Traffic};
use crate::ranges::Ranges;
use crate::record::Device;
use crate::report;
use crate::whatif::Numbered;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cell::OnceCell;

/// A distinct frame.
pub struct Structure<'a> {
    /// What it does.
    pub frame: &'a FrameStructure,
    /// Its render pass instances and transfer commands, by number.
    pub whole: Numbered<'a>,
    /// Its accesses in order.
    pub accesses: &'a Accesses,
    /// Its identities.
    pub names: &'a Names,
    /// Frames in which it occurred.
    pub indices: &'a Ranges,
    /// Its images as the report shows them.
    pub images: &'a [report::Image],
    /// What each GPU moves in it, by id.
    pub(crate) gpus: &'a BTreeMap<String, Arc<Traffic>>,
}

impl<'a> Structure<'a> {
    /// A frame with what is known of it.
    pub(crate) fn new(
        (frame, names): (&'a FrameStructure, &'a Names),
        accesses: &'a Accesses,
        (indices, images): (&'a Ranges, &'a [report::Image]),
        gpus: &'a BTreeMap<String, Arc<Traffic>>,
    ) -> Self {
        Self { frame, whole: Numbered::new(frame), accesses, names, indices, images, gpus }
    }

    /// A pass by its number.
    pub fn pass(&self, number: u32) -> Option<&'a Pass> {
        self.whole.passes.get(number as usize).copied()
    }

    /// How a GPU runs a pass: groups of subpasses, plans, ledger.
    pub(crate) fn run(&self, gpu: &str, pass: u32) -> Option<&'a Run> {
        self.gpus.get(gpu)?.run(pass)
    }

    /// What a GPU makes of the attachments of a pass as to compression.
    pub(crate) fn compression(&self, gpu: &str, pass: u32) -> &'a [report::Compression] {
        self.gpus.get(gpu).map_or(&[], |traffic| traffic.compression(pass))
    }

    /// Identity of an image of the frame.
    pub fn image_id(&self, image: ImageRef) -> &'a str {
        self.names.images.get(image.0 as usize).map_or("", String::as_str)
    }

    /// An attachment of a pass.
    pub fn attachment(&self, pass: u32, attachment: u32) -> Option<&'a Attachment> {
        self.pass(pass)?.attachments.get(attachment as usize)
    }

    /// The image behind an attachment.
    pub fn image(&self, attachment: &Attachment) -> Option<&'a Image> {
        self.frame.images.get(attachment.image?.0 as usize)
    }

    /// Identity of a pass.
    pub fn pass_id(&self, pass: u32) -> &'a str {
        self.names.passes.get(pass as usize).map_or("", String::as_str)
    }

    /// What people call a pass.
    pub fn pass_label(&self, pass: u32) -> &'a str {
        self.names.labels.get(pass as usize).map_or("", String::as_str)
    }

    /// Identity of a transfer.
    pub fn transfer_id(&self, transfer: u32) -> &'a str {
        self.names.transfers.get(transfer as usize).map_or("", String::as_str)
    }

    /// Identity of the pass or transfer that a site belongs to.
    fn site_id(&self, site: Site) -> &'a str {
        match site.operation {
            Operation::Write => self.transfer_id(site.pass),
            Operation::Load | Operation::Store => self.pass_id(site.pass),
        }
    }

    /// Identity of the image behind an attachment.
    pub fn attachment_id(&self, pass: u32, attachment: u32) -> &'a str {
        let of_pass = self.names.attachments.get(pass as usize);
        of_pass.and_then(|a| a.get(attachment as usize)).map_or("", String::as_str)
    }
}

/// A role: identity of the pass or transfer, attachment, aspect, operation.
type Role<'a> = (&'a str, u32, Aspects, Operation);

/// Everything rules may ask.
pub struct Evidence<'a> {
    /// The distinct frames by number.
    pub structures: BTreeMap<u32, Structure<'a>>,
    /// The GPUs that are modelled.
    pub profiles: &'a [Profile],
    /// The lives of all images that are attachments, by identity.
    pub lives: Vec<Life<'a>>,
    /// Numbers of the frame structures in which a pass of this identity occurs.
    occurrences: BTreeMap<&'a str, BTreeSet<u32>>,
    roles: BTreeMap<Role<'a>, Vec<(Site, &'a Fate)>>,
    liveness: &'a Liveness,
    /// Barriers that could be narrower, once somebody has asked.
    narrower: OnceCell<Vec<Narrower>>,
    /// Stores whose tiles cannot be left out, once somebody has asked.
    lost: OnceCell<Vec<Lost>>,
    /// What the program ran on, where known.
    device: Option<&'a Device>,
    /// Queues on which shaders ran of which it is not known what they reach.
    unseen_on: BTreeSet<u32>,
}

/// An attachment whose loads or stores were for nothing, over all frame structures in which its pass occurs.
pub struct Idle<'a> {
    /// Identity of the pass.
    pub pass: &'a str,
    /// What people call the pass.
    pub label: &'a str,
    /// Identity of the image.
    pub image: &'a str,
    /// Where: each site is one aspect.
    pub sites: Vec<Site>,
    /// Frames in which it was proved.
    pub frames: Ranges,
}

impl<'a> Evidence<'a> {
    /// The evidence of a run on this device; `fates` are those of `liveness`.
    pub fn new(
        structures: BTreeMap<u32, Structure<'a>>,
        (fates, liveness): (&'a BTreeMap<Site, Fate>, &'a Liveness),
        profiles: &'a [Profile],
        device: Option<&'a Device>,
    ) -> Self {
        let mut occurrences: BTreeMap<&'a str, BTreeSet<u32>> = BTreeMap::new();
        for (number, structure) in &structures {
            for id in &structure.names.passes {
                occurrences.entry(id).or_default().insert(*number);
            }
        }
        let mut roles: BTreeMap<Role<'a>, Vec<(Site, &'a Fate)>> = BTreeMap::new();
        for (site, fate) in fates {
            let Some(structure) = structures.get(&site.structure) else { continue };
            let role = (structure.site_id(*site), site.attachment, site.aspect, site.operation);
            roles.entry(role).or_default().push((*site, fate));
        }
        let lives = lives::of(&structures, liveness);
        let unseen_on = structures.values().flat_map(|structure| {
            let submissions = &structure.frame.submissions;
            let at = |unseen: &Unseen| submissions.get(unseen.submission as usize).map(|s| s.queue);
            structure.accesses.unseen.iter().filter_map(at)
        });
        let unseen_on = unseen_on.collect();
        let (narrower, lost) = (OnceCell::new(), OnceCell::new());
        Self { structures, profiles, lives, occurrences, roles, liveness, narrower, lost, device, unseen_on }
    }

    /// Whether a structure is the first frame of the run and no other: no frame comes before it. Of a run of that frame alone it is not said:
    /// programs go on.
    pub fn is_beginning(&self, structure: u32) -> bool {
        let only_first = |s: &Structure<'_>| s.indices.count() == 1 && s.indices.contains(0);
        self.structures.len() > 1 && self.structures.get(&structure).is_some_and(only_first)
    }

    /// Whether the program enabled a device extension.
    pub fn enabled(&self, extension: &str) -> bool {
        self.device.is_some_and(|device| device.extensions.iter().any(|enabled| enabled == extension))
    }

    /// Ids of the GPUs that what the driver has said may bear on: the one that the program ran on, else those of its vendor; all, if
    /// nothing is known of it.
    pub fn driven_alike(&self) -> BTreeSet<&'a str> {
        let running = self.device.filter(|device| device.vendor_id != 0);
        let own = running.and_then(gpu::identify).map(|profile| profile.id);
        let is_own = |profile: &&Profile| Some(&profile.id) == own.as_ref();
        let exact = self.profiles.iter().any(|profile| is_own(&profile));
        let alike = self.profiles.iter().filter(|profile| match running {
            None => true,
            Some(_) if exact => is_own(profile),
            Some(device) => profile.device.vendors.contains(&device.vendor_id),
        });
        alike.map(|profile| profile.id.as_str()).collect()
    }

    /// The VkImages that can be attachments, each with what it is in the frames; complete only where everything that happened to them was recorded.
    pub(super) fn images(&self) -> Vec<graph::lives::Life> {
        let described = |part: &Part| self.structures.get(&part.0).and_then(|s| s.frame.images.get(part.1 as usize));
        let recorded = |part: &Part| described(part).is_some_and(|i| !self.liveness.may_be_reached_unseen(i));
        let mut all = self.liveness.lives().all();
        all.iter_mut().for_each(|life| life.complete &= life.parts.iter().all(recorded));
        all
    }

    /// Stores whose tiles a GPU cannot leave out though it could.
    pub(super) fn lost(&self) -> &[Lost] {
        self.lost.get_or_init(|| signatures::of(self))
    }

    /// Whether what the accesses of a frame say of an image, all of them on this queue, is all that may happen to it meanwhile: nobody
    /// else uses it, on other queues or unseen. What shaders do that are not followed stands in [`Accesses::unseen`].
    pub fn is_alone(&self, structure: u32, image: ImageRef, queue: u32) -> bool {
        let described = self.structures.get(&structure).and_then(|s| s.frame.images.get(image.0 as usize));
        described.is_some_and(|described| {
            let by_shaders = may_be_reached_by_shaders(described);
            let elsewhere = self.unseen_on.iter().any(|other| *other != queue);
            let unseen = may_be_read_unseen(described) || by_shaders && (self.liveness.external_readers || elsewhere);
            !unseen && !self.liveness.shared().contains(&(structure, image.0))
        })
    }

    /// Barriers that could be narrower.
    pub(super) fn narrower(&self) -> &[Narrower] {
        self.narrower.get_or_init(|| narrower::of(self))
    }

    /// Reads of contents that a pass had discarded, with the frames in which they happened.
    pub fn misreads(&self) -> impl Iterator<Item = (&Misread, &Ranges)> + '_ {
        self.liveness.misreads().iter()
    }

    /// What became of what the transfers wrote, one role after the other.
    pub fn written(&self) -> impl Iterator<Item = &[(Site, &'a Fate)]> + '_ {
        self.roles
            .iter()
            .filter(|((.., operation), _)| *operation == Operation::Write)
            .map(|(_, sites)| sites.as_slice())
    }

    /// Numbers of the frame structures in which a pass of this identity occurs.
    pub fn occurrences(&self, pass: &str) -> impl Iterator<Item = u32> + '_ {
        self.occurrences.get(pass).into_iter().flatten().copied()
    }

    /// The fates of the role that a site plays.
    fn role_of(&self, site: Site) -> &[(Site, &'a Fate)] {
        let id = self.structures.get(&site.structure).map_or("", |s| s.site_id(site));
        self.roles.get(&(id, site.attachment, site.aspect, site.operation)).map_or(&[], Vec::as_slice)
    }

    /// The sites that play the same role.
    pub fn sites_of(&self, site: Site) -> Vec<Site> {
        self.role_of(site).iter().map(|(site, _)| *site).collect()
    }

    /// What became of a site.
    pub fn fate(&self, site: Site) -> Option<&'a Fate> {
        self.role_of(site).iter().find(|(s, _)| *s == site).map(|(_, fate)| *fate)
    }

    /// Whether the contents of a site's role were needed in any frame, by anybody but a transfer.
    pub fn was_needed(&self, site: Site) -> bool {
        self.role_of(site).iter().any(|(_, fate)| fate.needed > 0)
    }

    /// Whether a transfer read the contents of a site's role in any frame.
    pub fn was_transferred(&self, site: Site) -> bool {
        self.role_of(site).iter().any(|(_, fate)| fate.transferred > 0)
    }

    /// Attachments whose operation was for nothing wherever anything was proved, pass by pass. Aspects of one attachment stand
    /// together.
    pub fn idle(&self, operation: Operation) -> Vec<Idle<'a>> {
        let mut found: BTreeMap<(&'a str, u32), Idle<'a>> = BTreeMap::new();
        // Labels number passes within a frame: the frame that occurs most names the pass.
        let mut named_by: BTreeMap<(&'a str, u32), u64> = BTreeMap::new();
        for (&(pass, attachment, _, op), sites) in &self.roles {
            let idle = sites.iter().all(|(_, fate)| fate.needed == 0 && fate.transferred == 0);
            if op != operation || !idle {
                continue;
            }
            for (site, fate) in sites.iter().filter(|(_, fate)| fate.dead.count() > 0) {
                let structure = self.structures.get(&site.structure);
                let image = structure.map_or("", |s| s.attachment_id(site.pass, attachment));
                let label = structure.map_or("", |s| s.pass_label(site.pass));
                let idle = found.entry((pass, attachment)).or_insert_with(|| Idle {
                    pass,
                    label,
                    image,
                    sites: Vec::new(),
                    frames: Ranges::default(),
                });
                let named = named_by.entry((pass, attachment)).or_default();
                if fate.dead.count() > *named {
                    (*named, idle.label) = (fate.dead.count(), label);
                }
                idle.sites.push(*site);
                idle.frames.extend(&fate.dead);
            }
        }
        found.into_values().collect()
    }
}
