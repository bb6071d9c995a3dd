//! The manifest that `kubectl apply` keeps in an annotation.

use super::facts::ContainerKind;
use super::json::Json;
use super::plan::{Container, Plan};

/// The manifest as compact JSON and a newline, with its keys sorted as kubectl sorts them.
pub(super) fn text(plan: &Plan<'_>) -> String {
    let mut json = Json::default();
    json.item(|json| {
        json.text("apiVersion", "v1");
        json.text("kind", "Pod");
        json.object("metadata", |json| {
            json.empty("annotations");
            json.object("labels", |json| {
                for (key, value) in &plan.facts.labels {
                    json.text(key, value);
                }
            });
            json.text("name", &plan.facts.name);
            json.text("namespace", &plan.facts.namespace);
        });
        json.object("spec", |json| spec(json, plan));
    });
    json.0.push(b'\n');
    String::from_utf8(json.0).expect("written from strings")
}

fn spec(json: &mut Json, plan: &Plan<'_>) {
    json.array("containers", |json| {
        for container in plan.in_field(ContainerKind::Main) {
            json.item(|json| describe(json, container));
        }
    });
    json.array("initContainers", |json| {
        for container in plan.in_field(ContainerKind::Init) {
            json.item(|json| describe(json, container));
        }
    });
    json.text("serviceAccountName", &plan.facts.service_account);
    json.array("volumes", |json| {
        for volume in &plan.volumes {
            json.item(|json| volume.source.write(json, volume.name));
        }
    });
}

fn describe(json: &mut Json, container: &Container<'_>) {
    json.texts("args", &container.args);
    json.texts("command", &container.command);
    json.array("env", |json| {
        for env in &container.env {
            json.item(|json| env.write(json));
        }
    });
    json.text("image", &container.facts.image);
    json.text("name", &container.facts.name);
    json.object("resources", |json| {
        json.object("requests", |json| {
            json.text("cpu", container.cpu);
            json.text("memory", container.memory);
        });
    });
    json.array("volumeMounts", |json| {
        for mount in &container.mounts {
            json.item(|json| {
                json.text("mountPath", mount.path);
                json.text("name", &mount.name);
            });
        }
    });
}
