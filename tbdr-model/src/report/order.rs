//! The order of GPUs: as whoever asked for them named them. Maps of the report are sorted by id; tables are not.

use super::Report;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

impl Report {
    /// What a map of the report holds by GPU id, in the order of [`Report::gpu_order`]; what that does not name comes last, by id.
    pub fn in_order<'a, T>(&'a self, by_gpu: &'a BTreeMap<String, T>) -> Vec<(&'a str, &'a T)> {
        let place: BTreeMap<&str, usize> = self.gpu_order.iter().map(String::as_str).zip(0..).collect();
        let mut all: Vec<(&str, &T)> = by_gpu.iter().map(|(id, of_gpu)| (id.as_str(), of_gpu)).collect();
        // The sort keeps those without a place by id.
        all.sort_by_key(|(id, _)| place.get(id).copied().unwrap_or(usize::MAX));
        all
    }

    /// The ids of the GPUs modelled, in order.
    pub fn gpu_ids(&self) -> Vec<&str> {
        self.in_order(&self.gpus).into_iter().map(|(id, _)| id).collect()
    }
}
