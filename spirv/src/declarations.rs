//! What a module declares outside its functions: entry points, types of images, variables with their bindings, constants; and where
//! its functions begin.

use crate::Element;
use crate::memory::is_memory;
use crate::words::{Instruction, Instructions};
use spirv::{Decoration, Dim, Op};
use std::collections::{BTreeMap, HashMap, HashSet};

/// What an image is to a shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Sampled or fetched.
    Sampled,
    /// A storage image.
    Storage,
    /// An input attachment, or a texel buffer that is read: no image that a descriptor reaches.
    Neither,
    /// A texel buffer that shaders may write: no image either, but memory that others see.
    Texels,
    /// A type that holds images among other things: it is not followed.
    Mixed,
}

/// A type, as far as images go.
#[derive(Clone, Copy, Debug)]
enum Type {
    Image(Class),
    Array(u32),
    /// What it points to, and whether that is in memory that others see.
    Pointer(u32, bool),
}

/// A variable that holds images.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Set and binding, if it has both.
    pub place: Option<(u32, u32)>,
    /// What its images are.
    pub class: Class,
    /// Whether it is an array.
    pub arrayed: bool,
    /// NonReadable.
    pub write_only: bool,
    /// NonWritable.
    pub read_only: bool,
}

/// An OpEntryPoint.
pub struct Entry {
    /// SpvExecutionModel.
    pub model: u32,
    /// Its name.
    pub name: String,
    /// Its function.
    pub function: u32,
}

/// Where a function stands, and its parameters.
#[derive(Clone, Debug, Default)]
pub struct Function {
    /// Place of its OpFunction.
    pub at: usize,
    /// Ids of its parameters.
    pub parameters: Vec<u32>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Decorations {
    set: Option<u32>,
    binding: Option<u32>,
    spec: Option<u32>,
    write_only: bool,
    read_only: bool,
}

/// The declarations of a module.
pub struct Declarations<'a> {
    /// The module.
    pub words: &'a [u32],
    /// Whether the module is not one as the specification has it, or declares what reaches images without bindings.
    pub opaque: bool,
    /// Whether the module declares SampleRateShading.
    pub sample_shading: bool,
    /// Whether a declaration is enough for memory beside that of images to be written: transform feedback, and what nobody knows.
    pub captures: bool,
    /// Entry points, in order.
    pub entry_points: Vec<Entry>,
    /// Functions by id.
    pub functions: HashMap<u32, Function>,
    /// Variables that hold images, by id.
    pub variables: BTreeMap<u32, Variable>,
    types: HashMap<u32, Type>,
    constants: HashMap<u32, Element>,
    decorations: HashMap<u32, Decorations>,
    /// Pointers by id, and whether they lead to memory that others see.
    pointers: HashMap<u32, bool>,
    /// Extended instruction sets that say nothing of what a shader does.
    silent_sets: HashSet<u32>,
    /// Extended instruction sets that compute, and write through pointers alone.
    arithmetic_sets: HashSet<u32>,
}

impl<'a> Declarations<'a> {
    /// Reads the declarations; `None` for what is no SPIR-V.
    pub fn read(words: &'a [u32]) -> Option<Self> {
        let mut instructions = Instructions::of(words)?;
        let mut read = Self {
            words,
            opaque: false,
            sample_shading: false,
            captures: false,
            entry_points: Vec::new(),
            functions: HashMap::new(),
            variables: BTreeMap::new(),
            types: HashMap::new(),
            constants: HashMap::new(),
            decorations: HashMap::new(),
            pointers: HashMap::new(),
            silent_sets: HashSet::new(),
            arithmetic_sets: HashSet::new(),
        };
        let mut inside = None;
        for instruction in instructions.by_ref() {
            match Op::from_u32(instruction.op) {
                Some(Op::Function) => {
                    let id = instruction.word(2);
                    read.functions.insert(id, Function { at: instruction.at, parameters: Vec::new() });
                    inside = Some(id);
                }
                Some(Op::FunctionParameter) => {
                    if let Some(function) = inside.and_then(|id| read.functions.get_mut(&id)) {
                        function.parameters.push(instruction.word(2));
                    }
                    read.pointer(&instruction);
                }
                Some(Op::FunctionEnd) => inside = None,
                Some(op) if inside.is_none() => read.declaration(op, &instruction),
                Some(_) => read.pointer(&instruction),
                // In a function it is met when that is walked.
                None => read.captures |= inside.is_none(),
            }
        }
        read.opaque |= instructions.broken;
        Some(read)
    }

    fn declaration(&mut self, op: Op, it: &Instruction<'_>) {
        let id = it.word(1);
        match op {
            // Handles made from numbers, and heaps that are indexed: there is nothing to look up.
            Op::Capability => {
                self.opaque |= [spirv::Capability::BindlessTextureNV, spirv::Capability::DescriptorHeapEXT]
                    .iter()
                    .any(|c| *c as u32 == id);
                self.sample_shading |= spirv::Capability::SampleRateShading as u32 == id;
                self.captures |= spirv::Capability::TransformFeedback as u32 == id;
            }
            Op::ExtInstImport => {
                let (name, _) = it.string(2);
                if name.starts_with("NonSemantic.") || name.contains("DebugInfo") {
                    self.silent_sets.insert(id);
                } else if name == "GLSL.std.450" || name.starts_with("SPV_AMD_") {
                    self.arithmetic_sets.insert(id);
                }
            }
            Op::EntryPoint => {
                let (name, _) = it.string(3);
                self.entry_points.push(Entry { model: id, name, function: it.word(2) });
            }
            Op::Decorate => self.decorate(id, it),
            Op::GroupDecorate => {
                let group = self.decorations.get(&id).copied().unwrap_or_default();
                for target in it.rest(2) {
                    self.decorations.entry(*target).or_default().take(group);
                }
            }
            Op::TypeImage => drop(self.types.insert(id, Type::Image(image(it.word(3), it.word(7))))),
            Op::TypeSampledImage => {
                let class = self.class(it.word(2)).unwrap_or(Class::Mixed);
                self.types.insert(id, Type::Image(class));
            }
            Op::TypeArray | Op::TypeRuntimeArray => {
                let inner = it.word(2);
                match self.types.get(&inner) {
                    Some(Type::Image(_)) => drop(self.types.insert(id, Type::Array(inner))),
                    Some(Type::Array(_)) => drop(self.types.insert(id, Type::Image(Class::Mixed))),
                    _ => {}
                }
            }
            Op::TypeStruct if it.rest(2).iter().any(|member| self.is_of_images(*member)) => {
                self.types.insert(id, Type::Image(Class::Mixed));
            }
            // An untyped one has no pointee: word 3, which is not there, is no id.
            Op::TypePointer | Op::TypeUntypedPointerKHR => {
                self.types.insert(id, Type::Pointer(it.word(3), is_memory(it.word(2))));
            }
            Op::Constant => drop(self.constants.insert(it.word(2), Element::One(it.word(3)))),
            Op::ConstantNull => {
                self.constants.insert(it.word(2), Element::One(0));
                self.pointer(it);
            }
            Op::Undef | Op::SpecConstantOp | Op::UntypedVariableKHR => self.pointer(it),
            Op::SpecConstant => {
                let (id, default) = (it.word(2), it.word(3));
                let spec = self.decorations.get(&id).and_then(|d| d.spec);
                let element = spec.map_or(Element::One(default), |id| Element::Specialized { id, default });
                self.constants.insert(id, element);
            }
            Op::Variable => {
                self.pointer(it);
                self.variable(it);
            }
            _ => {}
        }
    }

    fn decorate(&mut self, id: u32, it: &Instruction<'_>) {
        let decorations = self.decorations.entry(id).or_default();
        match Decoration::from_u32(it.word(2)) {
            Some(Decoration::DescriptorSet) => decorations.set = Some(it.word(3)),
            Some(Decoration::Binding) => decorations.binding = Some(it.word(3)),
            Some(Decoration::SpecId) => decorations.spec = Some(it.word(3)),
            Some(Decoration::NonReadable) => decorations.write_only = true,
            Some(Decoration::NonWritable) => decorations.read_only = true,
            _ => {}
        }
    }

    /// Remembers the result of an instruction if it is a pointer. Of one that is defined twice, as nobody may, the worse is kept.
    fn pointer(&mut self, it: &Instruction<'_>) {
        if let Some(Type::Pointer(_, memory)) = self.types.get(&it.word(1)) {
            *self.pointers.entry(it.word(2)).or_default() |= memory;
        }
    }

    fn variable(&mut self, it: &Instruction<'_>) {
        let Some(Type::Pointer(pointee, _)) = self.types.get(&it.word(1)) else { return };
        let (class, arrayed) = match self.types.get(pointee) {
            Some(Type::Image(class)) => (*class, false),
            Some(Type::Array(inner)) => (self.class(*inner).unwrap_or(Class::Mixed), true),
            _ => return,
        };
        let decorations = self.decorations.get(&it.word(2)).copied().unwrap_or_default();
        let Decorations { set, binding, write_only, read_only, .. } = decorations;
        self.variables.insert(it.word(2), Variable { place: set.zip(binding), class, arrayed, write_only, read_only });
    }

    /// What the images of a type are, if values of it are handles of images.
    pub fn class(&self, type_id: u32) -> Option<Class> {
        match self.types.get(&type_id) {
            Some(Type::Image(class)) => Some(*class),
            _ => None,
        }
    }

    /// Whether a type is an image or an array of images.
    fn is_of_images(&self, type_id: u32) -> bool {
        matches!(self.types.get(&type_id), Some(Type::Image(_) | Type::Array(_)))
    }

    /// Whether values of a type hold images, and are no handle of one.
    pub fn holds_images(&self, type_id: u32) -> bool {
        matches!(self.types.get(&type_id), Some(Type::Image(Class::Mixed) | Type::Array(_)))
    }

    /// The element that an index names.
    pub fn index(&self, id: u32) -> Element {
        self.constants.get(&id).copied().unwrap_or(Element::Any)
    }

    /// Whether a pointer leads to memory that others see; `None` for what is not known to be a pointer.
    pub fn leads_to_memory(&self, id: u32) -> Option<bool> {
        self.pointers.get(&id).copied()
    }

    /// Whether an extended instruction set computes, and writes nothing but what pointers lead to.
    pub fn is_arithmetic(&self, set: u32) -> bool {
        self.arithmetic_sets.contains(&set)
    }

    /// Whether an extended instruction set is there for debuggers only.
    pub fn is_silent(&self, set: u32) -> bool {
        self.silent_sets.contains(&set)
    }
}

impl Decorations {
    fn take(&mut self, other: Self) {
        self.set = other.set.or(self.set);
        self.binding = other.binding.or(self.binding);
        self.spec = other.spec.or(self.spec);
        self.write_only |= other.write_only;
        self.read_only |= other.read_only;
    }
}

/// OpTypeImage: its Dim and its Sampled.
fn image(dim: u32, sampled: u32) -> Class {
    match (Dim::from_u32(dim), sampled) {
        (Some(Dim::DimBuffer), sampled) if sampled != 1 => Class::Texels,
        (Some(Dim::DimBuffer | Dim::DimSubpassData | Dim::DimTileImageDataEXT), _) => Class::Neither,
        (Some(_), 1) => Class::Sampled,
        (Some(_), 2) => Class::Storage,
        _ => Class::Mixed,
    }
}
