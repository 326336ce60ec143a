//! What a pass does to the contents of its images, beyond plain loads and stores.

use tbdr_model::format::by_name;
use tbdr_model::frame::{
    Aspects, Attachment, AttachmentUse, Barrier, FrameStructure, Image, ImageBarrier, ImageRef, Layout, LoadOp, Op,
    Pass, ShadingRateUse, StoreOp, Submission, Subpass, SubresourceRange,
};
use tbdr_model::graph::{Access, Event, Reader, Rect, accesses};
use tbdr_model::units::{Extent2D, Extent3D, Rect2D};

const COLOR: SubresourceRange =
    SubresourceRange { aspects: Aspects::COLOR, base_mip: 0, mips: 1, base_layer: 0, layers: 1 };

fn image(format: &str) -> Image {
    Image {
        format: by_name(format).expect("a format of the table").format,
        dimension: 1,
        extent: Extent3D { width: 64, height: 64, depth: 1 },
        mips: 1,
        layers: 1,
        samples: 1,
        usage: 0x10,
        ..Image::default()
    }
}

fn attachment(number: u32, load: LoadOp, store: StoreOp) -> Attachment {
    let format = by_name("R8G8B8A8_UNORM").expect("a format of the table").format;
    Attachment {
        image: Some(ImageRef(number)),
        range: COLOR,
        format,
        samples: 1,
        load,
        store,
        initial_layout: Layout(1),
        final_layout: Layout(1),
        ..Attachment::default()
    }
}

fn using(attachment: u32) -> Option<AttachmentUse> {
    Some(AttachmentUse { attachment, ..AttachmentUse::default() })
}

fn pass(attachments: Vec<Attachment>, subpass: Subpass) -> Pass {
    let extent = Extent2D::new(64, 64);
    let render_area = Rect2D { extent, ..Rect2D::default() };
    Pass { extent, render_area, layers: 1, attachments, subpasses: vec![subpass], ..Pass::default() }
}

fn found(images: Vec<Image>, op: Op) -> Vec<Access> {
    let submissions = vec![Submission { ops: vec![op], ..Submission::default() }];
    accesses(&FrameStructure { images, submissions, ..FrameStructure::default() }).list
}

fn events(images: Vec<Image>, pass: Pass) -> Vec<(u32, Event)> {
    found(images, Op::Pass(pass)).iter().map(|access| (access.image.0, access.event)).collect()
}

#[test]
fn maps_that_steer_shading_are_read_by_the_pass() {
    let rate = Some(ShadingRateUse { attachment: 2, texel: Extent2D::new(16, 16), ..ShadingRateUse::default() });
    let subpass = Subpass { color: vec![using(0)], shading_rate: rate, drawn: true, ..Subpass::default() };
    let attachments = (0..3).map(|n| attachment(n, LoadOp::DontCare, StoreOp::DontCare)).collect();
    let pass = Pass { density_map: using(1), ..pass(attachments, subpass) };
    let found = events(["R8G8B8A8_UNORM", "R8G8_UNORM", "R8_UINT"].map(image).into(), pass);
    for map in [1, 2] {
        let of_map: Vec<_> = found.iter().filter(|(image, _)| *image == map).collect();
        // Whatever operations the attachment has: nobody writes a map.
        assert_eq!(of_map, [&(map, Event::Read(Reader::Pass(0)))]);
    }
}

#[test]
fn contents_are_kept_by_store_none_unless_something_was_written() {
    let events = |load, drawn| {
        let subpass = Subpass { color: vec![using(0)], drawn, ..Subpass::default() };
        events(vec![image("R8G8B8A8_UNORM")], pass(vec![attachment(0, load, StoreOp::None)], subpass))
    };
    assert_eq!(events(LoadOp::None, false), []);
    assert_eq!(events(LoadOp::None, true), [(0, Event::Touch)], "a draw may discard every fragment");
    assert_eq!(events(LoadOp::Clear, false), [(0, Event::Overwrite), (0, Event::DontCare)]);
}

#[test]
fn rendering_to_one_plane_proves_nothing_of_the_others() {
    let subpass = Subpass { color: vec![using(0)], drawn: true, ..Subpass::default() };
    let found = events(
        vec![image("G8_B8R8_2PLANE_420_UNORM")],
        pass(vec![attachment(0, LoadOp::Clear, StoreOp::Store)], subpass),
    );
    assert_eq!(found, [(0, Event::Read(Reader::Pass(0))), (0, Event::Touch)]);
}

#[test]
fn views_with_areas_of_their_own_prove_nothing_of_the_area_around_them() {
    let subpass = Subpass { color: vec![using(0)], view_mask: 0b11, drawn: true, ..Subpass::default() };
    let mut pass = pass(vec![attachment(0, LoadOp::Clear, StoreOp::Store)], subpass);
    pass.attachments[0].range.layers = 2;
    pass.view_areas = vec![Rect2D::default(), pass.render_area];
    let image = Image { layers: 2, ..image("R8G8B8A8_UNORM") };
    assert_eq!(events(vec![image], pass), [(0, Event::Read(Reader::Pass(0))), (0, Event::Touch)]);
}

#[test]
fn a_transition_of_slices_loses_those_slices_only() {
    let transition = |flags, range| {
        let mut volume = Image { dimension: 2, flags, ..image("R8G8B8A8_UNORM") };
        volume.extent.depth = 8;
        let lost = ImageBarrier { image: Some(ImageRef(0)), range, new_layout: Layout(1), ..ImageBarrier::default() };
        let barrier = Barrier { images: vec![lost], ..Barrier::default() };
        let found = found(vec![volume], Op::Barrier(barrier));
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].event, found[0].range.base_layer, found[0].range.layers), (Event::Transition, 0, 1));
        found[0].rect
    };
    let slices = SubresourceRange { base_layer: 2, layers: 3, ..COLOR };
    let rect = transition(0x20, slices);
    assert_eq!((rect.from[2], rect.to[2]), (2, 5));
    // A volume that has no slices to view is lost as a whole.
    assert_eq!(transition(0, COLOR), Rect::ALL);
}
