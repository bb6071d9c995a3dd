//! All pods of a node, kept small and found fast.

use std::fmt;
use std::hash::{BuildHasher, RandomState};

use coracle_containers::ContainerRef;
use coracle_podlist::{ContainerStatus, Flow, Owner, Pod, Sink};
use hashbrown::HashTable;

use crate::duplicate::DuplicateContainer;
use crate::record::{Record, View};
use crate::view::{PodView, first_with_id};

/// The pods of a list, found by uid or by container id, each in constant time.
///
/// It is a [`Sink`]: give it to a [`Reader`](coracle_podlist::Reader). A later pod with the uid of an earlier one
/// takes its place, as in SPIRE. A pod costs the bytes of its fields, one or two for the length of each, 16 for the
/// record and about 8 for its uid; a container costs about 14 more.
#[derive(Default)]
pub struct PodIndex {
    pods: Vec<Record>,
    by_uid: HashTable<u32>,
    by_container: HashTable<Place>,
    hasher: RandomState,
    scratch: String,
    record_bytes: usize,
    containers: usize,
    malformed_container_ids: usize,
    replaced: usize,
}

/// Where a `containerID` stands: in which record, at which offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    pod: u32,
    offset: u32,
}

/// What an id of a container leads to: its pod and the container's status.
pub type PodAndContainer<'a> = (PodRef<'a>, ContainerStatus<'a>);

impl PodIndex {
    /// An empty index; allocates nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The pod with this uid.
    #[must_use]
    pub fn by_uid(&self, uid: &str) -> Option<PodRef<'_>> {
        let slot = self.by_uid.find(self.hasher.hash_one(uid), |&slot| self.record(slot).uid() == uid)?;
        Some(self.pod_at(*slot))
    }

    /// The container with this bare id (no scheme), and its pod. Fails if two pods have it.
    pub fn by_container(&self, id: &str) -> Result<Option<PodAndContainer<'_>>, DuplicateContainer> {
        let claims = self.by_container.iter_hash(self.hasher.hash_one(id));
        let mut slots: Vec<u32> =
            claims.filter(|&&place| is_named(self.container_id(place), id)).map(|place| place.pod).collect();
        slots.sort_unstable_by_key(|&slot| self.record(slot).uid());
        slots.dedup();
        match slots[..] {
            [] => Ok(None),
            [slot] => {
                let pod = self.pod_at(slot);
                Ok(pod.container_status(id).map(|status| (pod, status)))
            }
            [first, second, ..] => {
                Err(DuplicateContainer::new(id, self.pod_at(first).id(), self.pod_at(second).id()))
            }
        }
    }

    /// The pod of a located container, and the container's status if the pod has it.
    ///
    /// Where the uid is known only that pod is looked at; else every pod is, by the container's id.
    pub fn find(
        &self,
        wanted: &ContainerRef,
    ) -> Result<Option<(PodRef<'_>, Option<ContainerStatus<'_>>)>, DuplicateContainer> {
        if let Some(uid) = &wanted.pod_uid {
            let pod = self.by_uid(uid);
            return Ok(pod.map(|pod| (pod, pod.container_status(&wanted.container_id))));
        }
        let found = self.by_container(&wanted.container_id)?;
        Ok(found.map(|(pod, status)| (pod, Some(status))))
    }

    /// The pods, in the order in which their uids first appeared.
    pub fn iter(&self) -> impl Iterator<Item = PodRef<'_>> {
        self.pods.iter().map(|record| PodRef { view: record.view() })
    }

    /// How many pods.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pods.len()
    }

    /// Whether there is no pod.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pods.is_empty()
    }

    /// How many containers the pods have, of all three kinds, started or not.
    #[must_use]
    pub fn containers(&self) -> usize {
        self.containers
    }

    /// How many of them have a `containerID` that is not empty and yet no URL with a host: not found by any id.
    #[must_use]
    pub fn malformed_container_ids(&self) -> usize {
        self.malformed_container_ids
    }

    /// How many pods a later one with the same uid has replaced.
    #[must_use]
    pub fn replaced(&self) -> usize {
        self.replaced
    }

    /// Bytes of heap that the index holds: records, tables and the buffer in which a record is made.
    #[must_use]
    pub fn bytes_kept(&self) -> usize {
        self.record_bytes
            + self.pods.capacity() * size_of::<Record>()
            + self.by_uid.allocation_size()
            + self.by_container.allocation_size()
            + self.scratch.capacity()
    }

    /// Adds a pod, or replaces the one with its uid.
    pub fn insert(&mut self, pod: &Pod<'_>) {
        let record = Record::new(pod, &mut self.scratch);
        self.record_bytes += record.len_bytes();
        let hash = self.hasher.hash_one(&*pod.uid);
        let known = self.by_uid.find(hash, |&slot| self.record(slot).uid() == pod.uid).copied();
        let slot = match known {
            Some(slot) => {
                self.forget_containers(slot);
                let old = std::mem::replace(&mut self.pods[slot as usize], record);
                self.record_bytes -= old.len_bytes();
                self.replaced += 1;
                slot
            }
            None => self.append(record, hash),
        };
        self.add_containers(slot);
    }

    fn append(&mut self, record: Record, hash: u64) -> u32 {
        let slot = narrow(self.pods.len());
        self.pods.push(record);
        let Self { pods, by_uid, hasher, .. } = self;
        by_uid.insert_unique(hash, slot, |&slot| hasher.hash_one(pods[slot as usize].uid()));
        slot
    }

    fn add_containers(&mut self, slot: u32) {
        let Self { pods, by_container, hasher, .. } = self;
        for (offset, status) in pods[slot as usize].view().container_ids() {
            self.containers += 1;
            let Some(id) = status.bare_id() else {
                self.malformed_container_ids += usize::from(!status.container_id.is_empty());
                continue;
            };
            let place = Place { pod: slot, offset: narrow(offset) };
            by_container.insert_unique(hasher.hash_one(id), place, |place| {
                let id = pods[place.pod as usize].container_id_at(place.offset as usize);
                hash_of_bare_id(hasher, id)
            });
        }
    }

    fn forget_containers(&mut self, slot: u32) {
        let Self { pods, by_container, hasher, .. } = self;
        for (offset, status) in pods[slot as usize].view().container_ids() {
            self.containers -= 1;
            let Some(id) = status.bare_id() else {
                self.malformed_container_ids -= usize::from(!status.container_id.is_empty());
                continue;
            };
            let place = Place { pod: slot, offset: narrow(offset) };
            if let Ok(entry) = by_container.find_entry(hasher.hash_one(id), |entry| *entry == place) {
                entry.remove();
            }
        }
    }

    fn record(&self, slot: u32) -> &Record {
        &self.pods[slot as usize]
    }

    fn pod_at(&self, slot: u32) -> PodRef<'_> {
        PodRef { view: self.record(slot).view() }
    }

    fn container_id(&self, place: Place) -> &str {
        self.record(place.pod).container_id_at(place.offset as usize)
    }
}

impl Sink for PodIndex {
    fn pod(&mut self, pod: &Pod<'_>) -> Flow {
        self.insert(pod);
        Flow::Continue
    }
}

impl fmt::Debug for PodIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PodIndex")
            .field("pods", &self.len())
            .field("containers", &self.containers)
            .field("bytes_kept", &self.bytes_kept())
            .finish_non_exhaustive()
    }
}

/// A pod of the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PodRef<'a> {
    view: View<'a>,
}

impl<'a> PodRef<'a> {
    /// [`PodView::container`], as long-lived as the index.
    fn container_status(self, id: &str) -> Option<ContainerStatus<'a>> {
        first_with_id(self.view.containers(), id)
    }
}

impl PodView for PodRef<'_> {
    fn uid(&self) -> &str {
        self.view.uid
    }
    fn namespace(&self) -> &str {
        self.view.namespace
    }
    fn name(&self) -> &str {
        self.view.name
    }
    fn service_account(&self) -> &str {
        self.view.service_account
    }
    fn node_name(&self) -> &str {
        self.view.node_name
    }
    fn phase(&self) -> &str {
        self.view.phase
    }
    fn host_network(&self) -> bool {
        self.view.host_network
    }
    fn labels(&self) -> impl Iterator<Item = (&str, &str)> {
        self.view.labels()
    }
    fn owners(&self) -> impl Iterator<Item = Owner<'_>> {
        self.view.owners()
    }
    fn containers(&self) -> impl Iterator<Item = ContainerStatus<'_>> {
        self.view.containers()
    }
}

fn status_of(container_id: &str) -> ContainerStatus<'_> {
    ContainerStatus { container_id: container_id.into(), ..ContainerStatus::default() }
}

fn is_named(container_id: &str, id: &str) -> bool {
    status_of(container_id).bare_id() == Some(id)
}

fn hash_of_bare_id(hasher: &RandomState, container_id: &str) -> u64 {
    hasher.hash_one(status_of(container_id).bare_id().unwrap_or_default())
}

/// Slots and offsets are kept in 32 bits: a node has no four thousand million pods, nor a pod that many bytes.
fn narrow(number: usize) -> u32 {
    u32::try_from(number).expect("an index holds less than 2^32 pods of less than 2^32 bytes each")
}
