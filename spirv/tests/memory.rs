//! Whether shaders write memory beside that of images, as compilers write them (`shaders/buffers.comp`) and as only hands do.
#![allow(clippy::unwrap_used)]

use spirv::{Capability, ExecutionModel, Op, StorageClass};
use tilelens_spirv::Module;
use tilelens_spirv::assembler::Assembler;

macro_rules! keeps_memory {
    ($name:literal) => {{
        let bytes = include_bytes!(concat!("shaders/", $name, ".spv"));
        let words: Vec<u32> = bytes.chunks_exact(4).map(|w| u32::from_le_bytes(w.try_into().unwrap())).collect();
        let main = Module::scan(&words).entry_point(ExecutionModel::GLCompute, "main").unwrap().clone();
        assert!(main.known);
        main.keeps_memory
    }};
}

#[test]
fn a_shader_that_only_reads_its_storage_buffers_keeps_memory_though_nothing_says_that_they_are_read_only() {
    assert!(
        keeps_memory!("buffers.0.comp"),
        "loads, lengths, atomic loads, references, texel buffers, functions that nobody calls"
    );
    assert!(keeps_memory!("buffers.old.0.comp"), "as before SPIR-V 1.3");
}

#[test]
fn a_store_an_atomic_a_result_by_pointer_or_a_texel_written_to_a_buffer_changes_memory() {
    assert!(!keeps_memory!("buffers.1.comp"), "a store");
    assert!(!keeps_memory!("buffers.2.comp"), "an atomic");
    assert!(!keeps_memory!("buffers.3.comp"), "a store to one of several buffers");
    assert!(!keeps_memory!("buffers.4.comp"), "a parameter that is given back");
    assert!(!keeps_memory!("buffers.5.comp"), "the second result of modf");
    assert!(!keeps_memory!("buffers.6.comp"), "a store through a reference");
    assert!(!keeps_memory!("buffers.7.comp"), "a texel buffer");
    assert!(!keeps_memory!("buffers.8.comp"), "an atomic on a texel buffer");
    assert!(!keeps_memory!("buffers.old.3.comp"), "a store as before SPIR-V 1.3");
}

/// A module of one entry point `main`, with pointers to floats.
struct Pointers {
    module: Assembler,
    main: u32,
}

/// OpTypeFloat of every module that the assembler writes.
const FLOAT: u32 = 2;

impl Pointers {
    fn new() -> Self {
        let mut module = Assembler::new();
        let main = module.function();
        module.entry(ExecutionModel::GLCompute, "main", main);
        Self { module, main }
    }

    /// A pointer type.
    fn pointer(&mut self, class: StorageClass) -> u32 {
        self.numbered(class as u32)
    }

    fn numbered(&mut self, class: u32) -> u32 {
        let id = self.module.id();
        self.module.declare(Op::TypePointer, &[id, class, FLOAT]);
        id
    }

    /// A variable of a pointer type.
    fn variable(&mut self, pointer: u32, class: u32) -> u32 {
        let id = self.module.id();
        self.module.declare(Op::Variable, &[pointer, id, class]);
        id
    }

    /// An instruction of `main` with a result.
    fn result(&mut self, op: Op, kind: u32, operands: &[u32]) -> u32 {
        let id = self.module.id();
        self.module.raw(self.main, op as u32, &[&[kind, id], operands].concat());
        id
    }

    /// An instruction of `main` without one.
    fn put(&mut self, op: Op, operands: &[u32]) {
        self.module.raw(self.main, op as u32, operands);
    }

    fn keeps_memory(self) -> bool {
        Module::scan(&self.module.finish()).entry_point(ExecutionModel::GLCompute, "main").unwrap().keeps_memory
    }
}

#[test]
fn a_store_is_to_memory_unless_its_pointer_leads_to_what_is_of_the_invocation_or_its_workgroup() {
    let stores = |class: u32| {
        let mut shader = Pointers::new();
        let kind = shader.numbered(class);
        let variable = shader.variable(kind, class);
        shader.put(Op::Store, &[variable, 50]);
        !shader.keeps_memory()
    };
    use StorageClass as S;
    for class in [S::Output, S::Workgroup, S::Private, S::Function, S::TaskPayloadWorkgroupEXT, S::RayPayloadKHR] {
        assert!(!stores(class as u32), "{class:?}");
    }
    // Uniform: only what is decorated BufferBlock may be written at all.
    for class in
        [S::StorageBuffer, S::Uniform, S::PhysicalStorageBuffer, S::CrossWorkgroup, S::Generic, S::NodePayloadAMDX]
    {
        assert!(stores(class as u32), "{class:?}");
    }
    assert!(stores(60_000), "a class that nobody knows");
}

#[test]
fn a_pointer_leads_to_memory_whatever_it_was_derived_from() {
    let derived = |op: Op, operands: &[u32]| {
        let stores = |store: bool| {
            let mut shader = Pointers::new();
            let kind = shader.pointer(StorageClass::StorageBuffer);
            let variable = shader.variable(kind, StorageClass::StorageBuffer as u32);
            // Operand 0 stands for the variable.
            let operands: Vec<u32> = operands.iter().map(|id| if *id == 0 { variable } else { *id }).collect();
            let pointer = shader.result(op, kind, &operands);
            let value = shader.result(Op::Load, FLOAT, &[pointer]);
            if store {
                shader.put(Op::Store, &[pointer, value]);
            }
            !shader.keeps_memory()
        };
        assert!(!stores(false) && stores(true), "{op:?}");
    };
    derived(Op::AccessChain, &[0, 50]);
    derived(Op::InBoundsAccessChain, &[0, 50]);
    derived(Op::PtrAccessChain, &[0, 50, 51]);
    derived(Op::InBoundsPtrAccessChain, &[0, 50, 51]);
    derived(Op::UntypedAccessChainKHR, &[FLOAT, 0, 50]);
    derived(Op::RawAccessChainNV, &[0, 50, 51, 52]);
    derived(Op::CopyObject, &[0]);
    derived(Op::Select, &[50, 0, 51]);
    derived(Op::Phi, &[0, 50, 51, 52]);
    // A pointer out of a variable, of a number, of a pointer of another kind.
    derived(Op::Load, &[50]);
    derived(Op::ConvertUToPtr, &[50]);
    derived(Op::Bitcast, &[50]);
    derived(Op::FunctionParameter, &[]);
}

#[test]
fn untyped_pointers_lead_where_their_class_says() {
    for (class, written) in [(StorageClass::StorageBuffer, true), (StorageClass::Workgroup, false)] {
        let mut shader = Pointers::new();
        let kind = shader.module.id();
        shader.module.declare(Op::TypeUntypedPointerKHR, &[kind, class as u32]);
        let variable = shader.module.id();
        shader.module.declare(Op::UntypedVariableKHR, &[kind, variable, class as u32, FLOAT]);
        let pointer = shader.result(Op::UntypedAccessChainKHR, kind, &[FLOAT, variable, 50]);
        shader.put(Op::Store, &[pointer, 51]);
        assert_eq!(!shader.keeps_memory(), written, "{class:?}");
    }
}

#[test]
fn copies_and_matrices_are_loaded_from_what_they_name_second_and_stored_to_what_they_name_first() {
    let both = |op: Op, written: bool, operands: &dyn Fn(u32, u32) -> Vec<u32>| {
        let mut shader = Pointers::new();
        let (kind, own) = (shader.pointer(StorageClass::StorageBuffer), shader.pointer(StorageClass::Private));
        let memory = shader.variable(kind, StorageClass::StorageBuffer as u32);
        let private = shader.variable(own, StorageClass::Private as u32);
        shader.put(op, &operands(memory, private));
        assert_eq!(!shader.keeps_memory(), written, "{op:?}");
    };
    both(Op::CopyMemory, false, &|memory, private| vec![private, memory]);
    both(Op::CopyMemory, true, &|memory, private| vec![memory, private]);
    both(Op::CopyMemorySized, false, &|memory, private| vec![private, memory, 50]);
    both(Op::CopyMemorySized, true, &|memory, private| vec![memory, private, 50]);
    both(Op::CooperativeMatrixLoadKHR, false, &|memory, _| vec![50, 51, memory, 52]);
    both(Op::CooperativeMatrixStoreKHR, true, &|memory, _| vec![memory, 50, 51]);
    both(Op::CooperativeMatrixStoreKHR, false, &|_, private| vec![private, 50, 51]);
    both(Op::AtomicLoad, false, &|memory, _| vec![50, 51, memory, 52, 53]);
    both(Op::AtomicExchange, true, &|memory, _| vec![50, 51, memory, 52, 53, 54]);
    both(Op::AtomicExchange, false, &|_, private| vec![50, 51, private, 52, 53, 54]);
    both(Op::AtomicFAddEXT, true, &|memory, _| vec![50, 51, memory, 52, 53, 54]);
    both(Op::AtomicStore, true, &|memory, _| vec![memory, 50, 51, 52]);
}

#[test]
fn what_is_not_known_to_keep_memory_may_write_it() {
    let alone = |change: &dyn Fn(&mut Pointers)| {
        let mut shader = Pointers::new();
        change(&mut shader);
        shader.keeps_memory()
    };
    assert!(alone(&|_| ()));
    assert!(alone(&|shader| shader.put(Op::ControlBarrier, &[50, 51, 52])));
    assert!(!alone(&|shader| shader.put(Op::Store, &[50, 51])), "a pointer that nothing defines");
    assert!(!alone(&|shader| shader.put(Op::TensorWriteARM, &[50, 51, 52])), "a tensor, which no pointer leads to");
    assert!(!alone(&|shader| shader.put(Op::CooperativeVectorReduceSumAccumulateNV, &[50, 51, 52])), "sums in memory");
    assert!(!alone(&|shader| shader.module.raw(shader.main, 60_000, &[1])), "an instruction of a later version");
    assert!(!alone(&|shader| shader.put(Op::FunctionCall, &[1, 50, 12_345])), "a function that is not there");
    assert!(!alone(&|shader| shader.put(Op::ExtInst, &[FLOAT, 50, 51, 1])), "instructions that nobody imported");
    assert!(!alone(&|shader| shader.module.capability(Capability::TransformFeedback)));
    assert!(!alone(&|shader| shader.module.capability(Capability::DescriptorHeapEXT)));
    assert!(Module::scan(&[]).entry_points.is_empty(), "no SPIR-V keeps nothing");
}

#[test]
fn an_entry_point_writes_what_its_own_calls_reach() {
    let mut module = Assembler::new();
    let buffer = module.buffer(0, 0);
    let (writer, reader, callee) = (module.function(), module.function(), module.function());
    module.call(writer, callee);
    module.store_word(callee, buffer);
    module.load_word(reader, buffer);
    module.entry(ExecutionModel::Vertex, "writer", writer);
    module.entry(ExecutionModel::Vertex, "reader", reader);
    let module = Module::scan(&module.finish());
    let keeps = |name| module.entry_point(ExecutionModel::Vertex, name).unwrap().keeps_memory;
    assert!(keeps("reader") && !keeps("writer"));
}
