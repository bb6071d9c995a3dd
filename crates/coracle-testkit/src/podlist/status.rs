//! `status` of a pod.

use super::facts::{ContainerFacts, ContainerKind, Phase};
use super::json::Json;
use super::plan::{Container, Plan};
use super::rng::Rng;
use super::spec;

pub(super) fn write(json: &mut Json, plan: &mut Plan<'_>) {
    let phase = plan.facts.phase;
    json.text("phase", phase.as_str());
    json.array("conditions", |json| conditions(json, plan));
    json.text("hostIP", &plan.host_ip);
    json.array("hostIPs", |json| json.item(|json| json.text("ip", &plan.host_ip)));
    if phase != Phase::Pending {
        json.text("podIP", &plan.pod_ip);
        json.array("podIPs", |json| json.item(|json| json.text("ip", &plan.pod_ip)));
    }
    json.text("startTime", &plan.created.after(2));
    let mut rng = plan.rng.clone();
    statuses(json, plan, ContainerKind::Init, &mut rng);
    statuses(json, plan, ContainerKind::Main, &mut rng);
    json.text("qosClass", if plan.facts.is_static() { "Burstable" } else { "Guaranteed" });
    statuses(json, plan, ContainerKind::Ephemeral, &mut rng);
}

fn conditions(json: &mut Json, plan: &Plan<'_>) {
    let phase = plan.facts.phase;
    let (ready, reason) = match phase {
        Phase::Running => ("True", None),
        Phase::Pending => ("False", Some("ContainersNotReady")),
        Phase::Succeeded => ("False", Some("PodCompleted")),
        Phase::Failed => ("False", Some("PodFailed")),
    };
    let has_network = if phase == Phase::Running { "True" } else { "False" };
    let initialized = if phase == Phase::Pending { "False" } else { "True" };
    let all = [
        ("PodReadyToStartContainers", has_network, None, 3),
        ("Initialized", initialized, None, 20),
        ("Ready", ready, reason, 64),
        ("ContainersReady", ready, reason, 64),
        ("PodScheduled", "True", None, 1),
    ];
    for (kind, status, reason, after) in all {
        json.item(|json| {
            json.text("type", kind);
            json.text("status", status);
            json.null("lastProbeTime");
            json.text("lastTransitionTime", &plan.created.after(after));
            if let Some(reason) = reason {
                json.text("reason", reason);
            }
        });
    }
}

fn statuses(json: &mut Json, plan: &Plan<'_>, kind: ContainerKind, rng: &mut Rng) {
    if plan.in_field(kind).next().is_none() {
        return;
    }
    json.array(kind.status_field(), |json| {
        for container in plan.in_field(kind) {
            json.item(|json| status(json, plan, container, rng));
        }
    });
}

fn status(json: &mut Json, plan: &Plan<'_>, container: &Container<'_>, rng: &mut Rng) {
    let facts = container.facts;
    let state = State::of(plan.facts.phase, facts);
    json.text("name", &facts.name);
    json.object("state", |json| state.write(json, plan, facts));
    let restarted = container.restarts > 0 && state != State::Waiting && facts.kind == ContainerKind::Main;
    if restarted {
        json.object("lastState", |json| previous(json, plan, facts, rng));
    } else {
        json.empty("lastState");
    }
    let runs = state == State::Running;
    json.flag("ready", runs || state == State::Completed && facts.kind == ContainerKind::Init);
    json.number("restartCount", if restarted { container.restarts } else { 0 });
    json.text("image", &facts.image);
    json.text("imageID", &facts.image_id);
    if !facts.container_id.is_empty() {
        json.text("containerID", &facts.container_id);
    }
    json.flag("started", runs);
    if runs {
        json.object("allocatedResources", |json| {
            json.text("cpu", container.cpu);
            json.text("memory", container.memory);
        });
        json.object("resources", |json| spec::resources(json, container));
    }
    json.array("volumeMounts", |json| spec::mounts(json, container, true));
    if runs {
        json.object("user", |json| {
            json.object("linux", |json| {
                json.number("uid", 10_001);
                json.number("gid", 10_001);
            });
        });
    }
}

/// What a container does now.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum State {
    Waiting,
    Running,
    Completed,
    Lost,
}

impl State {
    fn of(phase: Phase, facts: &ContainerFacts) -> Self {
        if facts.container_id.is_empty() {
            return Self::Waiting;
        }
        match phase {
            _ if facts.kind == ContainerKind::Init => Self::Completed,
            Phase::Pending | Phase::Running => Self::Running,
            Phase::Succeeded => Self::Completed,
            Phase::Failed => Self::Lost,
        }
    }

    fn write(self, json: &mut Json, plan: &Plan<'_>, facts: &ContainerFacts) {
        let started = plan.created.after(if facts.kind == ContainerKind::Init { 8 } else { 24 });
        match self {
            Self::Waiting => json.object("waiting", |json| {
                let first = plan.in_field(ContainerKind::Init).next().is_none();
                json.text("reason", if first { "ContainerCreating" } else { "PodInitializing" });
            }),
            Self::Running => json.object("running", |json| json.text("startedAt", &started)),
            Self::Completed => json.object("terminated", |json| {
                json.number("exitCode", 0);
                json.text("reason", "Completed");
                json.text("startedAt", &started);
                json.text("finishedAt", &plan.created.after(61));
                json.text("containerID", &facts.container_id);
            }),
            Self::Lost => json.object("terminated", |json| {
                json.number("exitCode", 137);
                json.text("reason", "ContainerStatusUnknown");
                json.text("message", "The container could not be located when the pod was terminated");
                json.null("startedAt");
                json.null("finishedAt");
                json.text("containerID", &facts.container_id);
            }),
        }
    }
}

/// An earlier run of the container, whose id must not be taken for the present one.
fn previous(json: &mut Json, plan: &Plan<'_>, facts: &ContainerFacts, rng: &mut Rng) {
    let scheme = facts.container_id.split_once("://").map_or("containerd", |(scheme, _)| scheme);
    json.object("terminated", |json| {
        json.number("exitCode", 1);
        json.text("reason", "Error");
        json.text("message", "panic: connection refused\n\tat main.go:42 <nil>\n");
        json.text("startedAt", &plan.created.after(10));
        json.text("finishedAt", &plan.created.after(21));
        json.text("containerID", &format!("{scheme}://{}", rng.hex(64)));
    });
}
