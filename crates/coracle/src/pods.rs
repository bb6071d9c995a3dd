//! `coracle pods`: what the kubelet tells of.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

use coracle_attest::{PodIndex, PodRef, PodView};
use coracle_podlist::{ContainerKind, ContainerStatus, Owner, Summary};
use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};

use crate::cli::{PodsArgs, PodsFormat};
use crate::columns::Layout;
use crate::escape::value;
use crate::failure::{self, Failure};
use crate::figures::{Bytes, count, peak_heap_bytes};
use crate::{json, terminal};

/// Digits of a container id that tell it apart on one node, as in docker and crictl.
const SHORT_ID: usize = 12;

/// Reads the whole list, then prints it: a list that breaks off must not look like one that did not.
pub(crate) fn run(arguments: PodsArgs) -> Result<(), Failure> {
    let source = arguments.source.into_source()?;
    let mut index = PodIndex::new();
    let summary = crate::runtime()?.block_on(source.read(&mut index))?;
    warn(&index);

    let mut pods: Vec<PodRef<'_>> = index.iter().collect();
    pods.sort_unstable_by(|one, other| {
        (one.namespace(), one.name(), one.uid()).cmp(&(other.namespace(), other.name(), other.uid()))
    });
    let report = Report { pods: &pods, index: &index, summary };
    let mut out = terminal::output();
    let written = match arguments.output {
        PodsFormat::Columns => report.write_columns(&mut out),
        PodsFormat::Wide => report.write_wide(&mut out),
        PodsFormat::Json => json::write(&mut out, &report),
    };
    written.and_then(|()| out.flush()).map_err(Failure::Output)
}

/// Containers that no process will ever be found in should not go unnoticed.
fn warn(index: &PodIndex) {
    let malformed = index.malformed_container_ids() as u64;
    if malformed > 0 {
        let containers = count(malformed, "container has", "containers have");
        failure::print(&format!("note: {containers} a containerID that is no URL with an id"));
    }
}

/// The list as it is printed.
struct Report<'a> {
    pods: &'a [PodRef<'a>],
    index: &'a PodIndex,
    summary: Summary,
}

impl Report<'_> {
    fn write_columns(&self, out: &mut impl Write) -> io::Result<()> {
        let rows = self.pods.iter().map(narrow);
        Layout::of_output().write(out, ["NAMESPACE", "NAME", "PHASE", "NODE", "CONTAINERS"], rows)?;
        self.write_summary(out)
    }

    fn write_wide(&self, out: &mut impl Write) -> io::Result<()> {
        let headers = [
            "NAMESPACE",
            "NAME",
            "PHASE",
            "NODE",
            "CONTAINERS",
            "UID",
            "SERVICE ACCOUNT",
            "OWNER",
            "IMAGES",
            "CONTAINER IDS",
        ];
        Layout::of_output().write(out, headers, self.pods.iter().map(wide))?;
        self.write_summary(out)
    }

    fn write_summary(&self, out: &mut impl Write) -> io::Result<()> {
        let figures = self.figures();
        writeln!(
            out,
            "\n{}, {}, {} skipped · read {} · kept {} · peak heap {}",
            count(figures.pods, "pod", "pods"),
            count(figures.containers, "container", "containers"),
            figures.skipped,
            Bytes(figures.bytes_read),
            Bytes(figures.bytes_kept),
            Bytes(figures.peak_heap_bytes),
        )
    }

    fn figures(&self) -> Figures {
        Figures {
            pods: self.pods.len() as u64,
            containers: self.index.containers() as u64,
            skipped: self.summary.without_uid + self.index.replaced() as u64,
            bytes_read: self.summary.bytes_read,
            bytes_kept: self.index.bytes_kept() as u64,
            peak_heap_bytes: peak_heap_bytes(),
        }
    }
}

fn narrow(pod: &PodRef<'_>) -> [String; 5] {
    let cell = |text| value(text).into_owned();
    let containers = pod.containers().count().to_string();
    [cell(pod.namespace()), cell(pod.name()), cell(pod.phase()), cell(pod.node_name()), containers]
}

fn wide(pod: &PodRef<'_>) -> [String; 10] {
    let [namespace, name, phase, node, containers] = narrow(pod);
    [
        namespace,
        name,
        phase,
        node,
        containers,
        value(pod.uid()).into_owned(),
        value(pod.service_account()).into_owned(),
        joined(pod.owners(), |owner| format!("{}/{}", owner.kind, owner.name).into()),
        joined(pod.containers(), |status| status.image),
        joined(pod.containers(), |status| short_id(&status).to_owned().into()),
    ]
}

/// Escaped, with commas between; nothing for what is empty.
fn joined<'a, T>(items: impl Iterator<Item = T>, text: impl Fn(T) -> Cow<'a, str>) -> String {
    let mut cell = String::new();
    for text in items.map(text).filter(|text| !text.is_empty()) {
        let comma = if cell.is_empty() { "" } else { "," };
        let _ = write!(cell, "{comma}{}", value(&text));
    }
    cell
}

fn short_id<'a>(status: &'a ContainerStatus<'_>) -> &'a str {
    let id = status.bare_id().unwrap_or_default();
    id.char_indices().nth(SHORT_ID).map_or(id, |(end, _)| &id[..end])
}

/// `{"pods":[…],"summary":{…}}`, the summary last, so that it tells of the printing too.
impl Serialize for Report<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let mut document = serializer.serialize_struct("Report", 2)?;
        document.serialize_field("pods", &Pods(self.pods))?;
        document.serialize_field("summary", &self.figures())?;
        document.end()
    }
}

/// What was read, kept and held; the names are an interface.
#[derive(Serialize)]
struct Figures {
    pods: u64,
    containers: u64,
    skipped: u64,
    bytes_read: u64,
    bytes_kept: u64,
    peak_heap_bytes: u64,
}

struct Pods<'a>(&'a [PodRef<'a>]);

impl Serialize for Pods<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // One pod at a time: the document is never held.
        let mut pods = serializer.serialize_seq(Some(self.0.len()))?;
        for pod in self.0 {
            pods.serialize_element(&PodDocument::of(pod))?;
        }
        pods.end()
    }
}

/// One pod; the names are an interface.
#[derive(Serialize)]
struct PodDocument<'a> {
    uid: &'a str,
    namespace: &'a str,
    name: &'a str,
    service_account: &'a str,
    node_name: &'a str,
    phase: &'a str,
    host_network: bool,
    #[serde(serialize_with = "labels")]
    labels: &'a PodRef<'a>,
    owners: Vec<OwnerDocument<'a>>,
    containers: Vec<ContainerDocument<'a>>,
}

impl<'a> PodDocument<'a> {
    fn of(pod: &'a PodRef<'a>) -> Self {
        Self {
            uid: pod.uid(),
            namespace: pod.namespace(),
            name: pod.name(),
            service_account: pod.service_account(),
            node_name: pod.node_name(),
            phase: pod.phase(),
            host_network: pod.host_network(),
            labels: pod,
            owners: pod.owners().map(|Owner { kind, name, uid }| OwnerDocument { kind, name, uid }).collect(),
            containers: pod.containers().map(ContainerDocument::of).collect(),
        }
    }
}

fn labels<S: Serializer>(pod: &PodRef<'_>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pod.labels())
}

#[derive(Serialize)]
struct OwnerDocument<'a> {
    kind: Cow<'a, str>,
    name: Cow<'a, str>,
    uid: Cow<'a, str>,
}

#[derive(Serialize)]
struct ContainerDocument<'a> {
    kind: &'static str,
    name: Cow<'a, str>,
    image: Cow<'a, str>,
    image_id: Cow<'a, str>,
    container_id: Cow<'a, str>,
}

impl<'a> ContainerDocument<'a> {
    fn of(status: ContainerStatus<'a>) -> Self {
        let ContainerStatus { kind, name, image, image_id, container_id } = status;
        let kind = match kind {
            ContainerKind::Container => "container",
            ContainerKind::Init => "init",
            ContainerKind::Ephemeral => "ephemeral",
        };
        Self { kind, name, image, image_id, container_id }
    }
}
