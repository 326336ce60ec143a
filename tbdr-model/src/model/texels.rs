//! Aspects as words and as bytes.

use crate::format::PLANE_ASPECTS;
use crate::frame::Aspects;

/// The single aspects of a set that the model knows, in the order of their bits.
pub fn each(aspects: Aspects) -> impl Iterator<Item = Aspects> {
    let single = [Aspects::COLOR, Aspects::DEPTH, Aspects::STENCIL];
    single.into_iter().chain(PLANE_ASPECTS).filter(move |aspect| aspects.contains(*aspect))
}

/// The word for a single aspect in the report.
pub fn word(aspect: Aspects) -> &'static str {
    match aspect {
        Aspects::DEPTH => "depth",
        Aspects::STENCIL => "stencil",
        plane => match PLANE_ASPECTS.iter().position(|p| *p == plane) {
            Some(0) => "plane 0",
            Some(1) => "plane 1",
            Some(_) => "plane 2",
            None => "color",
        },
    }
}
