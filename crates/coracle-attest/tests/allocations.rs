//! What finding and indexing cost in memory: on long lists of equal pods of about 10 kB, and on lists like those of a
//! real cluster, 25 kB a pod and each pod another.
//!
//! One test only: the allocator counts for the whole process.

use std::fmt::Write;

use coracle_attest::{Answer, Finder, PodIndex, PodView};
use coracle_containers::ContainerRef;
use coracle_podlist::{Reader, Sink, Summary};
use coracle_testkit::podlist::{PodFacts, PodList};
use peak_alloc::PeakAlloc;

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

const KIB: usize = 1024;
const CHUNK: usize = 16 * KIB;
/// The test harness has a thread of its own, which keeps a line or two of text.
const HARNESS: usize = KIB;
const CONTAINERS: usize = 3;

/// Writes pod lists without allocating: pods differ in their ids only.
struct Lists {
    /// What a pod has that no one reads: most of it.
    ballast: String,
    chunk: String,
}

impl Lists {
    fn new() -> Self {
        let mut ballast = String::new();
        while ballast.len() < 8 * KIB {
            ballast.push_str(
                r#"{"manager":"kubelet","fieldsV1":{"f:status":{"k:{\"type\":\"Ready\"}":{".":{}}}}},"#,
            );
        }
        ballast.pop();
        Self { ballast, chunk: String::with_capacity(64 * KIB) }
    }

    /// Reads a list of so many pods in pieces of 16 KiB.
    fn read(&mut self, pods: usize, sink: &mut impl Sink) -> Summary {
        let mut reader = Reader::new();
        self.chunk.clear();
        self.chunk.push_str(r#"{"kind":"PodList","apiVersion":"v1","metadata":{},"items":["#);
        for number in 0..pods {
            self.write_pod(number);
            self.chunk.push(if number + 1 < pods { ',' } else { ' ' });
            let whole = self.chunk.len() / CHUNK * CHUNK;
            for piece in self.chunk.as_bytes()[..whole].chunks(CHUNK) {
                reader.push(piece, sink).expect("well-formed");
            }
            self.chunk.drain(..whole);
        }
        self.chunk.push_str("]}");
        for piece in self.chunk.as_bytes().chunks(CHUNK) {
            reader.push(piece, sink).expect("well-formed");
        }
        reader.finish(sink).expect("whole")
    }

    fn write_pod(&mut self, number: usize) {
        let Self { ballast, chunk } = self;
        let uid = uid(number);
        write!(
            chunk,
            r#"{{"metadata":{{"name":"checkout-6658cb9566-{number:05}","namespace":"shop","uid":"{uid}",
            "labels":{{"app.kubernetes.io/name":"checkout","pod-template-hash":"6658cb9566","team":"payments"}},
            "ownerReferences":[{{"kind":"ReplicaSet","name":"checkout-6658cb9566","uid":"{uid}","controller":true}}],
            "managedFields":[{ballast}]}},"spec":{{"serviceAccountName":"checkout","nodeName":"worker-3"}},
            "status":{{"phase":"Running","containerStatuses":["#
        )
        .expect("a string takes text");
        for container in 0..CONTAINERS {
            let comma = if container == 0 { "" } else { "," };
            let (image, id) = (image(container), container_id(number * CONTAINERS + container));
            write!(
                chunk,
                r#"{comma}{{"name":"c{container}","image":"{image}","imageID":"{image}","containerID":"containerd://{id}"}}"#
            )
            .expect("a string takes text");
        }
        chunk.push_str("]}}");
    }
}

/// Formats without a heap.
struct Text<F: Fn(&mut std::fmt::Formatter<'_>) -> std::fmt::Result>(F);

impl<F: Fn(&mut std::fmt::Formatter<'_>) -> std::fmt::Result> std::fmt::Display for Text<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (self.0)(f)
    }
}

fn uid(number: usize) -> impl std::fmt::Display {
    Text(move |f| write!(f, "2c48913c-b29f-11e7-9350-{number:012x}"))
}

fn image(container: usize) -> impl std::fmt::Display {
    Text(move |f| write!(f, "registry.example.com/shop/checkout-{container}@sha256:{container:064x}"))
}

fn container_id(number: usize) -> impl std::fmt::Display {
    Text(move |f| write!(f, "{number:064x}"))
}

/// The result of `work`, and the most that it had on the heap beyond what there was before.
fn peak_of<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = HEAP.current_usage();
    HEAP.reset_peak_usage();
    let result = work();
    (result, HEAP.peak_usage() - before)
}

/// The budgets: what a search may take, and an index beyond what it keeps, and what it keeps of a pod beyond the
/// workload's own text.
const FIND_BYTES: usize = 256 * KIB;
const INDEX_EXCESS_BYTES: usize = 192 * KIB;
const INDEX_POD_BYTES: usize = KIB;

/// Finds the last container of a list.
fn find(lists: &mut Lists, pods: usize, knows_pod: bool) -> usize {
    let last = pods - 1;
    let wanted = ContainerRef {
        pod_uid: knows_pod.then(|| uid(last).to_string()),
        container_id: container_id(last * CONTAINERS).to_string(),
    };
    let ((answer, summary), peak) = peak_of(|| {
        let mut finder = Finder::new(wanted, false);
        let summary = lists.read(pods, &mut finder);
        (finder.finish(), summary)
    });
    assert!(matches!(answer, Ok(Answer::Found(_))), "{answer:?}");
    assert_eq!((summary.pods, summary.filtered), (1, last as u64));
    assert!(summary.bytes_read > (pods * 8 * KIB) as u64);
    peak
}

/// Indexes what `read` gives, and holds the index to its budget.
fn index(pods: usize, read: impl FnOnce(&mut PodIndex)) -> PodIndex {
    let before = HEAP.current_usage();
    let (index, peak) = peak_of(|| {
        let mut index = PodIndex::new();
        read(&mut index);
        index
    });
    let retained = HEAP.current_usage() - before;
    println!("index of {pods} pods: {retained} bytes retained, {peak} at most");
    assert_eq!(index.len(), pods);
    let kept = index.bytes_kept();
    assert!(retained.abs_diff(kept) <= HARNESS, "it knows what it holds: {retained}, and says {kept}");
    let text: usize = index.iter().map(|pod| label_and_image_bytes(&pod)).sum();
    assert!(
        retained <= pods * INDEX_POD_BYTES + text,
        "{retained} bytes for {pods} pods with {text} bytes of labels and images"
    );
    assert!(peak <= retained + INDEX_EXCESS_BYTES, "{peak} at most, {retained} retained");
    index
}

/// Reads a whole document that is held by someone else.
fn read_document(document: &[u8], sink: &mut impl Sink) -> Summary {
    let mut reader = Reader::new();
    for piece in document.chunks(CHUNK) {
        reader.push(piece, sink).expect("well-formed");
    }
    reader.finish(sink).expect("whole")
}

#[test]
fn finding_costs_the_same_in_any_list_and_an_index_a_kibibyte_a_pod() {
    equal_pods();
    pods_like_a_clusters();
}

fn equal_pods() {
    let mut lists = Lists::new();
    for knows_pod in [true, false] {
        let peaks = [1_000, 10_000].map(|pods| find(&mut lists, pods, knows_pod));
        println!("find, pod known {knows_pod}: {peaks:?} bytes");
        assert!(peaks[0].abs_diff(peaks[1]) <= HARNESS, "the same for both: {peaks:?}");
        assert!(peaks[0] <= FIND_BYTES, "{peaks:?}");
    }
    let pods = 1_000;
    let index = index(pods, |index| {
        lists.read(pods, index);
    });
    assert_eq!(index.containers(), pods * CONTAINERS);
}

fn pods_like_a_clusters() {
    let list = PodList::new(1_000, 7);
    // Made before anything is measured: the generator allocates.
    let document = list.to_vec();
    let pods = list.pods() as usize;
    assert!(document.len() > pods * 20_000, "{} bytes", document.len());
    let (uid, container_id) = last_container(&list);
    for pod_uid in [Some(uid), None] {
        let wanted = ContainerRef { pod_uid, container_id: container_id.clone() };
        let (answer, peak) = peak_of(|| {
            let mut finder = Finder::new(wanted, false);
            read_document(&document, &mut finder);
            finder.finish()
        });
        println!("find in {} bytes of a cluster's pods: {peak} bytes", document.len());
        assert!(matches!(answer, Ok(Answer::Found(_))), "{answer:?}");
        assert!(peak <= FIND_BYTES, "{peak}");
    }
    index(pods, |index| {
        read_document(&document, index);
    });
}

/// The last container that has an id, after its pod's uid.
fn last_container(list: &PodList) -> (String, String) {
    let id = |pod: PodFacts| {
        let ids = pod.containers.iter().map(|container| container.bare_id().to_owned());
        Some((pod.uid.clone(), ids.rev().find(|id| !id.is_empty())?))
    };
    list.facts().filter_map(id).last().expect("something runs")
}

fn label_and_image_bytes(pod: &impl PodView) -> usize {
    let labels: usize = pod.labels().map(|(key, value)| key.len() + value.len()).sum();
    let images: usize = pod.containers().map(|status| status.image.len() + status.image_id.len()).sum();
    labels + images
}
