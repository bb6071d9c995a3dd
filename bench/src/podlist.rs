//! Pod lists: find one container's pod, and keep all pods.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use coracle_attest::{Answer, Finder, PodIndex, PodView};
use coracle_containers::ContainerRef;
use coracle_podlist::{Reader, Sink};
use coracle_testkit::podlist::PodList;
use serde::Deserialize;

use crate::rounds::{Contender, compare};

/// The size of the pieces that a kubelet's answer comes in.
const CHUNK: usize = 16 << 10;

pub(crate) fn run(input: Option<&Path>, bytes: u64, rounds: usize) -> Result<(), String> {
    let document = match input {
        Some(path) => {
            std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?
        }
        None => PodList::of_size(bytes, 1).to_vec(),
    };
    let (pod_uid, container_id) = last_container(&document)?;
    let known = ContainerRef { pod_uid: Some(pod_uid), container_id: container_id.clone() };
    let unknown = ContainerRef { pod_uid: None, container_id };
    let name = "coracle, 16 KiB chunks";
    compare(
        "Find the last pod's container, by its pod's uid",
        document.len(),
        rounds,
        &mut [
            typed_find(&document, &known),
            Contender { name, run: Box::new(|| find(&document, &known)) },
            limit(&document, &known),
        ],
    )?;
    compare(
        "Find the last pod's container, by its own id",
        document.len(),
        rounds,
        &mut [
            typed_find(&document, &unknown),
            Contender { name, run: Box::new(|| find(&document, &unknown)) },
            limit(&document, &unknown),
        ],
    )?;
    compare(
        "Index all pods",
        document.len(),
        rounds,
        &mut [
            Contender {
                name: "serde_json, typed, whole slice",
                run: Box::new(|| typed(&document).len().to_string()),
            },
            Contender {
                name,
                run: Box::new(|| {
                    let mut index = PodIndex::new();
                    read(&document, &mut index);
                    index.len().to_string()
                }),
            },
        ],
    )
}

fn typed_find<'a>(document: &'a [u8], wanted: &'a ContainerRef) -> Contender<'a> {
    Contender {
        name: "serde_json, typed, whole slice",
        run: Box::new(|| {
            let list: List<'_> = serde_json::from_slice(document).expect("read before");
            let pod = list.items.iter().find(|pod| pod.has(wanted)).expect("found before");
            pod.metadata.name.to_string()
        }),
    }
}

/// What the machine can do at best: looks at every byte, understands none.
fn limit<'a>(document: &'a [u8], wanted: &'a ContainerRef) -> Contender<'a> {
    let answer = find(document, wanted);
    Contender {
        name: "(limit: memchr and UTF-8 check, no JSON)",
        run: Box::new(move || {
            std::hint::black_box(std::str::from_utf8(document).is_ok());
            std::hint::black_box(memchr::memchr_iter(b'"', document).count());
            answer.clone()
        }),
    }
}

fn read(document: &[u8], sink: &mut impl Sink) {
    let mut reader = Reader::new();
    for chunk in document.chunks(CHUNK) {
        reader.push(chunk, sink).expect("read before");
    }
    reader.finish(sink).expect("read before");
}

fn find(document: &[u8], wanted: &ContainerRef) -> String {
    let mut finder = Finder::new(wanted.clone(), false);
    read(document, &mut finder);
    match finder.finish() {
        Ok(Answer::Found(found)) => found.pod.name,
        other => format!("{other:?}"),
    }
}

/// The uid and a container id of the last pod that has one.
fn last_container(document: &[u8]) -> Result<(String, String), String> {
    let mut index = PodIndex::new();
    let mut reader = Reader::new();
    for chunk in document.chunks(CHUNK) {
        reader.push(chunk, &mut index).map_err(|error| error.to_string())?;
    }
    reader.finish(&mut index).map_err(|error| error.to_string())?;
    let last = index.iter().filter_map(|pod| {
        let id = pod.containers().find_map(|container| container.bare_id().map(str::to_owned))?;
        Some((pod.uid().to_owned(), id))
    });
    last.last().ok_or_else(|| "no pod of the list has a running container".to_owned())
}

/// The pods, as a program that uses `serde_json` well would have them: only the fields that are needed, borrowed from
/// the document, which must stay in memory.
fn typed(document: &[u8]) -> HashMap<String, Pod<'_>> {
    let list: List<'_> = serde_json::from_slice(document).expect("read before");
    list.items.into_iter().map(|pod| (pod.metadata.uid.to_string(), pod)).collect()
}

#[derive(Deserialize)]
struct List<'a> {
    #[serde(borrow)]
    items: Vec<Pod<'a>>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "decoded as a reader that needs the fields would have to")]
struct Pod<'a> {
    #[serde(borrow)]
    metadata: Metadata<'a>,
    #[serde(borrow)]
    spec: Spec<'a>,
    #[serde(borrow)]
    status: Status<'a>,
}

impl Pod<'_> {
    fn has(&self, wanted: &ContainerRef) -> bool {
        let lists = [
            &self.status.container_statuses,
            &self.status.init_container_statuses,
            &self.status.ephemeral_container_statuses,
        ];
        wanted.pod_uid.as_ref().is_none_or(|uid| *uid == self.metadata.uid)
            && lists.iter().any(|list| {
                list.iter().any(|container| container.container_id.ends_with(&wanted.container_id))
            })
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "decoded as a reader that needs the fields would have to")]
struct Metadata<'a> {
    uid: Cow<'a, str>,
    name: Cow<'a, str>,
    namespace: Cow<'a, str>,
    #[serde(default, borrow)]
    labels: HashMap<Cow<'a, str>, Cow<'a, str>>,
    #[serde(default, borrow)]
    owner_references: Vec<Owner<'a>>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "decoded as a reader that needs the fields would have to")]
struct Owner<'a> {
    kind: Cow<'a, str>,
    name: Cow<'a, str>,
    uid: Cow<'a, str>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "decoded as a reader that needs the fields would have to")]
struct Spec<'a> {
    #[serde(default, borrow)]
    service_account_name: Cow<'a, str>,
    #[serde(default, borrow)]
    node_name: Cow<'a, str>,
    #[serde(default)]
    host_network: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "decoded as a reader that needs the fields would have to")]
struct Status<'a> {
    #[serde(default, borrow)]
    phase: Cow<'a, str>,
    #[serde(default, borrow)]
    container_statuses: Vec<Container<'a>>,
    #[serde(default, borrow)]
    init_container_statuses: Vec<Container<'a>>,
    #[serde(default, borrow)]
    ephemeral_container_statuses: Vec<Container<'a>>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "decoded as a reader that needs the fields would have to")]
#[expect(clippy::struct_field_names, reason = "the names of Kubernetes")]
struct Container<'a> {
    name: Cow<'a, str>,
    image: Cow<'a, str>,
    #[serde(rename = "imageID")]
    image_id: Cow<'a, str>,
    #[serde(default, borrow, rename = "containerID")]
    container_id: Cow<'a, str>,
}
