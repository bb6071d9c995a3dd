//! Chooses the facts of a pod from the seed and its index.

use super::facts::{ContainerFacts, ContainerKind, OwnerFacts, Phase, PodFacts};
use super::rng::{Rng, Stream, unique_suffix};
use std::collections::BTreeMap;

const NAMESPACES: [&str; 10] = [
    "shop",
    "billing",
    "identity",
    "observability",
    "search",
    "media",
    "platform-system",
    "ml-serving",
    "kube-system",
    "payments-eu",
];
const NOUNS: [&str; 24] = [
    "cart",
    "ledger",
    "invoice",
    "catalogue",
    "session",
    "recommendation",
    "thumbnail",
    "inventory",
    "shipping",
    "profile",
    "notification",
    "audit",
    "pricing",
    "fraud-check",
    "feature-flag",
    "report",
    "mail",
    "geo",
    "playlist",
    "transcode",
    "embedding",
    "telemetry",
    "quota",
    "voucher",
];
const ROLES: [&str; 8] = ["api", "worker", "gateway", "db", "cache", "indexer", "frontend", "scheduler"];
const HELPERS: [&str; 3] = ["log-shipper", "metrics-exporter", "config-reloader"];

/// What controls a pod.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Controller {
    ReplicaSet,
    DaemonSet,
    StatefulSet,
    Job,
    Node,
}

/// Which runtime names the containers of a pod.
#[derive(Clone, Copy, Debug)]
enum Runtime {
    Containerd,
    Docker,
    Crio,
}

/// What the pods of one controller have in common.
struct Workload {
    controller: Controller,
    namespace: &'static str,
    app: String,
    version: String,
    hash: String,
    owner_uid: String,
    host_network: bool,
    mains: u32,
    inits: u32,
    sidecar: bool,
    pinned: bool,
}

/// The facts of pod `index`. Nothing but the three arguments decides about them.
pub(super) fn pod(seed: u64, index: u32, node_name: &str) -> PodFacts {
    let workload = workload(seed, index);
    let rng = &mut Rng::new(seed, Stream::Pod, u64::from(index));
    let uid = match workload.controller {
        Controller::Node => rng.hex(32),
        _ => rng.uuid(),
    };
    let phase = phase(workload.controller, rng);
    let owner = owner(&workload, node_name);
    let name = name(&workload, seed, index, node_name);
    let labels = labels(&workload, &owner, &name, index);
    let service_account = match rng.below(10) {
        0..=3 => "default".to_owned(),
        _ => workload.app.clone(),
    };
    PodFacts {
        uid,
        namespace: workload.namespace.to_owned(),
        name,
        service_account,
        node_name: node_name.to_owned(),
        phase,
        host_network: workload.host_network,
        labels,
        owners: vec![owner],
        containers: containers(&workload, phase, rng),
    }
}

fn workload(seed: u64, index: u32) -> Workload {
    // Two neighbours are replicas of one workload, unless its kind has one pod a node.
    let pair = &mut Rng::new(seed, Stream::Workload, u64::from(index / 2));
    let controller = match pair.below(100) {
        0..46 => Controller::ReplicaSet,
        46..64 => Controller::DaemonSet,
        64..78 => Controller::StatefulSet,
        78..93 => Controller::Job,
        _ => Controller::Node,
    };
    let single = &mut Rng::new(seed, Stream::Workload, (1 << 40) + u64::from(index));
    let rng = match controller {
        Controller::ReplicaSet | Controller::StatefulSet => pair,
        _ => single,
    };
    let host_network = match controller {
        Controller::Node => true,
        Controller::DaemonSet => rng.percent(40),
        _ => rng.percent(2),
    };
    Workload {
        controller,
        namespace: match controller {
            Controller::Node => "kube-system",
            _ => rng.pick(&NAMESPACES),
        },
        app: format!("{}-{}", rng.pick(&NOUNS), rng.pick(&ROLES)),
        version: format!("{}.{}.{}", rng.between(0, 9), rng.below(40), rng.below(20)),
        hash: rng.suffix(10),
        owner_uid: rng.uuid(),
        host_network,
        mains: [1, 2, 2, 2, 2, 3, 3, 3, 4, 4][rng.below(10) as usize],
        inits: [0, 0, 0, 0, 0, 0, 1, 1, 2][rng.below(9) as usize],
        sidecar: rng.percent(12),
        pinned: rng.percent(10),
    }
}

fn phase(controller: Controller, rng: &mut Rng) -> Phase {
    match (controller, rng.below(100)) {
        (Controller::Job, 0..60) => Phase::Succeeded,
        (Controller::Job, 60..80) | (Controller::ReplicaSet, 96..) => Phase::Failed,
        (Controller::Node, _) => Phase::Running,
        (_, 0..7) => Phase::Pending,
        _ => Phase::Running,
    }
}

fn name(workload: &Workload, seed: u64, index: u32, node_name: &str) -> String {
    let app = &workload.app;
    match workload.controller {
        Controller::ReplicaSet => format!("{app}-{}-{}", workload.hash, unique_suffix(seed, index)),
        Controller::DaemonSet => format!("{app}-{}", unique_suffix(seed, index)),
        Controller::StatefulSet => format!("{app}-{index}"),
        Controller::Job => format!("{}-{}", job_name(workload), unique_suffix(seed, index)),
        Controller::Node => format!("{app}-{index}-{node_name}"),
    }
}

fn job_name(workload: &Workload) -> String {
    // A CronJob names its jobs after the minute since 1970.
    let minute = 29_450_000 + u32::from(workload.hash.as_bytes()[0]) * 251;
    format!("{}-{minute}", workload.app)
}

fn owner(workload: &Workload, node_name: &str) -> OwnerFacts {
    let app = &workload.app;
    let (api_version, kind, name) = match workload.controller {
        Controller::ReplicaSet => ("apps/v1", "ReplicaSet", format!("{app}-{}", workload.hash)),
        Controller::DaemonSet => ("apps/v1", "DaemonSet", app.clone()),
        Controller::StatefulSet => ("apps/v1", "StatefulSet", app.clone()),
        Controller::Job => ("batch/v1", "Job", job_name(workload)),
        Controller::Node => ("v1", "Node", node_name.to_owned()),
    };
    OwnerFacts { api_version: api_version.into(), kind: kind.into(), name, uid: workload.owner_uid.clone() }
}

fn labels(workload: &Workload, owner: &OwnerFacts, name: &str, index: u32) -> BTreeMap<String, String> {
    let mut labels = BTreeMap::new();
    let mut add = |key: &str, value: &str| {
        labels.insert(key.to_owned(), value.to_owned());
    };
    if workload.controller == Controller::Node {
        add("component", &workload.app);
        add("tier", "control-plane");
        return labels;
    }
    add("app.kubernetes.io/name", &workload.app);
    add("app.kubernetes.io/instance", &format!("{}-{}", workload.namespace, workload.app));
    add("app.kubernetes.io/part-of", workload.namespace);
    add("app.kubernetes.io/version", &workload.version);
    add("app.kubernetes.io/managed-by", "release-pipeline");
    add("topology.example.com/cell", "eu-central-1a");
    add("canary", "");
    match workload.controller {
        Controller::ReplicaSet => add("pod-template-hash", &workload.hash),
        Controller::DaemonSet => {
            add("controller-revision-hash", &workload.hash);
            add("pod-template-generation", "7");
        }
        Controller::StatefulSet => {
            add("apps.kubernetes.io/pod-index", &index.to_string());
            add("controller-revision-hash", &format!("{}-{}", workload.app, workload.hash));
            add("statefulset.kubernetes.io/pod-name", name);
        }
        Controller::Job => {
            add("batch.kubernetes.io/controller-uid", &owner.uid);
            add("batch.kubernetes.io/job-name", &owner.name);
            add("controller-uid", &owner.uid);
            add("job-name", &owner.name);
        }
        Controller::Node => {}
    }
    labels
}

fn containers(workload: &Workload, phase: Phase, rng: &mut Rng) -> Vec<ContainerFacts> {
    let mut named: Vec<(ContainerKind, String)> = Vec::new();
    for name in ["wait-for-dependencies", "migrate-schema"].iter().take(workload.inits as usize) {
        named.push((ContainerKind::Init, (*name).to_owned()));
    }
    if workload.sidecar {
        named.push((ContainerKind::Sidecar, "mesh-proxy".to_owned()));
    }
    named.push((ContainerKind::Main, workload.app.clone()));
    for name in HELPERS.iter().take(workload.mains as usize - 1) {
        named.push((ContainerKind::Main, (*name).to_owned()));
    }
    if phase == Phase::Running && rng.percent(4) {
        named.push((ContainerKind::Ephemeral, format!("debugger-{}", rng.suffix(5))));
    }
    let runtime = match rng.below(20) {
        0..=15 => Runtime::Containerd,
        16 | 17 => Runtime::Docker,
        _ => Runtime::Crio,
    };
    named.into_iter().map(|(kind, name)| container(workload, kind, name, runtime, phase, rng)).collect()
}

fn container(
    workload: &Workload,
    kind: ContainerKind,
    name: String,
    runtime: Runtime,
    phase: Phase,
    rng: &mut Rng,
) -> ContainerFacts {
    let repository = if name == workload.app {
        format!("registry.example.com/{}/{name}", workload.namespace)
    } else {
        let base = name.split_once("debugger-").map_or(name.as_str(), |_| "debugger");
        format!("registry.example.com/platform/{base}")
    };
    let (digest, id) = (rng.hex(64), rng.hex(64));
    let pinned = format!("{repository}@sha256:{digest}");
    let image = if workload.pinned { pinned.clone() } else { format!("{repository}:{}", workload.version) };
    if phase == Phase::Pending {
        return ContainerFacts { kind, name, image, image_id: String::new(), container_id: String::new() };
    }
    let (image_id, scheme) = match runtime {
        Runtime::Containerd => (pinned, "containerd"),
        Runtime::Docker => (format!("docker-pullable://{pinned}"), "docker"),
        Runtime::Crio => (pinned, "cri-o"),
    };
    ContainerFacts { kind, name, image, image_id, container_id: format!("{scheme}://{id}") }
}
