use super::*;
use serde_json::Value;
use std::collections::HashSet;

fn parsed(list: &PodList) -> Vec<Value> {
    let document: Value = serde_json::from_slice(&list.to_vec()).expect("the list is JSON");
    assert_eq!(document["kind"], "PodList");
    document["items"].as_array().expect("items is an array").clone()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn owner(value: &Value) -> OwnerFacts {
    OwnerFacts {
        api_version: text(&value["apiVersion"]),
        kind: text(&value["kind"]),
        name: text(&value["name"]),
        uid: text(&value["uid"]),
    }
}

/// The facts of a pod as its JSON says them, each container's kind from the array it stands in.
fn facts_in(pod: &Value) -> PodFacts {
    let mut containers = Vec::new();
    for kind in [ContainerKind::Init, ContainerKind::Main, ContainerKind::Ephemeral] {
        let statuses = pod["status"][kind.status_field()].as_array();
        for (at, status) in statuses.into_iter().flatten().enumerate() {
            let sidecar = pod["spec"][kind.spec_field()][at]["restartPolicy"] == "Always";
            containers.push(ContainerFacts {
                kind: if sidecar { ContainerKind::Sidecar } else { kind },
                name: text(&status["name"]),
                image: text(&status["image"]),
                image_id: text(&status["imageID"]),
                container_id: text(&status["containerID"]),
            });
        }
    }
    let labels = pod["metadata"]["labels"].as_object();
    let owners = pod["metadata"]["ownerReferences"].as_array();
    PodFacts {
        uid: text(&pod["metadata"]["uid"]),
        namespace: text(&pod["metadata"]["namespace"]),
        name: text(&pod["metadata"]["name"]),
        service_account: text(&pod["spec"]["serviceAccountName"]),
        node_name: text(&pod["spec"]["nodeName"]),
        phase: [Phase::Pending, Phase::Running, Phase::Succeeded, Phase::Failed]
            .into_iter()
            .find(|phase| pod["status"]["phase"] == phase.as_str())
            .expect("a phase"),
        host_network: pod["spec"]["hostNetwork"] == true,
        labels: labels.into_iter().flatten().map(|(key, value)| (key.clone(), text(value))).collect(),
        owners: owners.into_iter().flatten().map(owner).collect(),
        containers,
    }
}

#[test]
fn every_fact_stands_in_the_json() {
    let list = PodList::new(400, 7);
    let pods = parsed(&list);
    assert_eq!(pods.len(), 400);
    for (pod, facts) in pods.iter().zip(list.facts()) {
        assert_eq!(facts_in(pod), facts);
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_seed_others() {
    assert_eq!(PodList::new(20, 3).to_vec(), PodList::new(20, 3).to_vec());
    assert_ne!(PodList::new(20, 3).to_vec(), PodList::new(20, 4).to_vec());
}

#[test]
fn a_longer_list_starts_with_the_pods_of_the_shorter_one() {
    let (short, long) = (PodList::new(5, 8).to_vec(), PodList::new(6, 8).to_vec());
    let shared = short.len() - TAIL.len();
    assert_eq!(short[..shared], long[..shared]);
    assert_eq!(long[shared], b',');
}

#[test]
fn the_bytes_of_a_seed_never_change() {
    // FNV-1a over the document: a change of the generator must be meant.
    let hash = PodList::new(30, 1).to_vec().iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    assert_eq!(hash, 16_137_588_976_908_870_500);
}

#[test]
fn ids_and_names_are_unique_over_the_list() {
    let list = PodList::new(12_000, 5);
    let (mut uids, mut names, mut ids, mut image_ids) =
        (HashSet::new(), HashSet::new(), HashSet::new(), HashSet::new());
    for pod in list.facts() {
        assert!(uids.insert(pod.uid), "a uid twice");
        assert!(names.insert((pod.namespace, pod.name)), "a name twice");
        let mut in_pod = HashSet::new();
        for container in pod.containers {
            assert!(in_pod.insert(container.name.clone()), "two containers of one name");
            if container.container_id.is_empty() {
                continue;
            }
            assert_eq!(container.bare_id().len(), 64);
            assert!(ids.insert(container.container_id), "a container id twice");
            assert!(image_ids.insert(container.image_id), "an image id twice");
        }
    }
}

#[test]
fn a_pod_is_25_kb_on_average_and_between_8_and_60() {
    let list = PodList::new(2_000, 11);
    let average = list.document_len() / 2_000;
    assert!((24_000..26_000).contains(&average), "{average} bytes a pod");
    let mut chunks = list.chunks();
    while let Some(chunk) = chunks.next_chunk() {
        let is_pod = chunk != HEAD && chunk != TAIL;
        assert!(!is_pod || (8_000..60_000).contains(&chunk.len()), "a pod of {} bytes", chunk.len());
    }
}

#[test]
fn a_list_of_a_size_is_the_shortest_that_reaches_it() {
    for bytes in [0, 61, 100_000, 1_000_000] {
        let list = PodList::of_size(bytes, 2);
        assert!(list.document_len() >= bytes);
        let shorter = PodList::new(list.pods().saturating_sub(1), 2);
        assert!(list.pods() == 0 || shorter.document_len() < bytes, "{} pods for {bytes}", list.pods());
    }
    assert_eq!(PodList::of_size(61, 2).pods(), 0, "an empty list is 62 bytes long");
}

#[test]
fn a_list_shows_every_kind_of_pod() {
    let all: Vec<PodFacts> = PodList::new(1_000, 1).facts().collect();
    let share = |what: &dyn Fn(&PodFacts) -> bool| all.iter().filter(|pod| what(pod)).count();
    for kind in ["ReplicaSet", "DaemonSet", "StatefulSet", "Job", "Node"] {
        assert!(share(&|pod| pod.owner_kind() == kind) >= 30, "{kind}");
    }
    for phase in [Phase::Pending, Phase::Running, Phase::Succeeded, Phase::Failed] {
        assert!(share(&|pod| pod.phase == phase) >= 25, "{phase:?}");
    }
    for scheme in ["containerd://", "docker://", "cri-o://"] {
        assert!(share(&|pod| pod.containers[0].container_id.starts_with(scheme)) >= 50, "{scheme}");
    }
    let with = |kind| share(&|pod| pod.containers.iter().any(|container| container.kind == kind));
    assert!((250..450).contains(&with(ContainerKind::Init)), "{}", with(ContainerKind::Init));
    assert!((80..160).contains(&with(ContainerKind::Sidecar)), "{}", with(ContainerKind::Sidecar));
    assert!((10..60).contains(&with(ContainerKind::Ephemeral)), "{}", with(ContainerKind::Ephemeral));
    let mains = share(&|pod| pod.statuses("containerStatuses").count() >= 2);
    assert!(mains > 800, "{mains} pods with more than one main container");
    assert!(share(&|pod| pod.host_network) > 50);
}

#[test]
fn a_static_pod_has_an_undashed_uid_and_says_where_it_comes_from() {
    let list = PodList::new(200, 1);
    let pods = parsed(&list);
    let mut seen = 0;
    for pod in pods.iter().filter(|pod| pod["metadata"]["ownerReferences"][0]["kind"] == "Node") {
        let uid = text(&pod["metadata"]["uid"]);
        assert_eq!((uid.len(), uid.contains('-')), (32, false));
        let annotations = &pod["metadata"]["annotations"];
        assert_eq!(annotations["kubernetes.io/config.hash"], Value::from(uid));
        assert_eq!(annotations["kubernetes.io/config.source"], "file");
        seen += 1;
    }
    assert!(seen > 3, "{seen} static pods");
}

#[test]
fn the_last_applied_manifest_is_json_in_a_string_of_several_kb() {
    let pods = parsed(&PodList::new(50, 1));
    let manifests: Vec<&str> = pods
        .iter()
        .filter_map(|pod| {
            pod["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"].as_str()
        })
        .collect();
    assert!(manifests.len() > 20, "{}", manifests.len());
    for manifest in manifests {
        assert!(manifest.len() > 1_500, "{}", manifest.len());
        let value: Value = serde_json::from_str(manifest).expect("the manifest is JSON");
        assert_eq!(value["kind"], "Pod");
    }
}

#[test]
fn text_is_escaped_as_go_does_and_not_all_of_it_is_ascii() {
    let document = String::from_utf8(PodList::new(50, 1).to_vec()).unwrap();
    for part in ["\\u003c", "\\u003e", "\\u0026\\u0026", "\\\"kind\\\":\\\"Pod\\\"", "é", "🛶"] {
        assert!(document.contains(part), "{part}");
    }
    assert!(!document.contains(['<', '>', '&']));
    assert!(document.ends_with("]}\n"));
}

#[test]
fn managed_fields_name_several_managers() {
    let pods = parsed(&PodList::new(50, 1));
    let managers: HashSet<&str> = pods
        .iter()
        .flat_map(|pod| pod["metadata"]["managedFields"].as_array().unwrap())
        .map(|entry| entry["manager"].as_str().unwrap())
        .collect();
    assert_eq!(managers, HashSet::from(["kube-controller-manager", "kubectl-rollout", "kubelet"]));
}

#[test]
fn the_pieces_together_are_the_document() {
    let list = PodList::new(9, 2);
    assert_eq!(list.chunks().count(), 11, "a head, nine pods, a tail");
    assert_eq!(list.chunks().flatten().collect::<Vec<u8>>(), list.to_vec());
}

#[test]
fn given_facts_replace_the_generated_ones_and_leave_the_other_pods_alone() {
    let plain = PodList::new(4, 6);
    let mut facts = plain.pod(1);
    facts.uid = "00000000-1111-2222-3333-444444444444".to_owned();
    facts.containers.truncate(1);
    facts.containers[0].container_id = format!("containerd://{}", "0123456789abcdef".repeat(4));
    let list = plain.clone().override_pod(1, facts.clone()).with_pod(facts.clone());
    let (before, after) = (parsed(&plain), parsed(&list));
    assert_eq!(after.len(), 5);
    assert_eq!((&after[0], &after[2], &after[3]), (&before[0], &before[2], &before[3]));
    assert_eq!((facts_in(&after[1]), facts_in(&after[4])), (facts.clone(), facts));
}

#[test]
fn a_pod_may_have_no_labels_no_owners_and_no_containers() {
    let mut facts = PodList::new(1, 1).pod(0);
    facts.labels.clear();
    facts.owners.clear();
    facts.containers.clear();
    let list = PodList::new(0, 1).with_pod(facts.clone());
    assert_eq!(facts_in(&parsed(&list)[0]), facts);
}
