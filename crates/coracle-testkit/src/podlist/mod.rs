//! Pod lists as a kubelet writes them: of any length, the same for the same seed, and with known facts.
//!
//! [`PodList`] writes the document, a pod at a time. [`PodList::pod`] tells what stands in it without reading JSON, so
//! that a reader is compared with the generator's own truth.
//!
//! # What a list looks like
//!
//! A pod is 25.5 kB on average and between 8 and 60 kB: 110 pods are 2.7 MB, 1,000 pods 25 MB, 1,200 pods 30 MB.
//! Most have two to four containers, a third has init containers, some have native sidecars, few an ephemeral
//! container. Image ids and container ids are all different. Controllers are
//! replica sets, daemon sets, stateful sets, jobs, and the node itself (static pods, whose uid is 32 digits without
//! dashes). Jobs are mostly over; some pods are pending, and their containers have neither an image id nor a
//! container id yet. Managed fields, a last applied manifest as JSON in a string, and ids of earlier containers in
//! `lastState` are there to be skipped.

mod choose;
mod content;
mod facts;
mod json;
mod managed;
mod manifest;
mod metadata;
mod plan;
mod rng;
mod spec;
mod status;

pub use facts::{ContainerFacts, ContainerKind, OwnerFacts, Phase, PodFacts};

use json::Json;
use plan::Plan;
use rng::{Rng, Stream};
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

const HEAD: &[u8] = br#"{"kind":"PodList","apiVersion":"v1","metadata":{},"items":["#;
const TAIL: &[u8] = b"]}\n";

/// A pod list that is written on demand. It holds its options only, so that a clone is cheap.
///
/// ```
/// use coracle_testkit::podlist::PodList;
///
/// let list = PodList::new(3, 42);
/// let document = list.to_vec();
/// assert!(document.starts_with(br#"{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[{"metadata":{"name":""#));
/// let facts = list.pod(2);
/// let uid = format!(r#""uid":"{}""#, facts.uid);
/// assert!(String::from_utf8(document).unwrap().contains(&uid));
/// ```
#[derive(Clone, Debug)]
pub struct PodList {
    pods: u32,
    seed: u64,
    node_name: Arc<str>,
    overrides: Arc<BTreeMap<u32, PodFacts>>,
}

impl PodList {
    /// A list of `pods` pods. Pod `i` depends on `seed` and `i` only, so that a longer list of the same seed starts
    /// with the shorter one's pods.
    #[must_use]
    pub fn new(pods: u32, seed: u64) -> Self {
        let node = Rng::new(seed, Stream::List, 0).suffix(5);
        Self { pods, seed, node_name: format!("node-{node}.example.com").into(), overrides: Arc::default() }
    }

    /// The list with the fewest pods whose document is at least `bytes` long.
    ///
    /// It generates the list once to find out, in the memory of one pod.
    #[must_use]
    pub fn of_size(bytes: u64, seed: u64) -> Self {
        let endless = Self::new(u32::MAX, seed);
        let mut chunks = endless.chunks();
        let mut length = TAIL.len() as u64;
        let mut pods = 0;
        // The first chunk is the head: a list of no pods.
        while let Some(chunk) = chunks.next_chunk() {
            length += chunk.len() as u64;
            if length >= bytes {
                break;
            }
            pods += 1;
        }
        Self { pods, ..endless }
    }

    /// Puts all pods on another node. Pods given by their facts keep their own.
    #[must_use]
    pub fn node_name(mut self, name: &str) -> Self {
        self.node_name = name.into();
        self
    }

    /// Replaces the facts of pod `index`; what surrounds them is generated to match.
    ///
    /// # Panics
    ///
    /// If the list has no such pod.
    #[must_use]
    pub fn override_pod(mut self, index: u32, facts: PodFacts) -> Self {
        assert!(index < self.pods, "pod {index} of a list of {} pods", self.pods);
        Arc::make_mut(&mut self.overrides).insert(index, facts);
        self
    }

    /// Appends a pod with these facts.
    #[must_use]
    pub fn with_pod(mut self, facts: PodFacts) -> Self {
        let index = self.pods;
        self.pods += 1;
        self.override_pod(index, facts)
    }

    /// How many pods the list has.
    #[must_use]
    pub fn pods(&self) -> u32 {
        self.pods
    }

    /// The facts of pod `index`, which need not be below [`PodList::pods`].
    #[must_use]
    pub fn pod(&self, index: u32) -> PodFacts {
        match self.overrides.get(&index) {
            Some(facts) => facts.clone(),
            None => choose::pod(self.seed, index, &self.node_name),
        }
    }

    /// The facts of all pods, in the order of the document.
    pub fn facts(&self) -> impl Iterator<Item = PodFacts> + '_ {
        (0..self.pods).map(|index| self.pod(index))
    }

    /// The length of the document in bytes. It generates the list once, in the memory of one pod.
    #[must_use]
    pub fn document_len(&self) -> u64 {
        let mut chunks = self.chunks();
        let mut length = 0;
        while let Some(chunk) = chunks.next_chunk() {
            length += chunk.len() as u64;
        }
        length
    }

    /// The document in chunks of one pod each.
    #[must_use]
    pub fn chunks(&self) -> Chunks {
        Chunks { list: self.clone(), next: Next::Head, buffer: Json::default() }
    }

    /// Writes the document, a pod at a time.
    pub fn write_to(&self, out: &mut impl io::Write) -> io::Result<()> {
        let mut chunks = self.chunks();
        while let Some(chunk) = chunks.next_chunk() {
            out.write_all(chunk)?;
        }
        Ok(())
    }

    /// The whole document in memory.
    #[must_use]
    pub fn to_vec(&self) -> Vec<u8> {
        let mut document = Vec::new();
        let mut chunks = self.chunks();
        while let Some(chunk) = chunks.next_chunk() {
            document.extend_from_slice(chunk);
        }
        document
    }

    fn write_pod(&self, index: u32, json: &mut Json) {
        let facts = self.pod(index);
        let mut plan = Plan::new(&facts, self.seed, index);
        json.item(|json| {
            json.object("metadata", |json| metadata::write(json, &mut plan));
            json.object("spec", |json| spec::write(json, &plan));
            json.object("status", |json| status::write(json, &mut plan));
        });
    }
}

/// The pieces of a list's document, made one after the other.
///
/// [`Chunks::next_chunk`] makes them all in one buffer; the iterator gives each in a vector of its own.
#[derive(Debug)]
pub struct Chunks {
    list: PodList,
    next: Next,
    buffer: Json,
}

#[derive(Clone, Copy, Debug)]
enum Next {
    Head,
    Pod(u32),
    End,
}

impl Chunks {
    /// The next piece: the head, then each pod with the comma before it, then the tail.
    pub fn next_chunk(&mut self) -> Option<&[u8]> {
        match self.next {
            Next::Head => {
                self.next = Next::Pod(0);
                Some(HEAD)
            }
            Next::Pod(index) if index < self.list.pods => {
                self.next = Next::Pod(index + 1);
                self.buffer.0.clear();
                if index > 0 {
                    self.buffer.0.push(b',');
                }
                self.list.write_pod(index, &mut self.buffer);
                Some(&self.buffer.0)
            }
            Next::Pod(_) => {
                self.next = Next::End;
                Some(TAIL)
            }
            Next::End => None,
        }
    }
}

impl Iterator for Chunks {
    type Item = Vec<u8>;

    fn next(&mut self) -> Option<Vec<u8>> {
        self.next_chunk().map(<[u8]>::to_vec)
    }
}

#[cfg(test)]
mod tests;
