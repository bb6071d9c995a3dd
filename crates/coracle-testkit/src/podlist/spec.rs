//! `spec` of a pod.

use super::facts::ContainerKind;
use super::json::Json;
use super::plan::{Container, Env, Plan, Source};

pub(super) fn write(json: &mut Json, plan: &Plan<'_>) {
    json.array("volumes", |json| volumes(json, plan));
    for kind in [ContainerKind::Init, ContainerKind::Main, ContainerKind::Ephemeral] {
        if plan.in_field(kind).next().is_none() {
            continue;
        }
        json.array(kind.spec_field(), |json| {
            for described in plan.in_field(kind) {
                json.item(|json| container(json, described));
            }
        });
    }
    let facts = plan.facts;
    json.text("restartPolicy", if facts.owner_kind() == "Job" { "Never" } else { "Always" });
    json.number("terminationGracePeriodSeconds", 30);
    json.text("dnsPolicy", if facts.host_network { "ClusterFirstWithHostNet" } else { "ClusterFirst" });
    json.object("nodeSelector", |json| json.text("kubernetes.io/os", "linux"));
    json.text("serviceAccountName", &facts.service_account);
    json.text("serviceAccount", &facts.service_account);
    json.text("nodeName", &facts.node_name);
    if facts.host_network {
        json.flag("hostNetwork", true);
    }
    json.object("securityContext", |json| {
        json.number("runAsUser", 10_001);
        json.flag("runAsNonRoot", true);
        json.number("fsGroup", 10_001);
        json.object("seccompProfile", |json| json.text("type", "RuntimeDefault"));
    });
    json.array("imagePullSecrets", |json| json.item(|json| json.text("name", "registry-pull")));
    json.object("affinity", affinity(facts.labels.get("app.kubernetes.io/name").map_or("none", |name| name)));
    json.text("schedulerName", "default-scheduler");
    json.array("tolerations", |json| tolerations(json, facts.owner_kind()));
    json.text("priorityClassName", if facts.is_static() { "system-node-critical" } else { "standard" });
    json.number("priority", if facts.is_static() { 2_000_001_000 } else { 1_000 });
    json.flag("enableServiceLinks", true);
    json.text("preemptionPolicy", "PreemptLowerPriority");
}

fn volumes(json: &mut Json, plan: &Plan<'_>) {
    for volume in &plan.volumes {
        json.item(|json| volume.source.write(json, volume.name));
    }
    if !plan.facts.is_static() {
        json.item(|json| {
            json.text("name", &plan.token_volume);
            json.object("projected", |json| {
                json.array("sources", projected_sources);
                json.number("defaultMode", 420);
            });
        });
    }
}

fn projected_sources(json: &mut Json) {
    json.item(|json| {
        json.object("serviceAccountToken", |json| {
            json.number("expirationSeconds", 3607);
            json.text("path", "token");
        });
    });
    json.item(|json| {
        json.object("configMap", |json| {
            json.text("name", "kube-root-ca.crt");
            json.array("items", |json| {
                json.item(|json| {
                    json.text("key", "ca.crt");
                    json.text("path", "ca.crt");
                });
            });
        });
    });
    json.item(|json| {
        json.object("downwardAPI", |json| {
            json.array("items", |json| {
                json.item(|json| {
                    json.text("path", "namespace");
                    json.object("fieldRef", |json| {
                        json.text("apiVersion", "v1");
                        json.text("fieldPath", "metadata.namespace");
                    });
                });
            });
        });
    });
}

impl Source {
    /// The member of a volume that this source is.
    pub(super) fn field(&self) -> &'static str {
        match self {
            Self::ConfigMap(_) => "configMap",
            Self::Secret(_) => "secret",
            Self::EmptyDir => "emptyDir",
            Self::Claim(_) => "persistentVolumeClaim",
            Self::HostPath(_) => "hostPath",
        }
    }

    /// The members of a volume called `name`.
    pub(super) fn write(&self, json: &mut Json, name: &str) {
        json.text("name", name);
        json.object(self.field(), |json| match self {
            Self::ConfigMap(name) => {
                json.text("name", name);
                json.number("defaultMode", 420);
            }
            Self::Secret(name) => {
                json.text("secretName", name);
                json.number("defaultMode", 420);
            }
            Self::EmptyDir => json.text("sizeLimit", "512Mi"),
            Self::Claim(name) => json.text("claimName", name),
            Self::HostPath(path) => {
                json.text("path", path);
                json.text("type", "DirectoryOrCreate");
            }
        });
    }
}

impl Env {
    /// The members of the variable.
    pub(super) fn write(&self, json: &mut Json) {
        json.text("name", self.name());
        match self {
            Self::Plain(_, value) => json.text("value", value),
            Self::Field(_, path) => json.object("valueFrom", |json| {
                json.object("fieldRef", |json| {
                    json.text("apiVersion", "v1");
                    json.text("fieldPath", path);
                });
            }),
            Self::Secret(name, secret) => json.object("valueFrom", |json| {
                json.object("secretKeyRef", |json| {
                    json.text("name", secret);
                    json.text("key", &name.to_ascii_lowercase());
                });
            }),
        }
    }
}

fn container(json: &mut Json, container: &Container<'_>) {
    let facts = container.facts;
    json.text("name", &facts.name);
    json.text("image", &facts.image);
    json.texts("command", &container.command);
    json.texts("args", &container.args);
    if let Some(port) = container.port {
        json.array("ports", |json| {
            json.item(|json| {
                json.text("name", "http");
                json.number("containerPort", port);
                json.text("protocol", "TCP");
            });
        });
    }
    json.array("env", |json| {
        for env in &container.env {
            json.item(|json| env.write(json));
        }
    });
    if facts.kind == ContainerKind::Ephemeral {
        json.empty("resources");
    } else {
        json.object("resources", |json| resources(json, container));
    }
    if facts.kind == ContainerKind::Sidecar {
        json.text("restartPolicy", "Always");
    }
    json.array("volumeMounts", |json| mounts(json, container, false));
    if container.port.is_some() {
        json.object("livenessProbe", |json| probe(json, "/healthz/live?full=1&quiet=1", 10));
        json.object("readinessProbe", |json| probe(json, "/healthz/ready", 3));
        json.object("startupProbe", |json| {
            json.object("exec", |json| {
                json.texts("command", ["/bin/sh", "-c", "test -s /tmp/ready && exit 0"]);
            });
            json.number("timeoutSeconds", 1);
            json.number("periodSeconds", 5);
            json.number("successThreshold", 1);
            json.number("failureThreshold", 30);
        });
        json.object("lifecycle", |json| {
            json.object("preStop", |json| {
                json.object("exec", |json| json.texts("command", ["/bin/sleep", "5"]));
            });
        });
    }
    json.text("terminationMessagePath", "/dev/termination-log");
    json.text("terminationMessagePolicy", "File");
    json.text("imagePullPolicy", "IfNotPresent");
    json.object("securityContext", |json| {
        json.object("capabilities", |json| json.texts("drop", ["ALL"]));
        json.flag("readOnlyRootFilesystem", true);
        json.flag("allowPrivilegeEscalation", false);
    });
    if facts.kind == ContainerKind::Ephemeral {
        json.flag("stdin", true);
        json.flag("tty", true);
    }
}

/// Limits and requests, which a container's status repeats.
pub(super) fn resources(json: &mut Json, container: &Container<'_>) {
    for half in ["limits", "requests"] {
        json.object(half, |json| {
            json.text("cpu", container.cpu);
            json.text("memory", container.memory);
        });
    }
}

/// Volume mounts; those of a status also say that nothing below them is writable.
pub(super) fn mounts(json: &mut Json, container: &Container<'_>, in_status: bool) {
    for mount in &container.mounts {
        json.item(|json| {
            json.text("name", &mount.name);
            if mount.read_only {
                json.flag("readOnly", true);
            }
            json.text("mountPath", mount.path);
            if mount.read_only && in_status {
                json.text("recursiveReadOnly", "Disabled");
            }
        });
    }
}

fn probe(json: &mut Json, path: &str, period: u8) {
    json.object("httpGet", |json| {
        json.text("path", path);
        json.text("port", "http");
        json.text("scheme", "HTTP");
    });
    json.number("timeoutSeconds", 2);
    json.number("periodSeconds", period);
    json.number("successThreshold", 1);
    json.number("failureThreshold", 3);
}

fn affinity(app: &str) -> impl FnOnce(&mut Json) + '_ {
    move |json| {
        json.object("podAntiAffinity", |json| {
            json.array("preferredDuringSchedulingIgnoredDuringExecution", |json| {
                json.item(|json| {
                    json.number("weight", 100);
                    json.object("podAffinityTerm", |json| {
                        json.object("labelSelector", |json| {
                            json.object("matchLabels", |json| json.text("app.kubernetes.io/name", app));
                        });
                        json.text("topologyKey", "kubernetes.io/hostname");
                    });
                });
            });
        });
    }
}

fn tolerations(json: &mut Json, owner_kind: &str) {
    if owner_kind == "Node" {
        json.item(|json| {
            json.text("operator", "Exists");
            json.text("effect", "NoExecute");
        });
        return;
    }
    for key in ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"] {
        json.item(|json| {
            json.text("key", key);
            json.text("operator", "Exists");
            json.text("effect", "NoExecute");
            if owner_kind != "DaemonSet" {
                json.number("tolerationSeconds", 300);
            }
        });
    }
}
