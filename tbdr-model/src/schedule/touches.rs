//! What each command touches, class by class of its stages: what orders between commands are for.
//!
//! Images that can be attachments are told apart. Everything else (buffers, textures, queries) is one thing, [`Resource::Elsewhere`], which
//! every draw and dispatch may read, and write unless it is known that its shaders write no memory but images. Shaders of which it is
//! not known what images they reach touch [`Resource::All`]. It is a bound from above: what may happen counts as happening.

use super::stages::{Class, Classes};
use crate::frame::{Aspects, FrameStructure, ImageRef, LoadOp, Op, Pass, ShaderAccess, Side, StoreOp, Transfer, usage};
use alloc::vec::Vec;

/// What is touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Resource {
    /// An image that can be an attachment, by its number in the frame.
    Image(u32),
    /// Buffers, other images, queries.
    Elsewhere,
    /// Anything: whatever else is touched is this, too, and is only read.
    All,
}

/// One resource touched by one class of stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    /// What.
    pub resource: Resource,
    /// By which stages.
    pub class: Class,
    /// Whether it may be written.
    pub writes: bool,
}

/// Usages by which every use of an image is recorded.
const ATTACHMENT: u32 =
    usage::COLOR_ATTACHMENT | usage::DEPTH_STENCIL_ATTACHMENT | usage::TRANSIENT_ATTACHMENT | usage::INPUT_ATTACHMENT;

/// What a command touches. Barriers and events touch nothing themselves.
pub fn of(frame: &FrameStructure, op: &Op) -> Vec<Touch> {
    let mut list = List { frame, found: Vec::new() };
    match op {
        Op::Pass(pass) => list.pass(pass),
        Op::Transfer(transfer) => list.transfer(transfer),
        Op::Dispatch(dispatch) => {
            list.memory(Classes::of(Class::Indirect).with(Classes::of(Class::Compute)), false);
            list.shader(&dispatch.shader, Classes::of(Class::Compute));
        }
        Op::Opaque(_) => {
            list.add(Resource::Elsewhere, Classes::ALL, true);
            list.add(Resource::All, Classes::ALL, true);
        }
        Op::Barrier(_) | Op::Event(_) => {}
    }
    list.found
}

/// What a subpass of a pass touches.
pub fn of_subpass(frame: &FrameStructure, pass: &Pass, subpass: usize) -> Vec<Touch> {
    let mut list = List { frame, found: Vec::new() };
    list.subpass(pass, subpass);
    list.found
}

struct List<'a> {
    frame: &'a FrameStructure,
    found: Vec<Touch>,
}

impl List<'_> {
    fn add(&mut self, resource: Resource, classes: Classes, writes: bool) {
        for class in classes.each() {
            if resource != Resource::All {
                self.found.push(Touch { resource: Resource::All, class, writes: false });
            }
            self.found.push(Touch { resource, class, writes });
        }
    }

    fn image(&mut self, image: Option<ImageRef>, classes: Classes, writes: bool) {
        let described = image.and_then(|image| self.frame.images.get(image.0 as usize));
        let resource = match image.zip(described) {
            None => Resource::All,
            // Aliased memory, or bytes that are reached in ways that no command names.
            Some((_, described)) if described.memory.aliased || described.reached_unseen => Resource::All,
            Some((image, described)) if described.all_usage() & ATTACHMENT != 0 => Resource::Image(image.0),
            Some(_) => Resource::Elsewhere,
        };
        self.add(resource, classes, writes || resource == Resource::All);
    }

    fn memory(&mut self, classes: Classes, writes: bool) {
        self.add(Resource::Elsewhere, classes, writes);
    }

    fn shader(&mut self, shader: &ShaderAccess, classes: Classes) {
        self.memory(classes, !shader.keeps_memory);
        if !shader.known {
            self.add(Resource::All, classes, true);
        }
        for access in &shader.images {
            self.image(access.image, classes, access.kind.writes());
        }
    }

    fn transfer(&mut self, transfer: &Transfer) {
        let classes = Classes::of(Class::Transfer);
        let sides = transfer.regions.iter().flat_map(|region| [(&region.src, false), (&region.dst, true)]);
        for (side, writes) in sides {
            match side {
                Some(Side::Image(side)) => self.image(side.image, classes, writes),
                Some(Side::Buffer(_)) => self.memory(classes, writes),
                None => {}
            }
        }
    }

    fn pass(&mut self, pass: &Pass) {
        (0..pass.subpasses.len()).for_each(|subpass| self.subpass(pass, subpass));
    }

    fn subpass(&mut self, pass: &Pass, number: usize) {
        let (color, fragment) = (Classes::of(Class::Color), Classes::of(Class::Fragment));
        let tests = Classes::of(Class::EarlyTests).with(Classes::of(Class::LateTests));
        let image = |attachment: u32| pass.attachments.get(attachment as usize).and_then(|a| a.image);
        if let Some(map) = pass.density_map {
            self.image(image(map.attachment), fragment, false);
        }
        if let Some(subpass) = pass.subpasses.get(number) {
            for used in subpass.color.iter().flatten() {
                self.image(image(used.attachment), color, true);
            }
            for used in [&subpass.depth, &subpass.stencil].into_iter().flatten() {
                self.image(image(used.attachment), tests, true);
            }
            // What is resolved of depth and stencil is read where colours are written.
            for (used, resolve) in
                [(&subpass.depth, &subpass.depth_resolve), (&subpass.stencil, &subpass.stencil_resolve)]
            {
                if let (Some(used), Some(_)) = (used, resolve) {
                    self.image(image(used.attachment), color, false);
                }
            }
            let resolves = subpass.resolve.iter().chain([&subpass.depth_resolve, &subpass.stencil_resolve]);
            for used in resolves.flatten() {
                self.image(image(used.attachment), color, true);
            }
            for used in subpass.input.iter().flatten() {
                self.image(image(used.attachment), fragment, false);
                // Also what is only read is loaded and stored, where attachments of its format are.
                if let Some(attachment) = pass.attachments.get(used.attachment as usize).filter(|_| !pass.dynamic) {
                    let format = crate::format::info(attachment.format);
                    let is_color = format.is_none_or(|format| format.aspects().contains(Aspects::COLOR));
                    let operations = (attachment.load, attachment.store) != (LoadOp::None, StoreOp::None);
                    if operations {
                        self.image(attachment.image, if is_color { color } else { tests }, true);
                    }
                }
            }
            if let Some(rate) = subpass.shading_rate {
                self.image(image(rate.attachment), fragment, false);
            }
            if subpass.drawn {
                let drawn = [Class::Indirect, Class::Geometry, Class::Fragment];
                let drawn = drawn.into_iter().map(Classes::of).fold(Classes::NONE, Classes::with);
                self.memory(drawn, false);
                self.shaders(&subpass.shader);
            }
        }
    }

    /// Shaders of draws: each image by the stages that name it.
    fn shaders(&mut self, shader: &ShaderAccess) {
        /// VK_SHADER_STAGE_FRAGMENT_BIT.
        const FRAGMENT: u32 = 0x10;
        let (geometry, fragment) = (Classes::of(Class::Geometry), Classes::of(Class::Fragment));
        self.memory(geometry.with(fragment), !shader.keeps_memory);
        if !shader.known {
            self.add(Resource::All, geometry.with(fragment), true);
        }
        for access in &shader.images {
            let classes = match access.stages {
                0 => geometry.with(fragment),
                FRAGMENT => fragment,
                stages if stages & FRAGMENT == 0 => geometry,
                _ => geometry.with(fragment),
            };
            self.image(access.image, classes, access.kind.writes());
        }
    }
}
