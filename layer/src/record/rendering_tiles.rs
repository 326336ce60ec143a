//! What the driver says of tiles of dynamic rendering (vkGetDynamicRenderingTilePropertiesQCOM): answers are kept by what was asked, since
//! there is no object to keep them at.
//!
//! Programs that never ask pay one relaxed load per vkCmdBeginRendering.

use super::objects::Told;
use super::recording::PassEvent;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tbdr_model::frame::{Attachment, DriverTile, Subpass};
use tbdr_model::units::{Extent2D, Rect2D};

/// Answers that are kept; later questions about something else go unheard.
const MOST: usize = 256;

/// What a rendering is apart from the images that it renders to.
#[derive(PartialEq)]
struct Shape {
    attachments: Vec<Attachment>,
    subpasses: Vec<Subpass>,
    area: Rect2D,
    extent: Extent2D,
    layers: u32,
}

impl Shape {
    fn of(event: &PassEvent) -> Self {
        let (attachments, subpasses) = (event.template.attachments.clone(), event.template.subpasses.clone());
        Self { attachments, subpasses, area: event.render_area, extent: event.extent, layers: event.layers }
    }
}

/// Answers by what was asked.
#[derive(Default)]
pub struct RenderingTiles {
    asked: AtomicBool,
    answers: Mutex<Vec<(Shape, Arc<Told>)>>,
}

impl RenderingTiles {
    /// The driver answered for this rendering.
    pub fn told(&self, event: &PassEvent, tile: DriverTile) {
        let shape = Shape::of(event);
        let mut answers = self.answers.lock();
        if let Some((_, told)) = answers.iter().find(|(known, _)| *known == shape) {
            told.set(tile);
        } else if answers.len() < MOST {
            let told = Arc::new(Told::default());
            told.set(tile);
            answers.push((shape, told));
        }
        self.asked.store(true, Ordering::Relaxed);
    }

    /// What was answered for a rendering like this one.
    pub fn find(&self, event: &PassEvent) -> Option<Arc<Told>> {
        if !self.asked.load(Ordering::Relaxed) {
            return None;
        }
        let shape = Shape::of(event);
        self.answers.lock().iter().find(|(known, _)| *known == shape).map(|(_, told)| Arc::clone(told))
    }
}
