//! `coracle pods` where all is well.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use coracle_testkit::podlist::PodList;
use serde_json::{Value, json};

use crate::harness::{Generated, ID, PODS, Place, Served, UID, command, coracle, coracle_reading};

fn pods(format: &str) -> String {
    let place = Place::new();
    coracle(&["pods", "--pods", &place.text("pods.json"), "-o", format]).output().to_owned()
}

/// The figures that differ from one build to the next are cut off.
fn table_of(text: &str) -> (&str, &str) {
    text.split_once(" · kept ").expect("a summary")
}

#[test]
fn columns_are_sorted_and_end_with_what_was_read() {
    let text = pods("columns");
    let (table, figures) = table_of(&text);
    let expected = format!(
        "NAMESPACE  NAME           PHASE    NODE      CONTAINERS\n\
         billing    ledger-0       Pending  -         0\n\
         shop       cart-7d9c-x2k  Running  worker-3  2\n\
         \n\
         2 pods, 2 containers, 1 skipped · read {} B",
        PODS.len()
    );
    assert_eq!(table, expected);
    assert!(figures.contains(" · peak heap ") && figures.ends_with("B\n"), "{figures}");
}

#[test]
fn wide_columns_add_uid_account_owner_images_and_short_ids() {
    let text = pods("wide");
    let lines: Vec<Vec<&str>> = text
        .lines()
        .take(3)
        .map(|line| line.split("  ").map(str::trim).filter(|c| !c.is_empty()).collect())
        .collect();
    let headers = ["UID", "SERVICE ACCOUNT", "OWNER", "IMAGES", "CONTAINER IDS"];
    assert_eq!(lines[0][5..], headers);
    assert_eq!(lines[1][3..], ["-", "0", "u-2", "-", "-", "-", "-"]);
    let expected = [UID, "cart", "ReplicaSet/cart-7d9c", "r/cart:1,r/m:1", "9bca8d63d5fa,111111111111"];
    assert_eq!(lines[2][5..], expected);
}

#[test]
fn json_has_the_documented_names_and_the_summary_adds_up() {
    let text = pods("json");
    assert_eq!(text.lines().count(), 1);
    let document: Value = serde_json::from_str(&text).expect("JSON");
    let container = |kind, name, image, image_id, id: &str| {
        json!({"kind": kind, "name": name, "image": image, "image_id": image_id,
               "container_id": format!("containerd://{id}")})
    };
    let expected = json!([
        {"uid": "u-2", "namespace": "billing", "name": "ledger-0", "service_account": "", "node_name": "",
         "phase": "Pending", "host_network": true, "labels": {}, "owners": [], "containers": []},
        {"uid": UID, "namespace": "shop", "name": "cart-7d9c-x2k", "service_account": "cart",
         "node_name": "worker-3", "phase": "Running", "host_network": false,
         "labels": {"app": "cart", "tier": "web"},
         "owners": [{"kind": "ReplicaSet", "name": "cart-7d9c", "uid": "o-1"}],
         "containers": [container("container", "cart", "r/cart:1", "r/cart@sha256:2", ID),
                        container("init", "migrate", "r/m:1", "r/m@sha256:3", &"1".repeat(64))]},
    ]);
    assert_eq!(document["pods"], expected);
    assert_eq!(text.find("{\"pods\":[{\"uid\":\"u-2\",\"namespace\":"), Some(0));
    let summary = document["summary"].as_object().expect("an object");
    let figure = |name: &str| summary[name].as_u64().expect(name);
    assert_eq!((figure("pods"), figure("containers"), figure("skipped")), (2, 2, 1));
    assert_eq!(figure("bytes_read"), PODS.len() as u64);
    assert!(figure("bytes_kept") > 300 && figure("peak_heap_bytes") > figure("bytes_kept"));
    assert_eq!(summary.len(), 6);
    let order = "\"summary\":{\"pods\":2,\"containers\":2,\"skipped\":1,\"bytes_read\":";
    assert!(text.contains(order), "{text}");
}

#[test]
fn a_generated_list_comes_through_whole_from_a_kubelet() {
    let list = PodList::new(110, 3);
    let run = Served::new(Generated(list.clone())).pods(&["-o", "json"]);
    let document: Value = serde_json::from_str(run.output()).expect("JSON");
    let pods = document["pods"].as_array().expect("an array");
    assert_eq!(pods.len(), 110);
    for facts in list.facts() {
        let pod = pods.iter().find(|pod| pod["uid"] == facts.uid.as_str()).expect("listed");
        assert_eq!(pod["name"], facts.name.as_str());
        assert_eq!(pod["phase"], facts.phase.as_str());
        assert_eq!(pod["host_network"], facts.host_network);
        assert_eq!(pod["labels"], serde_json::to_value(&facts.labels).expect("JSON"));
        assert_eq!(pod["containers"].as_array().expect("an array").len(), facts.containers.len());
    }
    let names: Vec<_> =
        pods.iter().map(|pod| (pod["namespace"].to_string(), pod["name"].to_string())).collect();
    assert!(names.is_sorted());
    let summary = &document["summary"];
    let containers: usize = list.facts().map(|facts| facts.containers.len()).sum();
    assert_eq!((&summary["pods"], &summary["containers"]), (&json!(110), &json!(containers)));
    assert_eq!(summary["bytes_read"], json!(list.document_len()));
    assert!(summary["bytes_kept"].as_u64() < Some(110 * 1536), "{summary}");
}

#[test]
fn a_pod_that_stands_twice_counts_once_and_its_later_form() {
    let twice = r#"{"items":[{"metadata":{"uid":"u","name":"old"}},{"metadata":{"uid":"u","name":"new"}}]}"#;
    let run = coracle_reading(&["pods", "--pods", "-", "-o", "json"], twice.as_bytes());
    let document: Value = serde_json::from_str(run.output()).expect("JSON");
    assert_eq!(document["pods"][0]["name"], "new");
    assert_eq!((&document["summary"]["pods"], &document["summary"]["skipped"]), (&json!(1), &json!(1)));
}

#[test]
fn an_id_that_is_no_url_is_noted() {
    let odd =
        r#"{"items":[{"metadata":{"uid":"u"},"status":{"containerStatuses":[{"containerID":"odd"}]}}]}"#;
    let run = coracle_reading(&["pods", "--pods", "-"], odd.as_bytes());
    assert_eq!(run.code, Some(0));
    assert_eq!(run.stderr, "coracle: note: 1 container has a containerID that is no URL with an id\n");
}

#[test]
fn an_empty_list_is_a_list() {
    for empty in [r#"{"items":[]}"#, r#"{"items":null}"#] {
        let run = coracle_reading(&["pods", "--pods", "-", "-o", "json"], empty.as_bytes());
        let expected = r#"{"pods":[],"summary":{"pods":0,"containers":0,"skipped":0,"bytes_read":"#;
        assert!(run.output().starts_with(expected), "{}", run.stdout);
    }
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let place = Place::with(&PodList::new(1000, 1).to_vec(), "0::/\n");
    let mut child = command()
        .args(["pods", "-o", "json", "--pods", &place.text("pods.json")])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut first = [0; 16];
    let mut output = BufReader::with_capacity(16, child.stdout.take().expect("piped"));
    std::io::Read::read_exact(&mut output, &mut first).expect("it prints");
    drop(output);
    let run = child.wait_with_output().expect("it ends");
    assert_eq!((run.status.code(), run.stderr.lines().count()), (Some(0), 0), "{run:?}");
}
