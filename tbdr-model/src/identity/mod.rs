//! Identities that are the same in the next run: names and labels of the application, else signatures, with ordinals.
//!
//! A signature says what a thing is in the frame (role, format, size relative to the frame's main image, operations), never a
//! handle or an address. Names are hostile and may be huge: they are cut to a length that a report can carry.

mod roles;

pub use roles::role;

use self::roles::{role_word, roles};
use crate::format;
use crate::frame::{Attachment, FrameStructure, Image, LoadOp, Op, Pass, StoreOp, Transfer, TransferKind};
use crate::model::{PassView, transfer_word};
use crate::units::Extent2D;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Characters of an application's name that an identity keeps.
const LONGEST: usize = 200;

/// Identities of everything in a frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// Of each image.
    pub images: Vec<String>,
    /// Of each buffer.
    pub buffers: Vec<String>,
    /// Of each pass, in submission order.
    pub passes: Vec<String>,
    /// What people call each pass.
    pub labels: Vec<String>,
    /// Of each attachment of each pass.
    pub attachments: Vec<Vec<String>>,
    /// Of each transfer, in submission order.
    pub transfers: Vec<String>,
}

impl Names {
    /// The identities of a frame.
    pub fn of(frame: &FrameStructure) -> Self {
        let (main, roles) = (main_extent(frame), roles::of_images(frame));
        let mut names = Self::default();
        let mut taken = Ordinals::default();
        for (index, image) in (0u32..).zip(&frame.images) {
            let id = image.name.as_deref().map_or_else(|| image_signature(roles.get(&index), image, main), cut);
            names.images.push(taken.unique(id));
        }
        taken = Ordinals::default();
        for buffer in &frame.buffers {
            let id = buffer.name.as_deref().map_or_else(|| format!("buffer[{}]", buffer.size), cut);
            names.buffers.push(taken.unique(id));
        }
        let (mut passes, mut labels, mut transfers) = (Ordinals::default(), Ordinals::default(), Ordinals::default());
        for op in frame.ops() {
            match op {
                Op::Pass(pass) => {
                    let given = path(&pass.labels).or_else(|| pass.name.as_deref().map(cut));
                    let id = given.clone().unwrap_or_else(|| pass_signature(frame, pass, main));
                    names.passes.push(passes.unique(id));
                    // Advice names passes by their labels: two may not share one.
                    names.labels.push(labels.unique(given.unwrap_or_else(|| description(pass))));
                    names.attachments.push(attachment_names(pass, &names.images));
                }
                Op::Transfer(transfer) => {
                    let id = transfer_signature(transfer, &names.images);
                    names.transfers.push(transfers.unique(id));
                }
                Op::Barrier(_) | Op::Event(_) | Op::Dispatch(_) | Op::Opaque(_) => {}
            }
        }
        names
    }
}

/// Makes identities unique within a frame.
#[derive(Default)]
struct Ordinals {
    taken: BTreeSet<String>,
    next: alloc::collections::BTreeMap<String, u64>,
}

impl Ordinals {
    fn unique(&mut self, id: String) -> String {
        if self.taken.insert(id.clone()) {
            return id;
        }
        let next = self.next.entry(id.clone()).or_insert(2);
        loop {
            let numbered = format!("{id}#{next}");
            *next += 1;
            if self.taken.insert(numbered.clone()) {
                return numbered;
            }
        }
    }
}

/// A name of the application, cut to a length that a report can carry.
fn cut(name: &str) -> String {
    match name.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &name[..at]),
        None => name.to_string(),
    }
}

/// A label path, outermost first.
fn path(labels: &[String]) -> Option<String> {
    if labels.is_empty() {
        return None;
    }
    // A path longer than what is kept needs no label behind it.
    let mut path = String::new();
    for label in labels {
        if !path.is_empty() {
            path.push('/');
        }
        path.push_str(&cut(label));
        if path.len() > 8 * LONGEST {
            break;
        }
    }
    Some(cut(&path))
}

/// What sizes are relative to: a swapchain image, else an output, else the largest framebuffer.
fn main_extent(frame: &FrameStructure) -> Extent2D {
    let size = |image: &Image| Extent2D::new(image.extent.width, image.extent.height);
    let swapchain = frame.images.iter().find(|image| image.swapchain.is_some());
    let output = || frame.images.get(frame.outputs.first()?.image.0 as usize);
    let largest = || frame.passes().map(|pass| pass.extent).max_by_key(|extent| extent.pixels());
    swapchain.or_else(output).map(size).or_else(largest).unwrap_or_default()
}

/// A size relative to the main one, or in pixels.
fn relative(extent: Extent2D, main: Extent2D) -> String {
    for (word, divisor) in [("full", 1), ("half", 2), ("quarter", 4), ("eighth", 8)] {
        let near = |size: u32, main: u32| size > 0 && (size == main / divisor || size == main.div_ceil(divisor));
        if near(extent.width, main.width) && near(extent.height, main.height) {
            return word.to_string();
        }
    }
    format!("{}x{}", extent.width, extent.height)
}

/// What an image is, what it looks like.
fn image_signature(role: Option<&&'static str>, image: &Image, main: Extent2D) -> String {
    let role = if image.swapchain.is_some() { "swapchain" } else { role.copied().unwrap_or("image") };
    let size = relative(Extent2D::new(image.extent.width, image.extent.height), main);
    let mut signature = format!("{role}[{},{size}", format::name(image.format));
    if image.extent.depth > 1 {
        signature.push_str(&format!(",depth {}", image.extent.depth));
    }
    for (count, unit) in [(image.samples, "samples"), (image.layers, "layers"), (image.mips, "mips")] {
        if count > 1 {
            signature.push_str(&format!(",{count} {unit}"));
        }
    }
    signature.push(']');
    signature
}

fn load_word(op: LoadOp) -> &'static str {
    match op {
        LoadOp::Load => "LOAD",
        LoadOp::Clear => "CLEAR",
        LoadOp::DontCare => "DONT_CARE",
        LoadOp::None => "NONE",
    }
}

fn store_word(op: StoreOp) -> &'static str {
    match op {
        StoreOp::Store => "STORE",
        StoreOp::DontCare => "DONT_CARE",
        StoreOp::None => "NONE",
    }
}

/// Attachments with their operations, and where the result goes.
fn pass_signature(frame: &FrameStructure, pass: &Pass, main: Extent2D) -> String {
    let mut parts = Vec::new();
    for (index, attachment) in (0u32..).zip(&pass.attachments) {
        parts.push(format!("{}[{}]", role_word(pass, index, ""), attachment_signature(attachment)));
    }
    if parts.is_empty() {
        parts.push("no attachments".to_string());
    }
    let view = PassView::new(pass, &frame.images);
    let presented = pass.attachments.iter().any(|a| view.image(a).is_some_and(|image| image.swapchain.is_some()));
    let target = if presented { "swapchain".to_string() } else { relative(pass.extent, main) };
    format!("pass:{}@{target}", parts.join("+"))
}

fn attachment_signature(attachment: &Attachment) -> String {
    let info = format::info(attachment.format);
    let mut signature = format::name(attachment.format).to_string();
    if attachment.samples > 1 {
        signature.push_str(&format!("@{}", attachment.samples));
    }
    if info.is_none_or(|info| info.name != "S8_UINT") {
        signature.push_str(&format!(",{},{}", load_word(attachment.load), store_word(attachment.store)));
    }
    if info.is_some_and(|info| info.component("S").is_some()) {
        let (load, store) = (load_word(attachment.stencil_load), store_word(attachment.stencil_store));
        signature.push_str(&format!(",stencil {load},{store}"));
    }
    signature
}

/// What a pass without a name is called.
fn description(pass: &Pass) -> String {
    let mut parts = Vec::new();
    for (index, attachment) in (0u32..).zip(&pass.attachments).filter(|(i, _)| !roles(pass, *i).is_empty()) {
        let samples = if attachment.samples > 1 { format!(" {}x", attachment.samples) } else { String::new() };
        parts.push(format!("{} {}{samples}", role(pass, index), format::name(attachment.format)));
    }
    let size = format!("{}x{}", pass.extent.width, pass.extent.height);
    if parts.is_empty() { format!("no attachments, {size}") } else { format!("{}, {size}", parts.join(" + ")) }
}

fn attachment_names(pass: &Pass, images: &[String]) -> Vec<String> {
    let name = |(index, attachment): (usize, &Attachment)| {
        let image = attachment.image.and_then(|image| images.get(image.0 as usize));
        image.cloned().unwrap_or_else(|| format!("attachment {index}"))
    };
    pass.attachments.iter().enumerate().map(name).collect()
}

/// The label path, or what moves from where to where.
fn transfer_signature(transfer: &Transfer, images: &[String]) -> String {
    let (src, dst) = transfer_images(transfer);
    let name = |index: Option<u32>| index.and_then(|i| images.get(i as usize)).map_or("buffer", String::as_str);
    let kind = transfer_word(transfer.kind);
    let what = match transfer.kind {
        TransferKind::CopyBuffer
        | TransferKind::FillBuffer
        | TransferKind::UpdateBuffer
        | TransferKind::CopyQueryResults
        | TransferKind::WriteMarker => kind.to_string(),
        TransferKind::ClearColor | TransferKind::ClearDepthStencil | TransferKind::CopyMemoryToImage => {
            format!("{kind}:{}", name(dst))
        }
        TransferKind::CopyImageToMemory => format!("{kind}:{}", name(src)),
        _ => format!("{kind}:{}>{}", name(src), name(dst)),
    };
    path(&transfer.labels).map_or(what.clone(), |path| format!("{path}/{what}"))
}

/// Indices of the images that a transfer reads and writes.
pub fn transfer_images(transfer: &Transfer) -> (Option<u32>, Option<u32>) {
    use crate::frame::Side;
    let index = |side: &Option<Side>| match side {
        Some(Side::Image(region)) => region.image.map(|image| image.0),
        _ => None,
    };
    let first = transfer.regions.first();
    (first.and_then(|r| index(&r.src)), first.and_then(|r| index(&r.dst)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{AttachmentUse, ImageRef, Submission, Subpass};
    use crate::units::Extent3D;

    fn frame(width: u32, height: u32) -> FrameStructure {
        let image = |format: &str, w, h, swapchain| Image {
            format: format::by_name(format).unwrap().format,
            extent: Extent3D { width: w, height: h, depth: 1 },
            samples: 1,
            swapchain,
            ..Image::default()
        };
        let attachment = |index, name: &str, load, store| Attachment {
            image: Some(ImageRef(index)),
            format: format::by_name(name).unwrap().format,
            samples: 1,
            load,
            store,
            ..Attachment::default()
        };
        let target = |attachment| Some(AttachmentUse { attachment, ..AttachmentUse::default() });
        let pass = Pass {
            extent: Extent2D::new(width, height),
            attachments: [
                attachment(0, "B8G8R8A8_UNORM", LoadOp::Clear, StoreOp::Store),
                attachment(1, "D16_UNORM", LoadOp::Clear, StoreOp::DontCare),
            ]
            .into(),
            subpasses: [Subpass { color: [target(0)].into(), depth: target(1), ..Subpass::default() }].into(),
            ..Pass::default()
        };
        FrameStructure {
            images: [
                image("B8G8R8A8_UNORM", width, height, Some(0)),
                image("D16_UNORM", width, height, None),
                image("R8_UNORM", width / 2, height / 2, None),
            ]
            .into(),
            submissions: [Submission { ops: [Op::Pass(pass.clone()), Op::Pass(pass)].into(), ..Submission::default() }]
                .into(),
            ..FrameStructure::default()
        }
    }

    #[test]
    fn identities_are_the_same_in_a_window_of_another_size() {
        let names = Names::of(&frame(500, 500));
        assert_eq!(names.images, ["swapchain[B8G8R8A8_UNORM,full]", "depth[D16_UNORM,full]", "image[R8_UNORM,half]"]);
        let pass = "pass:color0[B8G8R8A8_UNORM,CLEAR,STORE]+depth[D16_UNORM,CLEAR,DONT_CARE]@swapchain";
        assert_eq!(names.passes, [pass.to_string(), format!("{pass}#2")]);
        assert_eq!(Names::of(&frame(641, 479)).images, names.images);
        assert_eq!(names.labels[0], "color 0 B8G8R8A8_UNORM + depth D16_UNORM, 500x500");
    }

    #[test]
    fn given_names_are_kept_cut_and_numbered() {
        let mut frame = frame(64, 64);
        frame.images[0].name = Some("\u{1b}]0;x".repeat(1 << 18));
        frame.images[1].name = Some("a#2".to_string());
        frame.images[2].name = Some("a".to_string());
        frame.images.push(frame.images[2].clone());
        let names = Names::of(&frame);
        assert_eq!(names.images[0].chars().count(), LONGEST + 1);
        assert_eq!(names.images[1..], ["a#2", "a", "a#3"]);
    }

    #[test]
    fn label_paths_name_passes() {
        let mut frame = frame(64, 64);
        if let Op::Pass(pass) = &mut frame.submissions[0].ops[1] {
            pass.labels = ["shadows".to_string(), "cascade 0".to_string()].into();
        }
        assert_eq!(Names::of(&frame).passes[1], "shadows/cascade 0");
    }
}
