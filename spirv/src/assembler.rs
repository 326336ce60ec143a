//! Writes small modules word by word, for tests: those that no compiler makes, and those that a test makes up.

use crate::{Element, Use};
use spirv::{Capability, Decoration, ExecutionModel, Op, StorageClass};
use tbdr_model::frame::AccessKind;

/// OpImageFetch.
pub const READ_SAMPLED: u32 = Op::ImageFetch as u32;

/// An id that nothing defines.
const NOWHERE: u32 = 99;

/// A module in the making. Sections are kept apart until the end.
pub struct Assembler {
    next: u32,
    before: Vec<u32>,
    decorations: Vec<u32>,
    declarations: Vec<u32>,
    functions: Vec<(u32, Vec<u32>)>,
    sampled: Image,
    storage: Image,
    void: u32,
    integer: u32,
}

/// Ids of an image's type and of a pointer to it.
#[derive(Clone, Copy)]
struct Image {
    image: u32,
    pointer: u32,
}

fn put(to: &mut Vec<u32>, op: u32, operands: &[u32]) {
    to.push(((operands.len() as u32 + 1) << 16) | op);
    to.extend(operands);
}

impl Default for Assembler {
    fn default() -> Self {
        Self::new()
    }
}

impl Assembler {
    /// A module without anything.
    pub fn new() -> Self {
        let (void, float, integer) = (1, 2, 3);
        let mut declarations = Vec::new();
        put(&mut declarations, Op::TypeVoid as u32, &[void]);
        put(&mut declarations, Op::TypeFloat as u32, &[float, 32]);
        put(&mut declarations, Op::TypeInt as u32, &[integer, 32, 0]);
        let mut image = |image, kind| {
            let pointer = image + 1;
            put(&mut declarations, Op::TypeImage as u32, &[image, float, 1, 0, 0, 0, kind, 0]);
            put(&mut declarations, Op::TypePointer as u32, &[pointer, StorageClass::UniformConstant as u32, image]);
            Image { image, pointer }
        };
        let (sampled, storage) = (image(4, 1), image(6, 2));
        let (before, decorations, functions) = (Vec::new(), Vec::new(), Vec::new());
        Self { next: 100, before, decorations, declarations, functions, sampled, storage, void, integer }
    }

    /// A module whose entry point `main` uses these bindings and nothing else. Arrays have 64 elements.
    pub fn using(model: ExecutionModel, uses: &[Use]) -> Vec<u32> {
        let mut module = Self::new();
        let main = module.function();
        for used in uses {
            let image = if used.kind == AccessKind::Sampled { module.sampled } else { module.storage };
            let variable = match used.element {
                Element::One(0) => module.variable(image.pointer),
                _ => module.array(image),
            };
            module.place(variable, used.set, used.binding);
            let index = match used.element {
                Element::One(0) => None,
                Element::One(index) => Some(module.constant(index)),
                Element::Specialized { id, default } => Some(module.specialized(id, default)),
                Element::Any => Some(NOWHERE),
            };
            let pointer = match index {
                Some(index) => {
                    let pointer = module.id();
                    module.raw(main, Op::AccessChain as u32, &[image.pointer, pointer, variable, index]);
                    pointer
                }
                None => variable,
            };
            let handle = module.load(main, image, pointer);
            match used.kind {
                AccessKind::Sampled => module.sample(main, handle),
                AccessKind::StorageRead | AccessKind::Read => module.load_texel(main, handle),
                AccessKind::StorageWrite | AccessKind::Write => module.store_texel(main, handle),
                AccessKind::StorageReadWrite => {
                    module.load_texel(main, handle);
                    module.store_texel(main, handle);
                }
            }
        }
        module.entry(model, "main", main);
        module.finish()
    }

    fn array(&mut self, of: Image) -> u32 {
        let (length, array, pointer) = (self.constant(64), self.id(), self.id());
        put(&mut self.declarations, Op::TypeArray as u32, &[array, of.image, length]);
        put(&mut self.declarations, Op::TypePointer as u32, &[pointer, StorageClass::UniformConstant as u32, array]);
        self.variable(pointer)
    }

    fn constant(&mut self, value: u32) -> u32 {
        let id = self.id();
        put(&mut self.declarations, Op::Constant as u32, &[self.integer, id, value]);
        id
    }

    fn specialized(&mut self, spec: u32, default: u32) -> u32 {
        let id = self.id();
        put(&mut self.decorations, Op::Decorate as u32, &[id, Decoration::SpecId as u32, spec]);
        put(&mut self.declarations, Op::SpecConstant as u32, &[self.integer, id, default]);
        id
    }

    fn variable(&mut self, pointer: u32) -> u32 {
        let id = self.id();
        put(&mut self.declarations, Op::Variable as u32, &[pointer, id, StorageClass::UniformConstant as u32]);
        id
    }

    fn load_texel(&mut self, function: u32, handle: u32) {
        let id = self.id();
        self.raw(function, Op::ImageRead as u32, &[2, id, handle, 0]);
    }

    fn store_texel(&mut self, function: u32, handle: u32) {
        self.raw(function, Op::ImageWrite as u32, &[handle, 0, 0]);
    }

    /// An id that nothing has yet.
    pub fn id(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    /// Declares a capability.
    pub fn capability(&mut self, capability: Capability) {
        put(&mut self.before, Op::Capability as u32, &[capability as u32]);
    }

    /// Declares an entry point.
    pub fn entry(&mut self, model: ExecutionModel, name: &str, function: u32) {
        let mut operands = vec![model as u32, function];
        let mut bytes = name.as_bytes().to_vec();
        bytes.push(0);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        operands.extend(bytes.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])));
        put(&mut self.before, Op::EntryPoint as u32, &operands);
    }

    /// A sampled image without set and binding.
    pub fn unplaced_texture(&mut self) -> u32 {
        self.variable(self.sampled.pointer)
    }

    /// A sampled image.
    pub fn texture(&mut self, set: u32, binding: u32) -> u32 {
        let id = self.unplaced_texture();
        self.place(id, set, binding);
        id
    }

    /// A sampled image that is decorated by a group.
    pub fn grouped_texture(&mut self, set: u32, binding: u32) -> u32 {
        let (group, id) = (self.id(), self.unplaced_texture());
        self.place(group, set, binding);
        put(&mut self.decorations, Op::DecorationGroup as u32, &[group]);
        put(&mut self.decorations, Op::GroupDecorate as u32, &[group, id]);
        id
    }

    /// A storage buffer that is not declared to be read only.
    pub fn buffer(&mut self, set: u32, binding: u32) -> u32 {
        let (kind, id) = (self.id(), self.id());
        let class = StorageClass::StorageBuffer as u32;
        put(&mut self.declarations, Op::TypePointer as u32, &[kind, class, self.integer]);
        put(&mut self.declarations, Op::Variable as u32, &[kind, id, class]);
        self.place(id, set, binding);
        id
    }

    /// Loads from a buffer.
    pub fn load_word(&mut self, function: u32, buffer: u32) {
        let id = self.id();
        self.raw(function, Op::Load as u32, &[self.integer, id, buffer]);
    }

    /// Stores to a buffer.
    pub fn store_word(&mut self, function: u32, buffer: u32) {
        self.raw(function, Op::Store as u32, &[buffer, NOWHERE]);
    }

    fn place(&mut self, id: u32, set: u32, binding: u32) {
        put(&mut self.decorations, Op::Decorate as u32, &[id, Decoration::DescriptorSet as u32, set]);
        put(&mut self.decorations, Op::Decorate as u32, &[id, Decoration::Binding as u32, binding]);
    }

    /// A function.
    pub fn function(&mut self) -> u32 {
        let id = self.id();
        self.functions.push((id, Vec::new()));
        id
    }

    /// Any declaration outside functions.
    pub fn declare(&mut self, op: Op, operands: &[u32]) {
        put(&mut self.declarations, op as u32, operands);
    }

    /// Any instruction in a function.
    pub fn raw(&mut self, function: u32, op: u32, operands: &[u32]) {
        if let Some((_, body)) = self.functions.iter_mut().find(|f| f.0 == function) {
            put(body, op, operands);
        }
    }

    fn load(&mut self, function: u32, image: Image, pointer: u32) -> u32 {
        let handle = self.id();
        self.raw(function, Op::Load as u32, &[image.image, handle, pointer]);
        handle
    }

    /// Fetches from a handle.
    pub fn sample(&mut self, function: u32, handle: u32) {
        let id = self.id();
        self.raw(function, READ_SAMPLED, &[2, id, handle, 0]);
    }

    /// Loads a sampled image and fetches from it.
    pub fn read(&mut self, function: u32, variable: u32) {
        let handle = self.load(function, self.sampled, variable);
        self.sample(function, handle);
    }

    /// A handle that is one of two.
    pub fn select(&mut self, function: u32, left: u32, right: u32) -> u32 {
        let (left, right) = (self.load(function, self.sampled, left), self.load(function, self.sampled, right));
        let id = self.id();
        self.raw(function, Op::Select as u32, &[self.sampled.image, id, 0, left, right]);
        id
    }

    /// Stores a handle somewhere.
    pub fn store(&mut self, function: u32, variable: u32) {
        let handle = self.load(function, self.sampled, variable);
        self.raw(function, Op::Store as u32, &[NOWHERE, handle]);
    }

    /// A handle made from a number.
    pub fn convert(&mut self, function: u32) {
        let id = self.id();
        self.raw(function, Op::ConvertUToImageNV as u32, &[self.sampled.image, id, NOWHERE]);
    }

    /// Calls a function.
    pub fn call(&mut self, function: u32, callee: u32) {
        let id = self.id();
        self.raw(function, Op::FunctionCall as u32, &[self.void, id, callee]);
    }

    /// The words of the module.
    pub fn finish(self) -> Vec<u32> {
        let mut words = vec![0x0723_0203, 0x0001_0600, 0, self.next + 1, 0];
        for section in [self.before, self.decorations, self.declarations] {
            words.extend(section);
        }
        for (id, body) in self.functions {
            put(&mut words, Op::Function as u32, &[self.void, id, 0, 98]);
            words.extend(body);
            put(&mut words, Op::Return as u32, &[]);
            put(&mut words, Op::FunctionEnd as u32, &[]);
        }
        words
    }
}
