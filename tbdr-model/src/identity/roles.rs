//! What attachments are in their passes, and images in their frame.

use crate::format;
use crate::frame::{FrameStructure, Pass};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// A role of an attachment in a pass.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Role {
    /// What it is.
    pub kind: &'static str,
    /// Which of its kind.
    pub slot: Option<usize>,
}

/// All roles of an attachment, in the order of the subpasses, each once.
pub fn roles(pass: &Pass, attachment: u32) -> Vec<Role> {
    let mut roles: Vec<Role> = Vec::new();
    let mut add = |kind, slot| {
        let role = Role { kind, slot };
        if !roles.contains(&role) {
            roles.push(role);
        }
    };
    for subpass in &pass.subpasses {
        for (slot, _) in subpass.color.iter().enumerate().filter(|(_, u)| u.is_some_and(|u| u.attachment == attachment))
        {
            add("color", Some(slot));
        }
        let depth = subpass.depth.is_some_and(|u| u.attachment == attachment);
        let stencil = subpass.stencil.is_some_and(|u| u.attachment == attachment);
        let has_stencil = pass.attachments.get(attachment as usize).and_then(|a| format::info(a.format));
        let has_stencil = has_stencil.is_none_or(|info| info.component("S").is_some());
        match (depth, stencil && (has_stencil || !depth)) {
            (true, true) => add("depth_stencil", None),
            (true, false) => add("depth", None),
            (false, true) => add("stencil", None),
            (false, false) => {}
        }
        for (slot, _) in
            subpass.resolve.iter().enumerate().filter(|(_, u)| u.is_some_and(|u| u.attachment == attachment))
        {
            add("resolve", Some(slot));
        }
        if subpass.depth_resolve.is_some_and(|u| u.attachment == attachment) {
            add("depth_resolve", None);
        }
        if subpass.stencil_resolve.is_some_and(|u| u.attachment == attachment) {
            add("stencil_resolve", None);
        }
        for (slot, _) in subpass.input.iter().enumerate().filter(|(_, u)| u.is_some_and(|u| u.attachment == attachment))
        {
            add("input", Some(slot));
        }
        if subpass.shading_rate.is_some_and(|u| u.attachment == attachment) {
            add("shading_rate", None);
        }
    }
    if pass.density_map.is_some_and(|u| u.attachment == attachment) {
        add("density_map", None);
    }
    roles
}

/// The roles of an attachment as one word, with `gap` between a role and its slot.
pub fn role_word(pass: &Pass, attachment: u32, gap: &str) -> String {
    let words: Vec<String> = roles(pass, attachment)
        .into_iter()
        .map(|role| role.slot.map_or_else(|| role.kind.to_string(), |slot| format!("{}{gap}{slot}", role.kind)))
        .collect();
    if words.is_empty() { "unused".to_string() } else { words.join("+") }
}

/// The roles of an attachment as the report spells them: `color 0`, `depth`, `input 1`, …
pub fn role(pass: &Pass, attachment: u32) -> String {
    role_word(pass, attachment, " ")
}

/// The first thing that the frame's passes do with each image that they use.
pub fn of_images(frame: &FrameStructure) -> BTreeMap<u32, &'static str> {
    let mut first = BTreeMap::new();
    for pass in frame.passes() {
        for (index, attachment) in (0u32..).zip(&pass.attachments) {
            let Some(image) = attachment.image.filter(|image| !first.contains_key(&image.0)) else { continue };
            if let Some(role) = roles(pass, index).first() {
                first.insert(image.0, role.kind);
            }
        }
    }
    first
}
