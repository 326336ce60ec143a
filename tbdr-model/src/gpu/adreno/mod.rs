//! Qualcomm Adreno under turnip: a pass is binned as a whole or rendered straight to memory.
//!
//! Decisions as in Mesa 25.0.7, src/freedreno/vulkan: which attachments lie in GMEM and which operations move them (tu_pass.cc),
//! when a pass bypasses GMEM (tu_cmd_buffer.cc), which GMEM layout stores and resolves need (tu_clear_blit.cc).

mod compression;
mod gmem;
mod operations;

pub use super::stages::is_framebuffer_local;
pub use compression::Ubwc;
pub use gmem::{Allocation, Bins, Cpp, GmemLayout, Hardware, Pipes};
pub use operations::{Feedback, Operations, bandwidth, conditional, cpp, feedback, is_in_gmem, operations, reads_gmem};

use self::operations::resolves;
use super::compression::{LINEAR, flags};
use super::{
    Alternative, AttachmentRules, Bypass, DataError, Figures, Grouping, MergeStatus, Mode, Plan, Tiler, stages,
};
use crate::format::{Info, Numeric};
use crate::frame::{Aspects, Attachment, Layout, Subpass};
use crate::model::{Attachments, Movement, PassView, Walk};
use crate::report;
use crate::units::Extent2D;
use alloc::boxed::Box;
use alloc::format;
use alloc::sync::Arc;

/// Loads and stores move whole multiples of this many pixels (VkRenderAreaGranularity).
pub const GRANULARITY: Extent2D = Extent2D::new(16, 4);

/// An Adreno GPU.
#[derive(Clone, Debug)]
pub struct Adreno {
    /// Its hardware.
    pub hardware: Hardware,
    /// What its compression covers.
    pub ubwc: Ubwc,
    /// Up to so many draws a pass without multisampling may bypass GMEM.
    pub immediate_draws: u64,
    rules: AttachmentRules,
}

/// Reads a profile.
pub(super) fn read(figures: &Figures<'_>) -> Result<Arc<dyn Tiler>, DataError> {
    let hardware = Hardware {
        gmem: figures.integer_in("gmem", "bytes", 4096..=1 << 30)?,
        bin_align: figures.pair_in("bin_align", "pixels", 1..=1024)?.into(),
        bin_max: figures.pair_in("bin_max", "pixels", 1..=16384)?.into(),
        ccus: figures.integer_in("ccus", "units", 0..=256)?,
        ccu_color_cache: figures.integer_in("ccu_color_cache", "bytes", 0..=1 << 24)?,
        ccu_gmem_shift: figures.integer_in("ccu_gmem_shift", "log2", 0..=31)? as u32,
        vsc_pipes: figures.integer_in("vsc_pipes", "units", 1..=1024)?,
        vpc_attributes: figures.integer_in("vpc_attributes", "bytes", 0..=1 << 30)?,
        generic_clear: figures.flag("generic_clear", "flag")?,
    };
    if hardware.bin_max.width < hardware.bin_align.width || hardware.bin_max.height < hardware.bin_align.height {
        return Err(figures.refuse("bin_max", "write a bin that is not smaller than `bin_align`"));
    }
    let ubwc = Ubwc {
        one_byte: figures.flag("ubwc_8bpp", "flag")?,
        snorm: figures.flag("ubwc_snorm", "flag")?,
        storage: figures.flag("ubwc_storage", "flag")?,
        depth: figures.flag("ubwc_depth", "flag")?,
        z24: figures.flag("ubwc_z24", "flag")?,
    };
    let immediate_draws = figures.integer_in("immediate_draws", "draws", 0..=1 << 20)?;
    Ok(Arc::new(Adreno { hardware, ubwc, immediate_draws, rules: AttachmentRules::read(figures)? }))
}

/// VK_IMAGE_LAYOUT_ATTACHMENT_FEEDBACK_LOOP_OPTIMAL_EXT.
const FEEDBACK_LOOP_LAYOUT: Layout = Layout(1_000_339_000);

/// Why a pass leaves GMEM alone, as far as the recording tells, and what that means for merging.
fn bypass(view: &PassView<'_>) -> Option<Bypass> {
    let because = |status, why, remedy| Some(Bypass { status, why, remedy });
    let pass = view.pass;
    let multiview = pass.subpasses.iter().any(|s| s.view_mask != 0);
    let leaves_framebuffer = |subpass: &Subpass| {
        subpass.barriers.iter().any(|b| {
            let scopes = core::iter::once(&b.stages).chain(&b.memory);
            let scopes = scopes.chain(b.buffers.iter().map(|x| &x.scope)).chain(b.images.iter().map(|x| &x.scope));
            scopes.into_iter().any(|s| (s.src_stages | s.dst_stages) & !stages::FRAMEBUFFER != 0)
        })
    };
    let loops = |s: &Subpass| {
        let mut targets = s.color.iter().chain([&s.depth, &s.stencil]).chain(&s.input).flatten();
        targets.any(|used| used.feedback || used.layout == FEEDBACK_LOOP_LAYOUT)
    };
    if !pass.dependencies.iter().all(is_framebuffer_local) {
        because(
            MergeStatus::Dependencies,
            "a subpass dependency is not by region or leaves framebuffer space",
            "Keep dependencies between subpasses by region and within framebuffer space",
        )
    } else if pass.layers > 1 && !multiview {
        because(
            MergeStatus::Unspecified,
            "the framebuffer has layers",
            "Render to layers by multiview (viewMask), or one by one,",
        )
    } else if view.is_empty() {
        because(MergeStatus::Unspecified, "the render area is empty", "Render something")
    } else if pass.subpasses.iter().any(leaves_framebuffer) {
        because(
            MergeStatus::Unspecified,
            "a barrier inside the pass leaves framebuffer space",
            "Move barriers that wait for more than fragments out of the pass, or narrow them,",
        )
    } else if pass.subpasses.iter().any(loops) {
        because(
            MergeStatus::Unspecified,
            "an attachment feedback loop",
            "Read what is rendered to as input attachment, or a copy of it,",
        )
    } else {
        None
    }
}

/// The sentence with which a plan says so. No string is made for each GPU.
macro_rules! without_ccu {
    ($why:literal) => {
        concat!("GMEM without the part of the colour caches: ", $why)
    };
}

/// That and why the pass needs the GMEM layout that leaves the colour caches alone.
fn avoids_ccu(view: &PassView<'_>) -> Option<&'static str> {
    let stores = |(index, attachment): (u32, &Attachment)| {
        let Some(format) = view.format(index) else { return false };
        let operations = operations(format, attachment, is_in_gmem(view.pass, index));
        operations.store || operations.store_stencil
    };
    if view.pass.density_map.is_some() && (0u32..).zip(&view.pass.attachments).any(stores) {
        // Bins are shifted to where the map wants them: no store is known to be aligned.
        return Some(without_ccu!("the pass has a fragment density map"));
    }
    for (index, attachment) in (0u32..).zip(&view.pass.attachments) {
        let Some(format) = view.format(index) else { continue };
        let operations = operations(format, attachment, is_in_gmem(view.pass, index));
        if (operations.store || operations.store_stencil) && is_unaligned(view, attachment) {
            return Some(without_ccu!("the render area is not a multiple of 16x4"));
        }
        if operations.store && format.aspects() == Aspects::STENCIL {
            return Some(without_ccu!("S8_UINT is stored"));
        }
    }
    let mutable = |a: &Attachment| view.image(a).is_some_and(|image| image.flags & flags::MUTABLE_FORMAT != 0);
    for (source, target) in view.pass.subpasses.iter().flat_map(resolves) {
        if view.format(source).is_some_and(|format| !blit_resolves(format)) {
            return Some(without_ccu!("the format cannot be resolved by the blit engine"));
        }
        if let (Some(source), Some(target)) = (view.attachment(source), view.attachment(target.attachment)) {
            if mutable(source) != mutable(target) {
                return Some(without_ccu!("only one side of a resolve has VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT"));
            }
        }
    }
    None
}

/// Whether a store of the render area would touch pixels outside of it.
fn is_unaligned(view: &PassView<'_>, attachment: &Attachment) -> bool {
    let [(x1, y1), (x2, y2)] = view.area_corners();
    let extent = view.view_extent(attachment);
    let linear = view.image(attachment).is_some_and(|image| image.tiling == LINEAR);
    let off = |at: u64, step: u32| at % u64::from(step) != 0;
    off(x1, GRANULARITY.width)
        || off(y1, GRANULARITY.height)
        || (off(x2, GRANULARITY.width) && x2 != u64::from(extent.width))
        || (off(y2, GRANULARITY.height) && (y2 != u64::from(extent.height) || linear))
}

/// Whether the blit engine resolves the format.
fn blit_resolves(format: &Info) -> bool {
    let snorm = format.components.iter().any(|c| c.numeric == Numeric::Snorm);
    let wide = format.component("R").is_some_and(|red| red.bits > 10);
    let two_bytes = ["R8G8_UNORM", "R8G8_UINT", "R8G8_SINT", "R8G8_SRGB"].contains(&format.name);
    !snorm && !wide && !two_bytes
}

/// Why a pass that may use GMEM does not.
const NO_ROOM: Bypass = Bypass {
    status: MergeStatus::InsufficientStorage,
    why: "the attachments do not fit GMEM",
    remedy: "Use fewer attachments, narrower formats or fewer samples",
};

/// What a pass asks of GMEM, whatever the chip.
struct Demand {
    /// Why it leaves GMEM alone.
    bypass: Option<Bypass>,
    /// Bytes per pixel of each attachment, `None` for one that is not kept in GMEM; unknown if one has an unknown format.
    attachments: Option<Arc<[Option<Cpp>]>>,
    /// Layers or views.
    layers: u64,
    /// That and why the colour caches keep their part, as a sentence.
    avoids_ccu: Option<&'static str>,
}

impl Demand {
    /// That of a pass.
    fn of(view: &PassView<'_>) -> Arc<Self> {
        #[derive(PartialEq)]
        struct Turnip;
        view.memo().again(Turnip, |_| {
            let views = view.pass.subpasses.iter().map(|s| u64::from(s.view_mask.count_ones())).max().unwrap_or(0);
            Arc::new(Self {
                bypass: bypass(view),
                attachments: view.shape().by(Turnip, |_| planes(view)),
                layers: u64::from(view.pass.layers).max(views),
                avoids_ccu: avoids_ccu(view),
            })
        })
    }
}

/// Bytes per pixel of each attachment as [`Demand::attachments`] has them.
fn planes(view: &PassView<'_>) -> Option<Arc<[Option<Cpp>]>> {
    let plane = |index| Some(cpp(view.format(index)?, view.samples_on_chip(index)));
    let of = |index| if is_in_gmem(view.pass, index) { plane(index).map(Some) } else { Some(None) };
    (0u32..).take(view.pass.attachments.len()).map(of).collect()
}

/// How turnip groups the subpasses of a pass.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    /// In immediate mode, for this reason.
    Immediate(Bypass),
    /// In GMEM, though up to so many draws may be immediate, under these rules.
    Whole(u64, AttachmentRules),
}

impl Adreno {
    /// GMEM as the pass divides it; `None` where the format of an attachment is unknown.
    fn allocation(&self, view: &PassView<'_>, demand: &Demand) -> Option<Arc<Allocation>> {
        let layout = if demand.avoids_ccu.is_some() { GmemLayout::AvoidCcu } else { GmemLayout::Full };
        let attachments = demand.attachments.as_ref()?;
        // No other fact of a chip has a say in it.
        let basis = (self.hardware.usable(layout), self.hardware.bin_align);
        Some(view.shape().again(basis, |_| Arc::new(self.hardware.allocate(attachments, layout))))
    }

    /// Whether the attachments fit GMEM; a pass of unknown formats is taken to.
    fn fits(&self, view: &PassView<'_>, demand: &Demand) -> bool {
        let allocation = self.allocation(view, demand);
        allocation.is_none_or(|a| self.hardware.has_bins(&a, view.pass.extent, demand.layers))
    }
}

/// Immediate mode, which the driver prefers for passes of few draws without multisampling. How many draws a pass has differs
/// from frame to frame, so that it is a possibility of every such pass.
fn alternative(view: &PassView<'_>, draws: u64) -> Option<Alternative> {
    let subpasses = &view.pass.subpasses;
    if view.pass.density_map.is_some() {
        return None;
    }
    if subpasses.is_empty() || subpasses.iter().any(|s| view.samples(s) > 1) {
        return None;
    }
    let why = format!("immediate mode: at most {draws} draws and one sample");
    let note = format!(
        "the driver renders straight to memory if the pass has at most {draws} draws, or if its statistics of earlier runs say so"
    );
    let grouping = Grouping::separate(subpasses.len(), MergeStatus::Unspecified, why.clone());
    let plan = |_| Plan { notes: alloc::vec![why.clone().into()], ..immediate() };
    let plans = grouping.groups.iter().map(plan).collect();
    Some(Alternative { note: note.into(), plans: Some(plans), grouping: Arc::new(grouping) })
}

/// Rendering without GMEM: clears and resolves cover the render area as it is.
fn immediate() -> Plan {
    Plan { mode: Mode::Immediate, granularity: Extent2D::new(1, 1), ..Plan::default() }
}

impl Tiler for Adreno {
    /// All or nothing: in GMEM the whole render pass is one tile pass, in immediate mode there is none to share.
    fn grouping(&self, view: &PassView<'_>) -> Arc<Grouping> {
        let demand = Demand::of(view);
        let way = match demand.bypass {
            Some(bypass) => Way::Immediate(bypass),
            None if !self.fits(view, &demand) => Way::Immediate(NO_ROOM),
            None => Way::Whole(self.immediate_draws, self.rules),
        };
        let subpasses = view.pass.subpasses.len();
        view.shape().by(way, |way| {
            Arc::new(match *way {
                Way::Immediate(Bypass { status, why, .. }) => {
                    Grouping::separate(subpasses, status, format!("immediate mode: {why}"))
                }
                Way::Whole(draws, _) => {
                    Grouping { alternative: alternative(view, draws).map(Box::new), ..Grouping::whole(subpasses) }
                }
            })
        })
    }

    fn bypass(&self, view: &PassView<'_>) -> Option<Bypass> {
        let demand = Demand::of(view);
        demand.bypass.or_else(|| (!self.fits(view, &demand)).then_some(NO_ROOM))
    }

    fn plan(&self, view: &PassView<'_>, _group: &[usize]) -> Plan {
        let mut plan = Plan { granularity: GRANULARITY, ..Plan::default() };
        let demand = Demand::of(view);
        let Some(allocation) = self.allocation(view, &demand) else {
            plan.notes.push("bin size unknown: the format of an attachment is unknown".into());
            return plan;
        };
        plan.bits_per_pixel = Some(allocation.total_cpp.saturating_mul(8));
        let bins = match demand.bypass {
            Some(bypass) => Err(bypass.why),
            None => self.hardware.bins(&allocation, view.pass.extent, demand.layers).ok_or(NO_ROOM.why),
        };
        match bins {
            Ok(bins) => {
                plan.tile = Some(bins.size);
                plan.tiles = Some(bins.count.pixels());
                if let Some(why) = demand.avoids_ccu {
                    plan.notes.push(why.into());
                }
                if !self.hardware.pipes(bins.count).binning_possible {
                    let note = "too many bins for a visibility stream: all geometry runs for every bin";
                    plan.notes.push(note.into());
                }
            }
            Err(why) => {
                plan = Plan { bits_per_pixel: plan.bits_per_pixel, ..immediate() };
                plan.notes.push(format!("immediate mode: {why}; what its draws move is not counted").into());
            }
        }
        plan
    }

    fn rules(&self) -> AttachmentRules {
        self.rules
    }

    fn operations(&self, walk: &Walk<'_>) -> Arc<[Movement]> {
        #[derive(PartialEq)]
        struct Immediate(AttachmentRules);
        let immediate = |plan: &Plan| plan.mode == Mode::Immediate;
        if walk.plans.iter().any(immediate) {
            walk.by(Immediate(self.rules), |Immediate(rules)| operations::immediate(walk, *rules))
        } else {
            walk.specified(self.rules)
        }
    }

    fn compression(&self, attachments: &Attachments<'_>) -> Arc<[report::Compression]> {
        attachments.by(self.ubwc, |index, _, facts| facts.push(self.ubwc.fact(attachments.view, index)))
    }

    fn not_modelled(&self) -> &'static [&'static str] {
        &[
            "Adreno: the choice of immediate mode by draw count and by what earlier runs of a pass have shown: where it is possible its \
             ledger stands beside the tiled one",
            "Adreno: loads and stores that bins without geometry skip",
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::by_name;
    use crate::frame::{AttachmentUse, Dependency, LoadOp, Pass, StoreOp};
    use crate::units::Rect2D;

    fn attachment(name: &str, load: LoadOp, store: StoreOp, stencil: (LoadOp, StoreOp)) -> Attachment {
        let format = by_name(name).unwrap().format;
        let (stencil_load, stencil_store) = stencil;
        Attachment { format, samples: 1, load, store, stencil_load, stencil_store, ..Attachment::default() }
    }

    #[test]
    fn a_dependency_outside_framebuffer_space_sends_the_pass_to_memory() {
        let hardware = Hardware {
            gmem: 1 << 20,
            bin_align: Extent2D::new(32, 16),
            bin_max: Extent2D::new(1024, 1008),
            ccus: 2,
            ccu_color_cache: 65536,
            ccu_gmem_shift: 2,
            vsc_pipes: 32,
            vpc_attributes: 0,
            generic_clear: false,
        };
        let rules = AttachmentRules {
            packed_depth_stencil: super::super::PackedDepthStencil::Together,
            resolve_loads_back: true,
        };
        let ubwc = Ubwc { one_byte: true, snorm: false, storage: false, depth: true, z24: false };
        let adreno = Adreno { hardware, ubwc, immediate_draws: 5, rules };
        let color = Some(AttachmentUse { attachment: 0, ..AttachmentUse::default() });
        let subpass = Subpass { color: [color].into(), ..Subpass::default() };
        let local =
            Dependency { src: 0, dst: 1, src_stages: 0x400, dst_stages: 0x80, flags: 1, ..Dependency::default() };
        let mut pass = Pass {
            extent: Extent2D::new(640, 480),
            render_area: Rect2D { extent: Extent2D::new(640, 480), ..Rect2D::default() },
            layers: 1,
            attachments: [attachment("R8G8B8A8_UNORM", LoadOp::Clear, StoreOp::Store, Default::default())].into(),
            subpasses: [subpass.clone(), subpass].into(),
            dependencies: [local].into(),
            ..Pass::default()
        };
        assert_eq!(adreno.plan(&PassView::new(&pass, &[]), &[0]).mode, Mode::Tiled);
        pass.dependencies[0].dst_stages = 0x8;
        let plan = adreno.plan(&PassView::new(&pass, &[]), &[0]);
        assert_eq!((plan.mode, plan.tile), (Mode::Immediate, None));
        pass.dependencies.clear();
        pass.subpasses[1].color[0] = color.map(|used| AttachmentUse { layout: FEEDBACK_LOOP_LAYOUT, ..used });
        let plan = adreno.plan(&PassView::new(&pass, &[]), &[0]);
        assert!(plan.mode == Mode::Immediate && plan.notes[0].contains("feedback loop"), "{plan:?}");
    }
}
