//! What an entry point's call tree does with variables that hold images.
//!
//! Pointers and handles are followed through loads, access chains, copies, selections, calls and returns until nothing new is learned.
//! An instruction that is not known to leave a handle alone counts as one that reads and writes all of the variable. On the way each
//! instruction is asked whether it may write memory beside that of images ([`memory`](crate::memory)).

use crate::declarations::{Class, Declarations, Variable};
use crate::memory;
use crate::origins::Origins;
use crate::words::{Instruction, Instructions};
use crate::{Element, Use};
use spirv::Op;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::mem::take;
use tbdr_model::frame::AccessKind;

/// Words and origins that may still be walked: a hostile module must not cost more than a bound that is linear in its size.
pub struct Budget(usize);

impl Budget {
    /// Enough for any module that a compiler makes: each function is walked two or three times for each entry point.
    pub fn of(words: usize) -> Self {
        Self(words.saturating_mul(64).max(1 << 16))
    }

    fn take(&mut self, words: usize) -> bool {
        let enough = self.0 >= words;
        self.0 = self.0.saturating_sub(words);
        enough
    }
}

const READ: u8 = 1;
const WRITE: u8 = 2;

struct Walk<'a, 'm> {
    declared: &'a Declarations<'m>,
    origins: Origins,
    /// Functions that can be reached, in the order in which they were.
    reached: Vec<u32>,
    known: BTreeSet<u32>,
    /// Ids that functions return.
    returned: HashMap<u32, BTreeSet<u32>>,
    touched: BTreeMap<(u32, Element), u8>,
    /// Origins that were handed on since the budget was last asked.
    spent: usize,
    /// Whether an instruction may write memory beside that of images.
    writes_memory: bool,
    /// Something reaches images that is not followed.
    lost: bool,
    /// Nothing new is to be learned: what has no origin now has none that is known.
    last: bool,
}

/// What an entry point's call tree does.
pub struct Found {
    /// Whether it uses no other image than those listed.
    pub known: bool,
    /// Whether it writes no memory but that of images.
    pub keeps_memory: bool,
    /// What it uses, ordered.
    pub uses: Vec<Use>,
}

/// What an entry point does.
pub fn entry_point(declared: &Declarations<'_>, function: u32, budget: &mut Budget) -> Found {
    let mut walk = Walk {
        declared,
        origins: Origins::default(),
        reached: Vec::new(),
        known: BTreeSet::new(),
        returned: HashMap::new(),
        touched: BTreeMap::new(),
        spent: 0,
        writes_memory: declared.captures,
        lost: declared.opaque,
        last: false,
    };
    if !budget.take(declared.variables.len()) {
        return Found { known: false, keeps_memory: false, uses: Vec::new() };
    }
    for (id, variable) in &declared.variables {
        walk.origins.add(*id, (*id, if variable.arrayed { Element::Any } else { Element::One(0) }));
    }
    walk.reach(function);
    loop {
        walk.origins.grew = false;
        let functions = walk.reached.len();
        let mut at = 0;
        while at < walk.reached.len() {
            if !walk.function(walk.reached[at], budget) {
                return Found { known: false, keeps_memory: false, uses: walk.uses().1 };
            }
            at += 1;
        }
        if walk.last || walk.origins.overflowed {
            walk.lost |= walk.origins.overflowed;
            break;
        }
        walk.last = !walk.origins.grew && walk.reached.len() == functions;
    }
    let (placed, uses) = walk.uses();
    // What is not followed may be a way to write.
    let keeps_memory = !walk.lost && !walk.writes_memory && !walk.writes_texels();
    Found { known: placed && !walk.lost, keeps_memory, uses }
}

impl Walk<'_, '_> {
    fn reach(&mut self, function: u32) {
        if self.known.insert(function) {
            self.reached.push(function);
        }
    }

    /// Walks one function. `false` if the budget is spent.
    fn function(&mut self, id: u32, budget: &mut Budget) -> bool {
        let Some(function) = self.declared.functions.get(&id) else {
            self.lost = true;
            return true;
        };
        for instruction in Instructions::from(self.declared.words, function.at) {
            if !budget.take(instruction.rest(0).len().saturating_add(take(&mut self.spent))) {
                return false;
            }
            match Op::from_u32(instruction.op) {
                Some(Op::FunctionEnd) => return true,
                Some(op) => {
                    self.writes_memory = self.writes_memory || memory::may_write(self.declared, op, &instruction);
                    self.instruction(op, &instruction, id);
                }
                // Newer than what is known here: it may do anything.
                None => self.lost = true,
            }
        }
        // It has no end.
        self.lost = true;
        true
    }

    fn instruction(&mut self, op: Op, it: &Instruction<'_>, function: u32) {
        match op {
            // Conversions, arithmetic, comparisons, derivatives: nothing of them takes a handle.
            Op::Select => {
                self.origins.flow(it.word(4), it.word(2));
                self.origins.flow(it.word(5), it.word(2));
            }
            op if (Op::ConvertFToU as u32..=Op::FwidthCoarse as u32).contains(&(op as u32)) => {}
            Op::Load => self.load(it),
            Op::AccessChain | Op::InBoundsAccessChain => self.chain(it),
            Op::PtrAccessChain | Op::InBoundsPtrAccessChain => self.widened(it.word(3), it.word(2)),
            Op::CopyObject | Op::CopyLogical | Op::Image | Op::SampledImage => {
                self.origins.flow(it.word(3), it.word(2))
            }
            Op::Phi => it.rest(3).iter().step_by(2).for_each(|from| self.origins.flow(*from, it.word(2))),
            Op::FunctionCall => self.call(it),
            Op::ReturnValue => {
                let value = it.word(1);
                if !self.origins.of(value).is_empty() {
                    self.origins.grew |= self.returned.entry(function).or_default().insert(value);
                }
            }
            Op::ImageTexelPointer => self.touch(it.word(3), READ | WRITE),
            Op::ImageRead | Op::ImageSparseRead => self.touch(it.word(3), READ),
            Op::ImageWrite => self.touch(it.word(1), WRITE),
            op if samples(op) => self.touch(it.word(3), READ),
            // Sizes and formats are no contents.
            Op::ImageQueryFormat
            | Op::ImageQueryOrder
            | Op::ImageQuerySizeLod
            | Op::ImageQuerySize
            | Op::ImageQueryLod
            | Op::ImageQueryLevels
            | Op::ImageQuerySamples => {}
            Op::ExtInst if self.declared.is_silent(it.word(3)) => {}
            Op::ExtInst => self.escape(it.rest(5)),
            Op::Store | Op::CopyMemory => self.escape(&it.rest(1)[..it.rest(1).len().min(2)]),
            Op::CopyMemorySized => self.escape(&it.rest(1)[..it.rest(1).len().min(3)]),
            Op::CompositeInsert => self.escape(&[it.word(3), it.word(4)]),
            Op::CompositeExtract => {
                self.lost |= self.declared.class(it.word(1)).is_some();
                self.escape(&[it.word(3)]);
            }
            op if leaves_alone(op) => {}
            _ => {
                // A handle out of nowhere, or one that is used as nobody foresaw.
                self.lost |= self.declared.class(it.word(1)).is_some();
                self.escape(it.rest(1));
            }
        }
    }

    fn load(&mut self, it: &Instruction<'_>) {
        let (kind, result, pointer) = (it.word(1), it.word(2), it.word(3));
        if self.declared.holds_images(kind) {
            // Taken apart later, by instructions that are not followed.
            self.escape(&[pointer]);
            self.lost |= self.last && self.origins.of(pointer).is_empty();
        } else if self.declared.class(kind).is_some() {
            self.origins.flow(pointer, result);
            self.lost |= self.last && self.origins.of(result).is_empty();
        } else {
            self.escape_if_mixed(pointer);
        }
    }

    /// A load of something else out of a variable that holds images among other things.
    fn escape_if_mixed(&mut self, pointer: u32) {
        let variables = &self.declared.variables;
        if self.origins.of(pointer).iter().any(|(id, _)| variables.get(id).is_some_and(|v| v.class == Class::Mixed)) {
            self.escape(&[pointer]);
        }
    }

    fn chain(&mut self, it: &Instruction<'_>) {
        let (base, result) = (it.word(3), it.word(2));
        let [index] = it.rest(4) else { return self.widened(base, result) };
        let element = self.declared.index(*index);
        for at in 0..self.origins.of(base).len() {
            let (variable, whole) = self.origins.of(base)[at];
            let narrowed = match (whole, self.declared.variables.get(&variable)) {
                (Element::Any, Some(Variable { arrayed: true, class, .. })) if *class != Class::Mixed => element,
                (whole, _) => whole,
            };
            self.origins.add(result, (variable, narrowed));
        }
    }

    /// A pointer that may have moved within its variable.
    fn widened(&mut self, base: u32, result: u32) {
        for at in 0..self.origins.of(base).len() {
            let (variable, _) = self.origins.of(base)[at];
            self.origins.add(result, (variable, Element::Any));
        }
    }

    fn call(&mut self, it: &Instruction<'_>) {
        let (result, callee) = (it.word(2), it.word(3));
        self.reach(callee);
        let Some(function) = self.declared.functions.get(&callee) else { return };
        for (argument, parameter) in it.rest(4).iter().zip(&function.parameters) {
            self.origins.flow(*argument, *parameter);
        }
        let returned = self.returned.get(&callee).into_iter().flatten();
        for value in returned {
            self.spent += 1;
            self.origins.flow(*value, result);
        }
    }

    /// Something is done to the images behind a handle or pointer.
    fn touch(&mut self, id: u32, what: u8) {
        let origins = self.origins.of(id);
        self.lost |= self.last && origins.is_empty();
        for origin in origins {
            *self.touched.entry(*origin).or_default() |= what;
        }
    }

    /// Whatever images are behind these ids, anything may be done to them.
    fn escape(&mut self, ids: &[u32]) {
        for id in ids {
            for (variable, _) in self.origins.of(*id) {
                *self.touched.entry((*variable, Element::Any)).or_default() |= READ | WRITE;
            }
        }
    }

    /// Whether a texel buffer may have been written.
    fn writes_texels(&self) -> bool {
        self.touched.iter().any(|((id, _), what)| {
            let variable = self.declared.variables.get(id);
            what & WRITE != 0 && variable.is_some_and(|v| v.class == Class::Texels && !v.read_only)
        })
    }

    /// What was touched, and whether all of it has a set and a binding.
    fn uses(&self) -> (bool, Vec<Use>) {
        let (mut uses, mut placed) = (BTreeSet::new(), true);
        for ((id, element), what) in &self.touched {
            let Some(variable) = self.declared.variables.get(id) else { continue };
            let Some((set, binding)) = variable.place else {
                placed &= matches!(variable.class, Class::Neither | Class::Texels);
                continue;
            };
            let element = match element {
                Element::Any if !variable.arrayed && variable.class != Class::Mixed => Element::One(0),
                element => *element,
            };
            uses.extend(kinds(variable, *what).into_iter().flatten().map(|kind| Use { set, binding, kind, element }));
        }
        (placed, uses.into_iter().collect())
    }
}

/// What is done with the images of a variable, as far as they are images that descriptors reach.
fn kinds(variable: &Variable, what: u8) -> [Option<AccessKind>; 2] {
    let reads = what & READ != 0 && !variable.write_only;
    let writes = what & WRITE != 0 && !variable.read_only;
    let storage = match (reads, writes) {
        (true, true) => Some(AccessKind::StorageReadWrite),
        (true, false) => Some(AccessKind::StorageRead),
        (false, true) => Some(AccessKind::StorageWrite),
        (false, false) => None,
    };
    match variable.class {
        Class::Neither | Class::Texels => [None, None],
        Class::Sampled => [(what & READ != 0).then_some(AccessKind::Sampled), None],
        Class::Storage => [storage, None],
        Class::Mixed => [(what & READ != 0).then_some(AccessKind::Sampled), storage],
    }
}

/// Instructions that sample or fetch, and take what they read as their first operand.
fn samples(op: Op) -> bool {
    let op = op as u32;
    (Op::ImageSampleImplicitLod as u32..=Op::ImageDrefGather as u32).contains(&op)
        || (Op::ImageSparseSampleImplicitLod as u32..=Op::ImageSparseDrefGather as u32).contains(&op)
        || op == Op::ImageSampleFootprintNV as u32
}

/// Instructions of the function's skeleton, and others that hold numbers which are no ids.
fn leaves_alone(op: Op) -> bool {
    matches!(
        op,
        Op::Nop
            | Op::Undef
            | Op::Line
            | Op::NoLine
            | Op::Label
            | Op::Branch
            | Op::BranchConditional
            | Op::Switch
            | Op::SelectionMerge
            | Op::LoopMerge
            | Op::Function
            | Op::FunctionParameter
            | Op::Variable
            | Op::Return
            | Op::Kill
            | Op::Unreachable
            | Op::TerminateInvocation
            | Op::DemoteToHelperInvocation
            | Op::VectorShuffle
            | Op::ImageSparseTexelsResident
    )
}
