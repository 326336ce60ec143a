//! TL405.

use super::{Candidate, Evidence, Life, Worth, compressible, rule};
use crate::format;
use crate::frame::Image;
use crate::gpu::compression::{LINEAR, flags};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

rule! {
    /// ## What it detects
    /// An attachment that a GPU would compress were it not for a flag or a tiling that nothing is known to need:
    /// `VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT` without a list of other view formats, `VK_IMAGE_CREATE_ALIAS_BIT` on memory that no other image
    /// or buffer is bound to, `VK_IMAGE_TILING_LINEAR` in memory that the host cannot map.
    ///
    /// ## Why it costs on a tile-based GPU
    /// Compressed bytes mean something only to whoever knows the format and the layout of the blocks. An image whose bytes may be read
    /// as another format, through another image or row by row is stored plain, whoever really does so.
    ///
    /// ## Bad
    /// `flags = MUTABLE_FORMAT` on every render target, though all views have the image's own format.
    ///
    /// ## Good
    /// No flag; and `VK_IMAGE_TILING_OPTIMAL`.
    ///
    /// ## How much
    /// 48 % of the bytes that passes load and store of it, as for TL404: an estimate, since it depends on what is on screen.
    ///
    /// ## When to ignore
    /// If some view has another format after all: which formats views have that shaders read through is not recorded, so the advice says "if".
    ///
    /// ## Known limits
    /// Silent if an attachment shows the image in another format, or VkImageFormatListCreateInfo names one: some GPUs compress such
    /// images and some do not, and the program has said that it needs it. Silent for swapchains, external memory, images that are
    /// not 2D (no other kind would do the same) and where something else rules compression out as well.
    ///
    /// ## References
    /// Khronos Vulkan-Samples, performance/afbc. Mesa 25.0.7, src/panfrost/lib/pan_afbc.c, src/freedreno/vulkan/tu_image.cc and
    /// src/asahi/layout.
    FLAGS_BLOCK_COMPRESSION {
        code: "TL405",
        name: "flags-block-compression",
        category: Compression,
        level: Info,
        since: "0.1.0",
        speaks_before: &["TL406"],
        check: check,
    }
}

fn check(evidence: &Evidence<'_>) -> Vec<Candidate> {
    evidence.lives.iter().filter_map(|life| candidate(evidence, life)).collect()
}

/// What of an image's creation nothing is known to need.
#[derive(Clone, Copy, Default)]
struct Needless {
    mutable: bool,
    alias: bool,
    linear: bool,
}

impl Needless {
    fn of(evidence: &Evidence<'_>, life: &Life<'_>) -> Self {
        let image = life.image;
        let outside = image.memory.external || image.swapchain.is_some() || image.reached_unseen || image.always_shown;
        if outside || !life.uses.rendered {
            return Self::default();
        }
        let own = life.places.iter().all(|place| {
            let structure = evidence.structures.get(&place.structure);
            structure.and_then(|s| s.attachment(place.pass, place.attachment)).is_some_and(|a| a.format == image.format)
        });
        let listed = image.view_formats.iter().all(|format| *format == image.format);
        let bound_alone = image.memory.properties.is_some() && !image.memory.aliased && image.memory.shared.is_empty();
        let mapped = image.memory.properties.is_none() || image.memory.host_visible();
        Self {
            mutable: image.flags & flags::MUTABLE_FORMAT != 0 && own && listed,
            alias: image.flags & flags::ALIAS != 0 && bound_alone,
            linear: image.tiling == LINEAR && !mapped,
        }
    }

    fn mend(self, image: &mut Image) {
        if self.mutable {
            image.flags &= !flags::MUTABLE_FORMAT;
        }
        if self.alias {
            image.flags &= !flags::ALIAS;
        }
        if self.linear {
            image.tiling = 0;
        }
    }

    /// What to do, and what it is that stands in the way.
    fn words(self, image: &Image) -> (String, String) {
        let (mut fix, mut why) = (Vec::new(), Vec::new());
        if self.mutable {
            let format = format::name(image.format);
            let known = !image.view_formats.is_empty();
            fix.push(match known {
                true => "without MUTABLE_FORMAT".to_string(),
                false => format!("without MUTABLE_FORMAT if all of its views have its own format {format}"),
            });
            why.push("MUTABLE_FORMAT");
        }
        if self.alias {
            fix.push("without ALIAS".to_string());
            why.push("ALIAS");
        }
        if self.linear {
            fix.push("with tiling OPTIMAL".to_string());
            why.push("tiling LINEAR");
        }
        (fix.join(", "), why.join(" and "))
    }
}

fn candidate(evidence: &Evidence<'_>, life: &Life<'_>) -> Option<Candidate> {
    let needless = Needless::of(evidence, life);
    if !(needless.mutable || needless.alias || needless.linear) {
        return None;
    }
    let amounts = compressible::saved(evidence, life, |image| needless.mend(image));
    let (how, what) = needless.words(life.image);
    (!amounts.is_empty()).then(|| Candidate {
        worth: Worth::PerGpu(amounts),
        fix: format!("Create {}, which {} renders to, {how}", life.id, life.label),
        why: format!("{what}, which nothing is known to need, keeps the GPU from compressing it"),
        ..life.candidate()
    })
}
