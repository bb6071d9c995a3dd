//! The parts of a pod that its spec, its status, its managed fields and its last applied manifest all show.

use super::facts::{ContainerFacts, ContainerKind, PodFacts};
use super::rng::{Rng, Stream};

/// One pod, decided in full before a byte of it is written.
pub(super) struct Plan<'a> {
    pub(super) facts: &'a PodFacts,
    pub(super) created: Time,
    pub(super) resource_version: u32,
    pub(super) host_ip: String,
    pub(super) pod_ip: String,
    pub(super) token_volume: String,
    pub(super) volumes: Vec<Volume>,
    pub(super) containers: Vec<Container<'a>>,
    pub(super) applied: bool,
    pub(super) rng: Rng,
}

/// One container with what surrounds its facts.
pub(super) struct Container<'a> {
    pub(super) facts: &'a ContainerFacts,
    pub(super) command: Vec<&'static str>,
    pub(super) args: Vec<String>,
    pub(super) env: Vec<Env>,
    pub(super) port: Option<u32>,
    pub(super) mounts: Vec<Mount>,
    pub(super) cpu: &'static str,
    pub(super) memory: &'static str,
    pub(super) restarts: u32,
}

/// An environment variable.
pub(super) enum Env {
    Plain(String, String),
    Field(&'static str, &'static str),
    Secret(String, String),
}

impl Env {
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Plain(name, _) | Self::Secret(name, _) => name,
            Self::Field(name, _) => name,
        }
    }
}

/// A volume's name and what it is.
pub(super) struct Volume {
    pub(super) name: &'static str,
    pub(super) source: Source,
}

/// Where a volume comes from. The string is the name or the path of the source.
pub(super) enum Source {
    ConfigMap(String),
    Secret(String),
    EmptyDir,
    Claim(String),
    HostPath(&'static str),
}

/// A volume at a path in a container.
#[derive(Clone)]
pub(super) struct Mount {
    pub(super) name: String,
    pub(super) path: &'static str,
    pub(super) read_only: bool,
}

/// A second of the year 2026.
#[derive(Clone, Copy)]
pub(super) struct Time {
    month: u32,
    day: u32,
    second: u32,
}

impl Time {
    fn random(rng: &mut Rng) -> Self {
        Self { month: rng.between(1, 12), day: rng.between(1, 28), second: rng.below(80_000) }
    }

    /// `seconds` later on the same day.
    pub(super) fn after(self, seconds: u32) -> String {
        let second = self.second + seconds;
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        format!("2026-{:02}-{:02}T{hour:02}:{minute:02}:{second:02}Z", self.month, self.day)
    }
}

const WORDS: [&str; 16] = [
    "CACHE", "QUEUE", "TRACE", "UPSTREAM", "BATCH", "RETRY", "POOL", "SHARD", "LIMIT", "REGION", "ROUTE",
    "FLUSH", "INDEX", "STREAM", "TENANT", "BUDGET",
];
const ASPECTS: [&str; 8] = ["URL", "TIMEOUT", "SIZE", "MODE", "HOST", "INTERVAL", "ENABLED", "POLICY"];

impl<'a> Plan<'a> {
    pub(super) fn new(facts: &'a PodFacts, seed: u64, index: u32) -> Self {
        let mut rng = Rng::new(seed, Stream::Body, u64::from(index));
        let created = Time::random(&mut rng);
        let token_volume = format!("kube-api-access-{}", rng.suffix(5));
        let volumes = volumes(facts);
        let containers = facts
            .containers
            .iter()
            .map(|container| plan_container(facts, container, &volumes, &token_volume, &mut rng))
            .collect();
        let host_ip = format!("10.20.{}.{}", seed % 200, seed % 250 + 2);
        let pod_ip = if facts.host_network {
            host_ip.clone()
        } else {
            format!("10.{}.{}.{}", 64 + index / 62_500 % 64, index / 250 % 250, index % 250 + 3)
        };
        Self {
            facts,
            created,
            resource_version: rng.between(100_000_000, 900_000_000),
            host_ip,
            pod_ip,
            token_volume,
            volumes,
            containers,
            applied: !facts.is_static() && rng.percent(75),
            rng,
        }
    }

    /// The containers of the array that holds those of `kind`.
    pub(super) fn in_field(&self, kind: ContainerKind) -> impl Iterator<Item = &Container<'a>> {
        self.containers.iter().filter(move |c| c.facts.kind.spec_field() == kind.spec_field())
    }
}

fn volumes(facts: &PodFacts) -> Vec<Volume> {
    let app = &facts.service_account;
    let mut volumes = vec![
        Volume { name: "config", source: Source::ConfigMap(format!("{app}-config")) },
        Volume { name: "tls", source: Source::Secret(format!("{app}-serving-cert")) },
        Volume { name: "scratch", source: Source::EmptyDir },
    ];
    match facts.owner_kind() {
        "StatefulSet" => {
            volumes.push(Volume { name: "data", source: Source::Claim(format!("data-{}", facts.name)) });
        }
        "DaemonSet" | "Node" => {
            volumes.push(Volume { name: "host-logs", source: Source::HostPath("/var/log/pods") });
            volumes.push(Volume { name: "host-run", source: Source::HostPath("/run") });
        }
        _ => {}
    }
    volumes
}

fn plan_container<'a>(
    pod: &PodFacts,
    facts: &'a ContainerFacts,
    volumes: &[Volume],
    token_volume: &str,
    rng: &mut Rng,
) -> Container<'a> {
    let main = facts.kind == ContainerKind::Main;
    let mut env = vec![
        Env::Field("POD_NAME", "metadata.name"),
        Env::Field("POD_NAMESPACE", "metadata.namespace"),
        Env::Field("NODE_NAME", "spec.nodeName"),
    ];
    let plain = if main { rng.between(2, 7) } else { rng.between(3, 6) };
    for number in 0..plain {
        env.push(variable(pod, number, rng));
    }
    let mut mounts: Vec<Mount> = volumes.iter().map(mount).collect();
    mounts.truncate(if main { 5 } else { 2 });
    if !pod.is_static() {
        let path = "/var/run/secrets/kubernetes.io/serviceaccount";
        mounts.push(Mount { name: token_volume.to_owned(), path, read_only: true });
    }
    Container {
        facts,
        command: if rng.percent(50) { vec!["/bin/sh", "-ec"] } else { vec!["/usr/local/bin/entrypoint"] },
        args: arguments(facts, rng),
        env,
        port: (main || facts.kind == ContainerKind::Sidecar).then(|| rng.between(8_000, 9_900)),
        mounts,
        cpu: rng.pick(&["50m", "100m", "250m", "1"]),
        memory: rng.pick(&["64Mi", "256Mi", "1Gi", "1536Mi"]),
        restarts: if rng.percent(20) { rng.between(1, 9) } else { 0 },
    }
}

fn mount(volume: &Volume) -> Mount {
    let (path, read_only) = match volume.name {
        "config" => ("/etc/app/config", true),
        "tls" => ("/etc/app/tls", true),
        "scratch" => ("/tmp", false),
        "data" => ("/var/lib/app", false),
        "host-logs" => ("/host/var/log/pods", true),
        _ => ("/host/run", false),
    };
    Mount { name: volume.name.to_owned(), path, read_only }
}

fn variable(pod: &PodFacts, number: u32, rng: &mut Rng) -> Env {
    let name = format!("APP_{}_{}_{number}", rng.pick(&WORDS), rng.pick(&ASPECTS));
    match rng.below(8) {
        0 => Env::Secret(name, format!("{}-credentials", pod.service_account)),
        1 => Env::Plain(
            name,
            format!("http://{}.{}.svc.cluster.local:8080/v1?a=1&b=2", pod.service_account, pod.namespace),
        ),
        2 => Env::Plain(name, format!("{}ms", rng.below(60_000))),
        3 => Env::Plain(name, format!("{{\"level\":\"info\",\"sample\":{}}}", rng.below(100))),
        4 => Env::Plain(name, "true".to_owned()),
        _ => Env::Plain(name, rng.hex(24)),
    }
}

fn arguments(facts: &ContainerFacts, rng: &mut Rng) -> Vec<String> {
    if facts.kind == ContainerKind::Init {
        let host = facts.image.split('/').nth(1).unwrap_or("default");
        return vec![format!(
            "until nc -z db.{host}.svc 5432 2>&1 >/dev/null && [ $n -lt 60 ]; do n=$((n+1)); sleep 1; done; exec \"$@\" </dev/null"
        )];
    }
    let mut arguments = vec![
        format!("--listen=0.0.0.0:{}", 8000 + rng.below(1900)),
        "--config=/etc/app/config/main.yaml".to_owned(),
        format!("--log-filter=warn,{}=info", facts.name),
    ];
    if rng.percent(40) {
        arguments
            .push(format!("exec /usr/bin/run --ratio '<{}' && echo \"done\" > /tmp/ready", rng.below(9)));
    }
    arguments
}
