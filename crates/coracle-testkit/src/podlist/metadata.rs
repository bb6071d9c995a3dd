//! `metadata` of a pod.

use super::json::Json;
use super::managed;
use super::manifest;
use super::plan::Plan;
use std::collections::BTreeMap;

pub(super) fn write(json: &mut Json, plan: &mut Plan<'_>) {
    let facts = plan.facts;
    let annotations = annotations(plan);
    json.text("name", &facts.name);
    if let Some(prefix) = generate_name(plan) {
        json.text("generateName", prefix);
    }
    json.text("namespace", &facts.namespace);
    json.text("uid", &facts.uid);
    json.text("resourceVersion", &plan.resource_version.to_string());
    json.number("generation", 1);
    json.text("creationTimestamp", &plan.created.after(0));
    if !facts.labels.is_empty() {
        json.object("labels", |json| {
            for (key, value) in &facts.labels {
                json.text(key, value);
            }
        });
    }
    json.object("annotations", |json| {
        for (key, value) in &annotations {
            json.text(key, value);
        }
    });
    if !facts.owners.is_empty() {
        json.array("ownerReferences", |json| owners(json, plan));
    }
    json.array("managedFields", |json| managed::write(json, plan, &annotations));
}

/// The name without the suffix that the API server added.
pub(super) fn generate_name<'a>(plan: &Plan<'a>) -> Option<&'a str> {
    if !matches!(plan.facts.owner_kind(), "ReplicaSet" | "DaemonSet" | "StatefulSet" | "Job") {
        return None;
    }
    plan.facts.name.rfind('-').map(|dash| &plan.facts.name[..=dash])
}

fn owners(json: &mut Json, plan: &Plan<'_>) {
    for owner in &plan.facts.owners {
        json.item(|json| {
            json.text("apiVersion", &owner.api_version);
            json.text("kind", &owner.kind);
            json.text("name", &owner.name);
            json.text("uid", &owner.uid);
            json.flag("controller", true);
            if owner.kind != "Node" {
                json.flag("blockOwnerDeletion", true);
            }
        });
    }
}

fn annotations(plan: &mut Plan<'_>) -> BTreeMap<&'static str, String> {
    let facts = plan.facts;
    let mut all = BTreeMap::new();
    if facts.is_static() {
        all.insert("kubernetes.io/config.hash", facts.uid.clone());
        all.insert("kubernetes.io/config.mirror", facts.uid.clone());
        all.insert("kubernetes.io/config.seen", plan.created.after(0).replace('Z', ".482901734Z"));
        all.insert("kubernetes.io/config.source", "file".to_owned());
    } else {
        all.insert("checksum/config", plan.rng.hex(64));
        all.insert("kubernetes.io/config.seen", plan.created.after(1).replace('Z', ".012345678Z"));
        all.insert("kubernetes.io/config.source", "api".to_owned());
        all.insert("kubectl.kubernetes.io/restartedAt", plan.created.after(0));
        all.insert("prometheus.io/scrape", "true".to_owned());
    }
    if plan.applied {
        all.insert("kubectl.kubernetes.io/last-applied-configuration", manifest::text(plan));
    }
    if plan.rng.percent(50) {
        let contact = plan.rng.pick(&[
            "Zoë Ångström, équipe paiements ☎ +49 30 000000",
            "開発チーム・検索 <search@example.com>",
            "Команда доставки «Север»",
            "on call: 🛶 & 🌊 (weekdays)",
        ]);
        all.insert("example.com/contact", contact.to_owned());
    }
    if plan.rng.percent(60) {
        all.insert("mesh.example.com/status", mesh_status(plan));
    }
    all
}

/// A status that a webhook leaves behind: JSON in a string.
fn mesh_status(plan: &mut Plan<'_>) -> String {
    let mut json = Json::default();
    json.item(|json| {
        json.texts("containers", plan.containers.iter().map(|container| &container.facts.name));
        json.texts("volumes", plan.volumes.iter().map(|volume| volume.name));
        json.text("revision", &plan.rng.hex(12));
        json.null("imagePullSecrets");
    });
    String::from_utf8(json.0).expect("written from strings")
}
