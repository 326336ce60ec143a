//! A frame while edits are made: its passes and transfers are found by the numbers that they had in the beginning.
//!
//! Only what edits touch is copied, so that a draft costs what is edited, however large the frame is. What shaders reach, where
//! commands clear and what passes are called is left out of the copies: no edit and no GPU decides by it, and a row of merged passes would
//! gather it.

use super::{Numbered, Touched};
use crate::frame::{ClearAttachment, Image, Pass, ShaderAccess, Subpass, Transfer};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// A frame that is being edited.
#[derive(Clone, Debug)]
pub struct Draft<'a> {
    /// The frame as it was.
    pub whole: &'a Numbered<'a>,
    /// What goes.
    pub gone: Touched,
    passes: BTreeMap<u32, Pass>,
    transfers: BTreeMap<u32, Transfer>,
    images: BTreeMap<u32, Image>,
    /// Where the work of a pass that is gone has gone to.
    within: BTreeMap<u32, u32>,
}

impl<'a> Draft<'a> {
    /// A frame of which nothing is edited yet.
    pub fn of(whole: &'a Numbered<'a>) -> Self {
        let (passes, transfers, images, within) = Default::default();
        Self { whole, gone: Touched::default(), passes, transfers, images, within }
    }

    /// A pass by its number.
    pub fn pass(&self, number: u32) -> Option<Pass> {
        self.passes.get(&number).cloned().or_else(|| self.whole.passes.get(number as usize).map(|pass| bare(pass)))
    }

    /// A pass by its number, to be changed.
    pub fn pass_mut(&mut self, number: u32) -> Option<&mut Pass> {
        if !self.passes.contains_key(&number) {
            self.passes.insert(number, bare(self.whole.passes.get(number as usize)?));
        }
        self.passes.get_mut(&number)
    }

    /// A transfer by its number.
    pub fn transfer(&self, number: u32) -> Option<&Transfer> {
        self.transfers.get(&number).or_else(|| self.whole.transfers.get(number as usize).copied())
    }

    /// A transfer by its number, to be changed.
    pub fn transfer_mut(&mut self, number: u32) -> Option<&mut Transfer> {
        if !self.transfers.contains_key(&number) {
            self.transfers.insert(number, Transfer::clone(self.whole.transfers.get(number as usize)?));
        }
        self.transfers.get_mut(&number)
    }

    /// An image by its number.
    pub fn image(&self, number: u32) -> Option<&Image> {
        self.images.get(&number).or_else(|| self.whole.frame.images.get(number as usize))
    }

    /// An image by its number, to be changed.
    pub fn image_mut(&mut self, number: u32) -> Option<&mut Image> {
        if !self.images.contains_key(&number) {
            self.images.insert(number, self.whole.frame.images.get(number as usize)?.clone());
        }
        self.images.get_mut(&number)
    }

    /// The pass in which the work of a pass runs now.
    pub fn place(&self, mut pass: u32) -> u32 {
        while let Some(other) = self.within.get(&pass) {
            pass = *other;
        }
        pass
    }

    /// From now on the work of `second` runs in `first`, which is the place of its own work.
    pub fn moved(&mut self, second: u32, first: u32) {
        self.within.insert(second, first);
        self.gone.passes.insert(second);
    }

    /// Forgets what has been made of these passes and transfers.
    pub fn forget(&mut self, touched: &Touched) {
        for pass in &touched.passes {
            self.passes.remove(pass);
            self.within.remove(pass);
            self.gone.passes.remove(pass);
        }
        for transfer in &touched.transfers {
            self.transfers.remove(transfer);
            self.gone.transfers.remove(transfer);
        }
    }
}

/// A pass without what shaders reach in it, where commands clear, and what it is called. The patterns name every field: one that is added has to be judged
/// here.
fn bare(pass: &Pass) -> Pass {
    let Pass {
        labels: _,
        name: _,
        dynamic,
        render_area,
        extent,
        layers,
        attachments,
        subpasses,
        dependencies,
        density_map,
        disallow_merging,
        view_areas,
        tile_memory,
        tile_shading,
        driver_tile: _,
        driver_merging: _,
    } = pass;
    Pass {
        labels: Vec::new(),
        name: None,
        dynamic: *dynamic,
        render_area: *render_area,
        extent: *extent,
        layers: *layers,
        attachments: attachments.clone(),
        subpasses: subpasses.iter().map(bare_subpass).collect(),
        dependencies: dependencies.clone(),
        density_map: *density_map,
        disallow_merging: *disallow_merging,
        view_areas: view_areas.clone(),
        tile_memory: *tile_memory,
        tile_shading: *tile_shading,
        driver_tile: None,
        driver_merging: None,
    }
}

fn bare_subpass(subpass: &Subpass) -> Subpass {
    let Subpass {
        color,
        resolve,
        depth,
        stencil,
        depth_resolve,
        stencil_resolve,
        input,
        preserve,
        view_mask,
        flags,
        samples,
        shading_rate,
        disallow_merging,
        drawn,
        draws,
        shader: _,
        clears,
        barriers,
    } = subpass;
    Subpass {
        color: color.clone(),
        resolve: resolve.clone(),
        depth: *depth,
        stencil: *stencil,
        depth_resolve: *depth_resolve,
        stencil_resolve: *stencil_resolve,
        input: input.clone(),
        preserve: preserve.clone(),
        view_mask: *view_mask,
        flags: *flags,
        samples: *samples,
        shading_rate: *shading_rate,
        disallow_merging: *disallow_merging,
        drawn: *drawn,
        draws: *draws,
        shader: ShaderAccess::NOTHING,
        clears: clears.iter().map(|clear| ClearAttachment { rects: Vec::new(), ..*clear }).collect(),
        barriers: barriers.clone(),
    }
}
