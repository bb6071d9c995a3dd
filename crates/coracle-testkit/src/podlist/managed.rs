//! `metadata.managedFields`: which manager set which field, as trees of `f:` and `k:` keys.

use super::facts::ContainerKind;
use super::json::Json;
use super::metadata::generate_name;
use super::plan::{Container, Env, Plan};
use std::collections::BTreeMap;

pub(super) fn write(json: &mut Json, plan: &Plan<'_>, annotations: &BTreeMap<&'static str, String>) {
    let (creator, after) =
        if plan.facts.is_static() { ("kubelet", 1) } else { ("kube-controller-manager", 0) };
    entry(json, creator, &plan.created.after(after), None, |json| {
        json.object("f:metadata", |json| metadata(json, plan, annotations));
        json.object("f:spec", |json| spec(json, plan));
    });
    if plan.applied {
        entry(json, "kubectl-rollout", &plan.created.after(40), None, |json| {
            json.object("f:metadata", |json| {
                json.object("f:annotations", |json| json.empty("f:kubectl.kubernetes.io/restartedAt"));
            });
        });
    }
    entry(json, "kubelet", &plan.created.after(65), Some("status"), |json| {
        json.object("f:status", |json| status(json, plan));
    });
}

fn entry(
    json: &mut Json,
    manager: &str,
    time: &str,
    subresource: Option<&str>,
    fields: impl FnOnce(&mut Json),
) {
    json.item(|json| {
        json.text("manager", manager);
        json.text("operation", "Update");
        json.text("apiVersion", "v1");
        json.text("time", time);
        json.text("fieldsType", "FieldsV1");
        json.object("fieldsV1", fields);
        if let Some(subresource) = subresource {
            json.text("subresource", subresource);
        }
    });
}

fn metadata(json: &mut Json, plan: &Plan<'_>, annotations: &BTreeMap<&'static str, String>) {
    json.object("f:annotations", |json| {
        json.empty(".");
        for key in annotations.keys() {
            json.empty(&format!("f:{key}"));
        }
    });
    if generate_name(plan).is_some() {
        json.empty("f:generateName");
    }
    json.object("f:labels", |json| {
        json.empty(".");
        for key in plan.facts.labels.keys() {
            json.empty(&format!("f:{key}"));
        }
    });
    json.object("f:ownerReferences", |json| {
        json.empty(".");
        for owner in &plan.facts.owners {
            json.empty(&format!("k:{{\"uid\":\"{}\"}}", owner.uid));
        }
    });
}

fn spec(json: &mut Json, plan: &Plan<'_>) {
    json.object("f:affinity", |json| {
        json.empty(".");
        json.empty("f:podAntiAffinity");
    });
    json.object("f:containers", |json| {
        for container in plan.in_field(ContainerKind::Main) {
            describe(json, container);
        }
    });
    for field in ["f:dnsPolicy", "f:enableServiceLinks"] {
        json.empty(field);
    }
    if plan.facts.host_network {
        json.empty("f:hostNetwork");
    }
    if plan.in_field(ContainerKind::Init).next().is_some() {
        json.object("f:initContainers", |json| {
            json.empty(".");
            for container in plan.in_field(ContainerKind::Init) {
                describe(json, container);
            }
        });
    }
    for field in ["f:priorityClassName", "f:restartPolicy", "f:schedulerName"] {
        json.empty(field);
    }
    json.object("f:securityContext", |json| {
        for field in [".", "f:fsGroup", "f:runAsNonRoot", "f:runAsUser", "f:seccompProfile"] {
            json.empty(field);
        }
    });
    for field in
        ["f:serviceAccount", "f:serviceAccountName", "f:terminationGracePeriodSeconds", "f:tolerations"]
    {
        json.empty(field);
    }
    json.object("f:volumes", |json| {
        json.empty(".");
        for volume in &plan.volumes {
            json.object(&format!("k:{{\"name\":\"{}\"}}", volume.name), |json| {
                json.empty(".");
                json.empty("f:name");
                json.object(&format!("f:{}", volume.source.field()), |json| {
                    json.empty(".");
                    json.empty("f:defaultMode");
                    json.empty("f:name");
                });
            });
        }
    });
}

fn describe(json: &mut Json, container: &Container<'_>) {
    json.object(&format!("k:{{\"name\":\"{}\"}}", container.facts.name), |json| {
        for field in [".", "f:args", "f:command"] {
            json.empty(field);
        }
        json.object("f:env", |json| {
            json.empty(".");
            for env in &container.env {
                variable(json, env);
            }
        });
        for field in ["f:image", "f:imagePullPolicy"] {
            json.empty(field);
        }
        if let Some(port) = container.port {
            for name in ["f:livenessProbe", "f:readinessProbe"] {
                json.object(name, probe);
            }
            json.empty("f:name");
            json.object("f:ports", |json| {
                json.empty(".");
                json.object(&format!("k:{{\"containerPort\":{port},\"protocol\":\"TCP\"}}"), |json| {
                    for field in [".", "f:containerPort", "f:name", "f:protocol"] {
                        json.empty(field);
                    }
                });
            });
        } else {
            json.empty("f:name");
        }
        json.object("f:resources", |json| {
            json.empty(".");
            for half in ["f:limits", "f:requests"] {
                json.object(half, |json| {
                    for field in [".", "f:cpu", "f:memory"] {
                        json.empty(field);
                    }
                });
            }
        });
        json.object("f:securityContext", |json| {
            for field in [".", "f:allowPrivilegeEscalation", "f:capabilities", "f:readOnlyRootFilesystem"] {
                json.empty(field);
            }
        });
        for field in ["f:terminationMessagePath", "f:terminationMessagePolicy"] {
            json.empty(field);
        }
        json.object("f:volumeMounts", |json| {
            json.empty(".");
            // The admission plugin that adds the token's mount leaves no entry.
            for mount in container.mounts.iter().filter(|mount| !mount.name.starts_with("kube-api-access")) {
                json.object(&format!("k:{{\"mountPath\":\"{}\"}}", mount.path), |json| {
                    for field in [".", "f:mountPath", "f:name"] {
                        json.empty(field);
                    }
                    if mount.read_only {
                        json.empty("f:readOnly");
                    }
                });
            }
        });
    });
}

fn variable(json: &mut Json, env: &Env) {
    json.object(&format!("k:{{\"name\":\"{}\"}}", env.name()), |json| {
        json.empty(".");
        json.empty("f:name");
        match env {
            Env::Plain(..) => json.empty("f:value"),
            Env::Field(..) => json.object("f:valueFrom", |json| {
                json.empty(".");
                json.empty("f:fieldRef");
            }),
            Env::Secret(..) => json.object("f:valueFrom", |json| {
                json.empty(".");
                json.empty("f:secretKeyRef");
            }),
        }
    });
}

fn probe(json: &mut Json) {
    for field in [".", "f:failureThreshold"] {
        json.empty(field);
    }
    json.object("f:httpGet", |json| {
        for field in [".", "f:path", "f:port", "f:scheme"] {
            json.empty(field);
        }
    });
    for field in ["f:periodSeconds", "f:successThreshold", "f:timeoutSeconds"] {
        json.empty(field);
    }
}

fn status(json: &mut Json, plan: &Plan<'_>) {
    json.object("f:conditions", |json| {
        for kind in ["ContainersReady", "Initialized", "PodReadyToStartContainers", "Ready"] {
            json.object(&format!("k:{{\"type\":\"{kind}\"}}"), |json| {
                for field in [".", "f:lastProbeTime", "f:lastTransitionTime", "f:status", "f:type"] {
                    json.empty(field);
                }
            });
        }
    });
    for field in
        ["f:containerStatuses", "f:hostIP", "f:hostIPs", "f:initContainerStatuses", "f:phase", "f:podIP"]
    {
        json.empty(field);
    }
    json.object("f:podIPs", |json| {
        json.empty(".");
        json.object(&format!("k:{{\"ip\":\"{}\"}}", plan.pod_ip), |json| {
            json.empty(".");
            json.empty("f:ip");
        });
    });
    json.empty("f:startTime");
}
