//! What shaders statically use, as compilers write them (`shaders/`, made by `glslc --target-env=vulkan1.1`) and as nobody should.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use tbdr_model::frame::AccessKind::{self, Sampled, StorageRead, StorageReadWrite, StorageWrite};
use tilelens_spirv::assembler::{Assembler, READ_SAMPLED};
use tilelens_spirv::{Element, EntryPoint, ExecutionModel, Module, Use};

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|w| u32::from_le_bytes(w.try_into().unwrap())).collect()
}

macro_rules! shader {
    ($name:literal) => {
        words(include_bytes!(concat!("shaders/", $name, ".spv")))
    };
}

fn main_of(words: &[u32], model: ExecutionModel) -> EntryPoint {
    Module::scan(words).entry_point(model, "main").unwrap().clone()
}

fn used(set: u32, binding: u32, kind: AccessKind, element: Element) -> Use {
    Use { set, binding, kind, element }
}

#[test]
fn what_the_assembler_is_asked_to_use_is_what_is_found() {
    let uses = [
        used(0, 1, Sampled, Element::One(0)),
        used(0, 2, StorageRead, Element::One(5)),
        used(1, 0, StorageReadWrite, Element::Any),
        used(3, 7, Sampled, Element::Specialized { id: 4, default: 9 }),
    ];
    let main = main_of(&Assembler::using(ExecutionModel::Vertex, &uses), ExecutionModel::Vertex);
    assert_eq!((main.known, &*main.uses), (true, &uses[..]));
}

#[test]
fn an_array_is_used_by_the_element_that_the_shader_names_or_by_any() {
    let main = main_of(&shader!("arrays.frag"), ExecutionModel::Fragment);
    assert!(main.known);
    let expected = [
        used(0, 0, Sampled, Element::One(1)),
        used(0, 1, Sampled, Element::Any),
        used(0, 2, Sampled, Element::Specialized { id: 7, default: 2 }),
        used(1, 5, Sampled, Element::Any),
    ];
    assert_eq!(main.uses, expected);
}

#[test]
fn handles_are_followed_into_functions_and_what_nobody_calls_or_only_measures_reads_nothing() {
    let main = main_of(&shader!("functions.frag"), ExecutionModel::Fragment);
    assert!(main.known);
    assert_eq!(main.uses, [used(0, 0, Sampled, Element::One(0)), used(0, 1, Sampled, Element::One(1))]);
}

#[test]
fn storage_images_are_read_written_or_both_by_what_the_instructions_do() {
    let main = main_of(&shader!("storage.comp"), ExecutionModel::GLCompute);
    assert!(main.known);
    let expected = [
        used(0, 0, StorageRead, Element::One(0)),
        used(0, 1, StorageWrite, Element::One(0)),
        used(0, 2, StorageReadWrite, Element::One(0)),
        used(0, 3, StorageReadWrite, Element::One(0)),
        used(0, 5, StorageWrite, Element::One(1)),
    ];
    assert_eq!(main.uses, expected);
}

#[test]
fn input_attachments_and_texel_buffers_are_no_images_of_descriptors() {
    let main = main_of(&shader!("inputs.frag"), ExecutionModel::Fragment);
    assert_eq!((main.known, main.uses), (true, Vec::new()));
}

#[test]
fn each_entry_point_uses_what_its_own_calls_reach() {
    let mut module = Assembler::new();
    let (left, right) = (module.texture(0, 0), module.texture(0, 1));
    let (a, b) = (module.function(), module.function());
    module.read(a, left);
    module.read(b, right);
    module.entry(ExecutionModel::Fragment, "a", a);
    module.entry(ExecutionModel::Fragment, "b", b);
    let module = Module::scan(&module.finish());
    for (name, binding) in [("a", 0), ("b", 1)] {
        let entry = module.entry_point(ExecutionModel::Fragment, name).unwrap();
        assert_eq!((entry.known, &*entry.uses), (true, &[used(0, binding, Sampled, Element::One(0))][..]));
    }
    assert_eq!(module.entry_point(ExecutionModel::Vertex, "a"), None);
}

#[test]
fn a_selected_handle_may_be_either() {
    let mut module = Assembler::new();
    let (left, right) = (module.texture(2, 0), module.texture(2, 1));
    let main = module.function();
    let chosen = module.select(main, left, right);
    module.sample(main, chosen);
    module.entry(ExecutionModel::Fragment, "main", main);
    let main = main_of(&module.finish(), ExecutionModel::Fragment);
    assert!(main.known);
    assert_eq!(main.uses, [used(2, 0, Sampled, Element::One(0)), used(2, 1, Sampled, Element::One(0))]);
}

#[test]
fn decorations_may_come_in_groups() {
    let mut module = Assembler::new();
    let texture = module.grouped_texture(3, 4);
    let main = module.function();
    module.read(main, texture);
    module.entry(ExecutionModel::Fragment, "main", main);
    assert_eq!(main_of(&module.finish(), ExecutionModel::Fragment).uses, [used(3, 4, Sampled, Element::One(0))]);
}

#[test]
fn an_instruction_that_takes_a_handle_for_an_unknown_purpose_may_do_anything_with_it() {
    let mut module = Assembler::new();
    let texture = module.texture(0, 9);
    let main = module.function();
    module.store(main, texture);
    module.entry(ExecutionModel::Fragment, "main", main);
    assert_eq!(main_of(&module.finish(), ExecutionModel::Fragment).uses, [used(0, 9, Sampled, Element::One(0))]);
}

#[test]
fn a_shader_that_wants_to_run_for_each_sample_has_to_say_so() {
    for asks in [false, true] {
        let mut module = Assembler::new();
        if asks {
            module.capability(spirv::Capability::SampleRateShading);
        }
        let main = module.function();
        module.entry(ExecutionModel::Fragment, "main", main);
        assert_eq!(Module::scan(&module.finish()).sample_shading, asks);
    }
}

#[test]
fn images_that_come_from_no_binding_make_the_rest_unknown() {
    let unknown = |change: &dyn Fn(&mut Assembler, u32)| {
        let mut module = Assembler::new();
        let texture = module.texture(0, 0);
        let main = module.function();
        module.read(main, texture);
        change(&mut module, main);
        module.entry(ExecutionModel::Fragment, "main", main);
        let main = main_of(&module.finish(), ExecutionModel::Fragment);
        assert_eq!(main.uses, [used(0, 0, Sampled, Element::One(0))]);
        !main.known
    };
    assert!(!unknown(&|_, _| ()));
    assert!(unknown(&|module, _| module.capability(spirv::Capability::DescriptorHeapEXT)));
    assert!(unknown(&|module, _| module.capability(spirv::Capability::BindlessTextureNV)));
    // A handle made from a number.
    assert!(unknown(&|module, main| module.convert(main)));
    // A handle out of a variable without a binding.
    assert!(unknown(&|module, main| {
        let nowhere = module.unplaced_texture();
        module.read(main, nowhere);
    }));
    // An instruction of a later version.
    assert!(unknown(&|module, main| module.raw(main, 60_000, &[1, 2, 3])));
    // A function that is not there.
    assert!(unknown(&|module, main| module.call(main, 12_345)));
}

#[test]
fn a_recursion_and_a_module_that_is_cut_off_come_to_an_end() {
    let mut module = Assembler::new();
    let texture = module.texture(0, 0);
    let main = module.function();
    module.call(main, main);
    module.read(main, texture);
    module.entry(ExecutionModel::Fragment, "main", main);
    let whole = module.finish();
    assert_eq!(main_of(&whole, ExecutionModel::Fragment).uses.len(), 1);
    for cut in 0..whole.len() {
        assert!(!Module::scan(&whole[..cut]).entry_points.iter().any(|e| e.known), "cut at {cut}");
    }
    // A count that leads beyond the end.
    let mut broken = whole.clone();
    broken.push(0x0100_0000 | READ_SAMPLED);
    assert!(!main_of(&broken, ExecutionModel::Fragment).known);
}

#[test]
fn a_function_that_returns_everything_to_everybody_comes_to_an_end_too() {
    // Each of so many calls takes in each of so many values that are returned: without a bound that is their product, round by round.
    const MANY: u32 = 3_000;
    let mut module = Assembler::new();
    let texture = module.texture(0, 0);
    let (main, callee) = (module.function(), module.function());
    let result = module.id();
    for _ in 0..MANY {
        module.raw(main, spirv::Op::FunctionCall as u32, &[4, result, callee]);
        let value = module.id();
        module.raw(callee, spirv::Op::CopyObject as u32, &[4, value, texture]);
        module.raw(callee, spirv::Op::ReturnValue as u32, &[value]);
    }
    module.entry(ExecutionModel::Fragment, "main", main);
    let main = main_of(&module.finish(), ExecutionModel::Fragment);
    assert!(!main.known && !main.keeps_memory, "what is not walked to its end is not known");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn garbage_is_survived(garbage in prop::collection::vec(any::<u32>(), 0..400)) {
        let mut words = vec![0x0723_0203, 0x0001_0600, 0, 100, 0];
        words.extend(garbage);
        Module::scan(&words);
    }

    /// Instructions that exist, with operands that are small enough to meet each other.
    #[test]
    fn nonsense_is_survived(lines in prop::collection::vec((0u32..420, prop::collection::vec(0u32..24, 0..9)), 0..300)) {
        let mut words = vec![0x0723_0203, 0x0001_0600, 0, 100, 0];
        for (op, operands) in lines {
            words.push(((operands.len() as u32 + 1) << 16) | op);
            words.extend(operands);
        }
        Module::scan(&words);
    }

    /// What a compiler wrote, with words changed at random.
    #[test]
    fn damage_is_survived(changes in prop::collection::vec((5usize..400, any::<u32>(), any::<bool>()), 1..8)) {
        let mut words = shader!("storage.comp");
        let length = words.len();
        for (at, value, small) in changes {
            words[5 + at % (length - 5)] = if small { value % 64 } else { value };
        }
        Module::scan(&words);
    }
}
