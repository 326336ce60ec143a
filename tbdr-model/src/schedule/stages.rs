//! Pipeline stages as classes of work that begin and end together.
//!
//! Input: VkPipelineStageFlags2. Output: a set of [`Class`]es, widened as the Vulkan specification has it: a source scope
//! covers logically earlier stages, too, and a destination scope later ones.

use crate::frame::Scope;

/// Stages that begin and end together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// DRAW_INDIRECT.
    Indirect,
    /// Everything from vertex input to the rasterizer, and transform feedback.
    Geometry,
    /// EARLY_FRAGMENT_TESTS.
    EarlyTests,
    /// FRAGMENT_SHADER, with what rates and density maps are read by.
    Fragment,
    /// LATE_FRAGMENT_TESTS.
    LateTests,
    /// COLOR_ATTACHMENT_OUTPUT.
    Color,
    /// COMPUTE_SHADER, ray tracing, and building what it traces.
    Compute,
    /// Copies, blits, resolves and clears.
    Transfer,
}

impl Class {
    /// Every class.
    pub const ALL: [Self; 8] = [
        Self::Indirect,
        Self::Geometry,
        Self::EarlyTests,
        Self::Fragment,
        Self::LateTests,
        Self::Color,
        Self::Compute,
        Self::Transfer,
    ];
}

/// A set of classes: bit n is the class of number n.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Classes(pub u8);

impl Classes {
    /// None.
    pub const NONE: Self = Self(0);
    /// What runs in the slot for vertices and compute.
    pub const VERTEX_SLOT: Self = Self(0b0100_0011);
    /// What runs in the slot for fragments.
    pub const FRAGMENT_SLOT: Self = Self(0b0011_1100);
    /// The stages of a draw.
    pub const GRAPHICS: Self = Self(0b0011_1111);
    /// All.
    pub const ALL: Self = Self(0xff);

    /// One class.
    pub const fn of(class: Class) -> Self {
        Self(1 << class as u8)
    }

    /// Whether it is one of them.
    pub const fn contains(self, class: Class) -> bool {
        self.0 >> class as u8 & 1 != 0
    }

    /// Both.
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Each of them.
    pub fn each(self) -> impl Iterator<Item = Class> {
        Class::ALL.into_iter().filter(move |class| self.contains(*class))
    }
}

/// VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT, BOTTOM_OF_PIPE, ALL_GRAPHICS, ALL_COMMANDS.
const TOP: u64 = 0x1;
const BOTTOM: u64 = 0x2000;
const ALL_GRAPHICS: u64 = 0x8000;
const ALL_COMMANDS: u64 = 0x1_0000;
const DRAW_INDIRECT: u64 = 0x2;
/// HOST, which is no stage of a queue.
const HOST: u64 = 0x4000;

/// Which stages each class has.
const TABLE: [(u64, Class); 8] = [
    (DRAW_INDIRECT, Class::Indirect),
    // VERTEX_INPUT, VERTEX_SHADER, both of tessellation, GEOMETRY_SHADER, CONDITIONAL_RENDERING (which holds back the whole draw), TASK, MESH,
    // TRANSFORM_FEEDBACK, INDEX_INPUT, VERTEX_ATTRIBUTE_INPUT, PRE_RASTERIZATION_SHADERS.
    (0x4 | 0x8 | 0x10 | 0x20 | 0x40 | 0x4_0000 | 0x8_0000 | 0x10_0000 | 0x100_0000 | 0x70_0000_0000, Class::Geometry),
    (0x100, Class::EarlyTests),
    // FRAGMENT_SHADER, FRAGMENT_SHADING_RATE_ATTACHMENT, FRAGMENT_DENSITY_PROCESS.
    (0x80 | 0x40_0000 | 0x80_0000, Class::Fragment),
    (0x200, Class::LateTests),
    (0x400, Class::Color),
    // COMPUTE_SHADER, RAY_TRACING_SHADER, ACCELERATION_STRUCTURE_BUILD.
    (0x800 | 0x20_0000 | 0x200_0000, Class::Compute),
    // TRANSFER, which is ALL_TRANSFER; COPY, RESOLVE, BLIT, CLEAR.
    (0x1000 | 0xf_0000_0000, Class::Transfer),
];

/// The classes that a mask names; stages that no class knows count as all of them.
fn named(mask: u64) -> Classes {
    let all = TABLE.iter().fold(TOP | BOTTOM | HOST, |all, (bits, _)| all | bits);
    if mask & (ALL_COMMANDS | !(all | ALL_GRAPHICS)) != 0 {
        return Classes::ALL;
    }
    let graphics = if mask & ALL_GRAPHICS != 0 { Classes::GRAPHICS } else { Classes::NONE };
    let found = TABLE.iter().filter(|(bits, _)| mask & bits != 0);
    found.fold(graphics, |found, (_, class)| found.with(Classes::of(*class)))
}

/// The stages whose accesses a mask names. Scopes of accesses reach no stage before or after those that are named, and the ends of the pipe
/// access nothing.
pub fn accessing(mask: u64) -> u64 {
    /// What a stage that stands for several stands for: VERTEX_INPUT, PRE_RASTERIZATION_SHADERS, TRANSFER.
    const SEVERAL: [(u64, u64); 3] = [
        (0x4, 0x30_0000_0000),
        (0x40_0000_0000, 0x8 | 0x10 | 0x20 | 0x40 | 0x8_0000 | 0x10_0000),
        (0x1000, 0xf_0000_0000),
    ];
    const ENDS: u64 = TOP | BOTTOM | HOST;
    if mask & ALL_COMMANDS != 0 {
        return !ENDS;
    }
    let of = |classes: Classes| TABLE.iter().filter(move |(_, class)| classes.contains(*class)).map(|(bits, _)| bits);
    let graphics = if mask & ALL_GRAPHICS != 0 { of(Classes::GRAPHICS).fold(0, |all, bits| all | bits) } else { 0 };
    let whole =
        SEVERAL.iter().filter(|(whole, _)| mask & whole != 0).fold(mask | graphics, |all, (_, parts)| all | parts);
    let named = SEVERAL.iter().filter(|(_, parts)| whole & parts == *parts).fold(whole, |all, (word, _)| all | word);
    named & !ENDS & !ALL_GRAPHICS
}

/// How far DRAW_INDIRECT reaches. It comes before COMPUTE_SHADER in the pipeline of indirect dispatches alone, but scopes name stages and no
/// commands: implementations may let it reach every dispatch, also where only ALL_GRAPHICS names it, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Stages that hold back dispatches as the destination of a barrier.
    holds_compute: u64,
    /// Whether a source of COMPUTE_SHADER waits for DRAW_INDIRECT.
    compute_reads_indirect: bool,
}

impl Reading {
    /// DRAW_INDIRECT reaches every dispatch, by whatever name.
    pub const WIDEST: Self = Self { holds_compute: DRAW_INDIRECT | ALL_GRAPHICS, compute_reads_indirect: true };
    /// DRAW_INDIRECT reaches no dispatch.
    pub const NARROWEST: Self = Self { holds_compute: 0, compute_reads_indirect: false };
    /// Every reading: what is to be right has to be right in each.
    pub const EACH: [Self; 3] =
        [Self::WIDEST, Self { holds_compute: DRAW_INDIRECT, compute_reads_indirect: true }, Self::NARROWEST];

    /// What a source scope waits for: the stages, and those that come before them in a pipeline.
    pub fn source(self, mask: u64) -> Classes {
        if mask & BOTTOM != 0 {
            return Classes::ALL;
        }
        let named = named(mask);
        let last = named.each().filter(|class| Classes::GRAPHICS.contains(*class)).last();
        let before = last.map_or(0, |last| (1u8 << last as u8) - 1);
        let indirect = self.compute_reads_indirect && named.contains(Class::Compute);
        Classes(named.0 | before | u8::from(indirect))
    }

    /// What a destination scope holds back: the stages, and those that come after them in a pipeline.
    pub fn destination(self, mask: u64) -> Classes {
        if mask & TOP != 0 {
            return Classes::ALL;
        }
        let named = named(mask);
        let first = named.each().find(|class| Classes::GRAPHICS.contains(*class));
        let after = first.map_or(0, |first| Classes::GRAPHICS.0 & !((1u8 << first as u8) - 1));
        let compute = if mask & self.holds_compute != 0 { Classes::of(Class::Compute).0 } else { 0 };
        Classes(named.0 | after | compute)
    }

    /// What a scope of a barrier waits for and what it holds back.
    pub fn of(self, scope: &Scope) -> (Classes, Classes) {
        (self.source(scope.src_stages), self.destination(scope.dst_stages))
    }
}

/// [`Reading::source`] in the widest reading.
pub fn source(mask: u64) -> Classes {
    Reading::WIDEST.source(mask)
}

/// [`Reading::destination`] in the widest reading.
pub fn destination(mask: u64) -> Classes {
    Reading::WIDEST.destination(mask)
}

/// [`Reading::of`] in the widest reading.
pub fn of(scope: &Scope) -> (Classes, Classes) {
    Reading::WIDEST.of(scope)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_the_pipe_are_everything_on_one_side_and_nothing_on_the_other() {
        assert_eq!((source(BOTTOM), destination(TOP)), (Classes::ALL, Classes::ALL));
        assert_eq!((source(TOP), destination(BOTTOM)), (Classes::NONE, Classes::NONE));
        assert_eq!((source(0), destination(0)), (Classes::NONE, Classes::NONE), "VK_PIPELINE_STAGE_2_NONE");
        assert_eq!((source(ALL_COMMANDS), destination(ALL_COMMANDS)), (Classes::ALL, Classes::ALL));
        assert_eq!((source(HOST), destination(HOST)), (Classes::NONE, Classes::NONE));
    }

    #[test]
    fn sources_cover_earlier_stages_and_destinations_later_ones() {
        // COLOR_ATTACHMENT_OUTPUT, FRAGMENT_SHADER, VERTEX_SHADER.
        assert_eq!(source(0x400), Classes::GRAPHICS);
        assert_eq!(destination(0x400), Classes::of(Class::Color));
        assert_eq!(destination(0x80).0 & Classes::VERTEX_SLOT.0, 0, "fragments alone");
        assert_eq!(destination(0x8), Classes(Classes::GRAPHICS.0 & !1));
        assert_eq!(source(0x8), Classes(0b11));
        assert_eq!(destination(0x800), Classes::of(Class::Compute));
        assert!(destination(0x2).contains(Class::Compute), "indirect dispatches");
        let held = |mask| Reading::EACH.map(|reading| reading.destination(mask).contains(Class::Compute));
        assert_eq!(held(DRAW_INDIRECT), [true, true, false]);
        assert_eq!(held(ALL_GRAPHICS), [true, false, false]);
        assert_eq!(held(0x800), [true; 3], "COMPUTE_SHADER itself");
        assert_eq!(Reading::EACH.map(|reading| reading.source(0x800).contains(Class::Indirect)), [true, true, false]);
    }

    #[test]
    fn accesses_are_those_of_the_named_stages_alone() {
        assert_eq!((accessing(TOP), accessing(BOTTOM), accessing(HOST)), (0, 0, 0));
        assert_eq!(accessing(0x8), 0x8, "VERTEX_SHADER has no fragments after it");
        assert_eq!(accessing(0x1000), 0xf_0000_1000, "TRANSFER is COPY, RESOLVE, BLIT and CLEAR");
        assert_eq!(accessing(0xf_0000_0000), 0xf_0000_1000, "and the other way around");
        assert_eq!(accessing(0x1_0000_0000), 0x1_0000_0000, "COPY alone is no TRANSFER");
        assert_eq!(accessing(ALL_COMMANDS) & (0x400 | 0x1000 | 0x20_0000 | HOST), 0x400 | 0x1000 | 0x20_0000);
        assert_eq!(accessing(ALL_GRAPHICS) & (0x400 | 0x800 | 0x1000), 0x400);
        assert_eq!(accessing(0x40_0000_0000) & (0x8 | 0x10_0000), 0x8 | 0x10_0000, "PRE_RASTERIZATION_SHADERS");
    }

    #[test]
    fn a_stage_that_nobody_knows_is_all_of_them() {
        assert_eq!((source(1 << 60), destination(1 << 60)), (Classes::ALL, Classes::ALL));
    }
}
