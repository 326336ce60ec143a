//! The fake driver: makes handles, answers queries, notes every call.

pub(crate) mod device;
pub(crate) mod instance;
mod object;
pub mod proc_addr;
mod render_pass;
mod swapchain;
mod tile;

pub use object::COMMITTED;
pub(crate) use object::{
    allocate_memory, allocate_sets, buffer_requirements, create, create_pipelines, create_shaders, destroy,
    future_image_requirements, image_requirements, image_requirements2, map_memory, memory_commitment, plain,
    subresource_layout2,
};
pub(crate) use render_pass::create_render_pass2;
pub(crate) use swapchain::{acquire, acquire2, create_shared_swapchains, swapchain_images};
pub(crate) use tile::{framebuffer_tiles, rendering_tile};

use super::handle::Object;
use super::{Call, Options};
use ash::vk;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

thread_local! {
    /// The driver that answers the global commands on this thread, which carry no handle.
    static CURRENT: Cell<Option<&'static Driver>> = const { Cell::new(None) };
}

/// A fake driver. Tests make one per chain; it lives as long as the process.
pub struct Driver {
    /// Its habits.
    pub options: Options,
    noting: AtomicBool,
    running: AtomicBool,
    next_handle: AtomicU64,
    state: Mutex<State>,
}

#[derive(Default)]
pub(super) struct State {
    sent: Vec<Call>,
    received: Vec<Call>,
    faults: Vec<String>,
    injected: BTreeMap<String, vk::Result>,
    partial: Option<(vk::Result, Vec<u32>)>,
    free_values: BTreeMap<i32, Vec<u64>>,
    free_objects: BTreeMap<i32, Vec<&'static Object>>,
    free_dispatch: Vec<usize>,
    queues: BTreeMap<(u64, u32, u32), vk::Queue>,
    pools: BTreeMap<u64, Vec<vk::CommandBuffer>>,
    swapchains: BTreeMap<u64, Vec<vk::Image>>,
    physical_devices: BTreeMap<u64, vk::PhysicalDevice>,
    acquired: u32,
    /// Extensions that the last vkCreateDevice enabled.
    enabled_extensions: Vec<String>,
    /// Structs chained to what the last vkCreateDevice or vkCreateRenderPass2 got, those of subpasses included.
    chained: Vec<vk::StructureType>,
    /// Memory type of each VkDeviceMemory.
    memory: BTreeMap<u64, u32>,
    /// What is called while a command is at work, by its name.
    within: BTreeMap<&'static str, Arc<dyn Fn() + Send + Sync>>,
}

impl Driver {
    /// A driver with these habits.
    pub fn new(options: Options) -> &'static Self {
        Box::leak(Box::new(Self {
            options,
            noting: AtomicBool::new(true),
            running: AtomicBool::new(false),
            next_handle: AtomicU64::new(0x1000),
            state: Mutex::default(),
        }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes this the driver of the global commands on this thread.
    pub(super) fn enter(&'static self) {
        CURRENT.set(Some(self));
    }

    /// Whether the instance is complete, as opposed to being created. See [`proc_addr`].
    pub(super) fn set_running(&self, running: bool) {
        self.running.store(running, Ordering::Relaxed);
    }

    pub(super) fn running(&self) -> bool {
        self.running.load(Ordering::Relaxed)
    }

    /// The driver of the global commands on this thread.
    pub(super) fn current() -> Option<&'static Self> {
        CURRENT.get()
    }

    /// Switches the notes of calls on or off.
    pub fn set_noting(&self, on: bool) {
        self.noting.store(on, Ordering::Relaxed);
    }

    pub(super) fn noting(&self) -> bool {
        self.noting.load(Ordering::Relaxed)
    }

    /// Notes a call that arrived.
    pub(super) fn note(&self, name: &'static str, words: impl FnOnce() -> Vec<u64>) {
        if self.noting() {
            self.state().received.push(Call { name, words: words() });
            // Once: what is called may lead here again.
            let within = self.state().within.remove(name);
            if let Some(within) = within {
                within();
            }
        }
    }

    /// Makes the next `name` to arrive call this while it is at work, as drivers and layers below call the application or the loader.
    pub fn within(&self, name: &'static str, call: impl Fn() + Send + Sync + 'static) {
        self.state().within.insert(name, Arc::new(call));
    }

    /// Notes a call that the application makes.
    pub(super) fn note_sent(&self, name: &'static str, words: impl FnOnce() -> Vec<u64>) {
        if self.noting() {
            self.state().sent.push(Call { name, words: words() });
        }
    }

    /// Calls that arrived, in order.
    pub fn received(&self) -> Vec<Call> {
        self.state().received.clone()
    }

    /// Calls that the application made, in order.
    pub fn sent(&self) -> Vec<Call> {
        self.state().sent.clone()
    }

    /// Notes that the layer broke a rule of its contract.
    pub(super) fn fault(&self, what: impl Into<String>) {
        self.state().faults.push(what.into());
    }

    /// Fails the test if the layer broke a rule, or if the driver saw something else than the application sent.
    #[track_caller]
    pub fn assert_neutral(&self) {
        let state = self.state();
        assert!(state.faults.is_empty(), "{:?}", state.faults);
        let difference = super::log::first_difference(&state.sent, &state.received);
        assert!(difference.is_none(), "{}", difference.unwrap_or_default());
    }

    /// Device extensions that the last vkCreateDevice to arrive enabled.
    pub fn enabled_extensions(&self) -> Vec<String> {
        self.state().enabled_extensions.clone()
    }

    /// Types of the structs that were chained to what the last vkCreateDevice or vkCreateRenderPass2 to arrive got.
    pub fn chained(&self) -> Vec<vk::StructureType> {
        self.state().chained.clone()
    }

    /// Makes a command fail from now on.
    pub fn inject(&self, name: &str, result: vk::Result) {
        self.state().injected.insert(name.to_owned(), result);
    }

    /// Makes a command succeed again.
    pub fn heal(&self, name: &str) {
        self.state().injected.remove(name);
    }

    /// Lets the next call that makes several objects fail for these of them, and answer with this.
    pub fn fail_some(&self, result: vk::Result, which: &[u32]) {
        self.state().partial = Some((result, which.to_vec()));
    }

    /// What [`Driver::fail_some`] asks for.
    pub(super) fn partial(&self) -> Option<(vk::Result, Vec<u32>)> {
        self.state().partial.take()
    }

    pub(super) fn injected(&self, name: &str) -> Option<vk::Result> {
        if !self.noting() {
            return None;
        }
        self.state().injected.get(name).copied()
    }

    /// A value for a new non-dispatchable handle.
    pub(super) fn value(&self, kind: vk::ObjectType) -> u64 {
        if self.options.constant_render_pass && kind == vk::ObjectType::RENDER_PASS {
            return 0x5005;
        }
        let recycled = self.state().free_values.get_mut(&kind.as_raw()).and_then(Vec::pop);
        recycled.unwrap_or_else(|| self.next_handle.fetch_add(1, Ordering::Relaxed))
    }

    /// Takes back the value of a destroyed handle.
    pub(super) fn release(&self, kind: vk::ObjectType, value: u64) {
        if self.options.reuse_handles && value != 0 {
            self.state().free_values.entry(kind.as_raw()).or_default().push(value);
        }
    }

    pub(super) fn recycled(&self, kind: vk::ObjectType) -> Option<&'static Object> {
        self.state().free_objects.get_mut(&kind.as_raw()).and_then(Vec::pop)
    }

    /// Poisons a destroyed dispatchable object and, if handles are reused, keeps it for the next one.
    pub(super) fn retire<H: vk::Handle + Copy>(&self, handle: H) {
        let Some(object) = super::handle::object(handle) else { return };
        super::handle::set_dispatch(handle, super::handle::POISON);
        if self.options.reuse_handles {
            self.state().free_objects.entry(H::TYPE.as_raw()).or_default().push(object);
        }
    }

    /// A dispatch pointer of the loader: the address of a word of its own.
    pub(super) fn new_dispatch(&self) -> usize {
        let recycled = self.state().free_dispatch.pop();
        recycled.unwrap_or_else(|| std::ptr::from_mut(Box::leak(Box::new([0u64; 4]))) as usize)
    }

    pub(super) fn free_dispatch(&self, dispatch: usize) {
        if self.options.reuse_handles {
            self.state().free_dispatch.push(dispatch);
        }
    }
}
