//! `coracle attest` where all is well, and where the process is in no pod.

use std::process::Command;

use coracle_testkit::cgroup::{Shape, expected, file};
use serde_json::Value;

use crate::harness::{ID, PID, PODS, Place, Served, UID, command, coracle_reading};

const SELECTORS: &str = "\
k8s:sa:cart
k8s:ns:shop
k8s:node-name:worker-3
k8s:pod-uid:2c48913c-b29f-11e7-9350-020968147796
k8s:pod-name:cart-7d9c-x2k
k8s:pod-image-count:1
k8s:pod-init-image-count:1
k8s:pod-image:r/cart:1
k8s:pod-image:r/cart@sha256:2
k8s:pod-init-image:r/m:1
k8s:pod-init-image:r/m@sha256:3
k8s:pod-label:app:cart
k8s:pod-label:tier:web
k8s:pod-owner:ReplicaSet:cart-7d9c
k8s:pod-owner-uid:ReplicaSet:o-1
k8s:container-name:cart
k8s:container-image:r/cart:1
k8s:container-image:r/cart@sha256:2
";

const COLUMNS: &str = "\
FIELD                 VALUE
pid                   4711
container-id          9bca8d63d5fa610783847915bcff0ecac1273e5b4bed3f6fa1b07350e0135961
sa                    cart
ns                    shop
node-name             worker-3
pod-uid               2c48913c-b29f-11e7-9350-020968147796
pod-name              cart-7d9c-x2k
pod-image-count       1
pod-init-image-count  1
pod-image             r/cart:1
pod-image             r/cart@sha256:2
pod-init-image        r/m:1
pod-init-image        r/m@sha256:3
pod-label             app:cart
pod-label             tier:web
pod-owner             ReplicaSet:cart-7d9c
pod-owner-uid         ReplicaSet:o-1
container-name        cart
container-image       r/cart:1
container-image       r/cart@sha256:2
";

fn json_document() -> String {
    let selectors: Vec<String> = SELECTORS.lines().map(|line| format!("\"{line}\"")).collect();
    format!(
        "{{\"pid\":{PID},\"pod_uid\":\"{UID}\",\"container_id\":\"{ID}\",\"selectors\":[{}]}}\n",
        selectors.join(",")
    )
}

#[test]
fn the_selectors_are_printed_one_a_line() {
    let place = Place::new();
    assert_eq!(place.attest(&[]).output(), SELECTORS);
    assert_eq!(place.attest(&["-o", "selectors"]).output(), SELECTORS);
}

#[test]
fn the_columns_say_what_the_selectors_say() {
    assert_eq!(Place::new().attest(&["-o", "columns"]).output(), COLUMNS);
}

#[test]
fn the_json_has_exactly_the_documented_keys_in_their_order() {
    assert_eq!(Place::new().attest(&["-o", "json"]).output(), json_document());
}

#[test]
fn a_list_on_standard_input_gives_the_same_answer() {
    let place = Place::new();
    let (pid, proc_root) = (PID.to_string(), place.text("proc"));
    let arguments = ["attest", "-p", &pid, "--proc-root", &proc_root, "--pods", "-"];
    assert_eq!(coracle_reading(&arguments, PODS.as_bytes()).output(), SELECTORS);
}

#[test]
fn a_list_from_a_kubelet_gives_the_same_answer() {
    let (place, served) = (Place::new(), Served::new(PODS.as_bytes().to_vec()));
    assert_eq!(served.attest(&place, &[]).output(), SELECTORS);
    assert_eq!(served.attest(&place, &["--node-name", "localhost", "-o", "json"]).output(), json_document());
    assert_eq!(served.kubelet.last_authorization().as_deref(), Some("Bearer sesame"));
}

#[test]
fn the_environment_can_name_the_list() {
    let place = Place::new();
    let mut command: Command = command();
    command.args(["attest", "--pid", "4711", "--proc-root", &place.text("proc")]);
    let run: crate::harness::Run =
        command.env("CORACLE_PODS", place.path("pods.json")).output().expect("the program starts").into();
    assert_eq!(run.output(), SELECTORS);
}

#[test]
fn container_selectors_can_be_left_out() {
    let pod_part: String =
        SELECTORS.split_inclusive('\n').filter(|line| !line.contains(":container-")).collect();
    assert_eq!(Place::new().attest(&["--disable-container-selectors"]).output(), pod_part);
}

#[test]
fn a_container_is_found_by_its_id_where_the_path_names_no_pod() {
    let place = Place::with(PODS.as_bytes(), &format!("0::/../crio-{ID}.scope\n"));
    assert_eq!(place.attest(&["-o", "json"]).output(), json_document());
}

#[test]
fn every_shape_of_a_cgroup_file_leads_to_the_pod_or_to_none() {
    let uid_of = |shape| expected(shape, UID, ID).map(|found| found.pod_uid);
    for shape in Shape::ALL {
        // A static pod's uid has no dashes, in the list too.
        let listed = uid_of(shape).flatten().unwrap_or_else(|| UID.to_owned());
        let place = Place::with(PODS.replace(UID, &listed).as_bytes(), &file(shape, UID, ID));
        let run = place.attest(&["-o", "json"]);
        if uid_of(shape).is_none() {
            run.failed(3, &["process 4711 is not in a pod: "]);
            continue;
        }
        let answer: Value = serde_json::from_str(run.output()).expect("JSON");
        assert_eq!((&answer["pod_uid"], &answer["container_id"]), (&listed.into(), &ID.into()), "{shape:?}");
    }
}

#[test]
fn stats_are_one_line_on_standard_error() {
    let run = Place::new().attest(&["--stats"]);
    assert_eq!((run.code, &*run.stdout), (Some(0), SELECTORS));
    let read = format!("coracle: read {} B · looked at 1 of 3 pods · peak heap ", PODS.len());
    assert!(run.stderr.starts_with(&read), "{}", run.stderr);
    assert!(run.stderr.contains(" · peak RSS ") && run.stderr.ends_with(" s\n"), "{}", run.stderr);
    assert_eq!(run.stderr.lines().count(), 1);
}

#[test]
fn a_process_of_the_host_is_not_a_pod() {
    let place = Place::with(PODS.as_bytes(), "0::/system.slice/sshd.service\n");
    for format in ["selectors", "columns", "json"] {
        place.attest(&["-o", format]).failed(3, &["process 4711 is not in a pod: a process of the host"]);
    }
}

#[test]
fn a_kernel_thread_is_not_a_pod() {
    let place = Place::new();
    place.add_process(PID, "0::/\n", 0x0020_8040);
    place.attest(&[]).failed(3, &["process 4711 is not in a pod: a kernel thread"]);
}

#[test]
fn a_pod_that_is_not_listed_is_not_found_and_the_message_says_what_to_look_at() {
    let cgroup = format!("0::/kubepods/pod00000000-1111-2222-3333-444444444444/{ID}\n");
    let place = Place::with(PODS.as_bytes(), &cgroup);
    let parts = ["container 9bca8d63", "of pod 00000000-", "pods.json", "own node"];
    place.attest(&["-o", "json"]).failed(3, &parts);
}

#[test]
fn a_container_that_is_not_in_its_pods_status_is_not_found() {
    let place = Place::with(PODS.as_bytes(), &format!("0::/kubepods/pod{UID}/{}\n", "ab".repeat(32)));
    place.attest(&[]).failed(3, &["shop/cart-7d9c-x2k", "is listed (phase \"Running\") without it"]);
}

#[test]
fn while_the_container_is_not_there_the_kubelet_is_asked_again_and_that_is_said_once() {
    let cgroup = format!("0::/kubepods/pod{UID}/{}\n", "ab".repeat(32));
    let (place, served) = (Place::with(b"", &cgroup), Served::new(PODS.as_bytes().to_vec()));
    let run = served.attest(&place, &["--max-poll-attempts", "3", "--poll-retry-interval", "10ms"]);
    assert_eq!((run.code, &*run.stdout, served.kubelet.requests()), (Some(3), "", 3));
    let lines: Vec<&str> = run.stderr.lines().collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].contains("asking again every 10ms, 3 times at most"), "{}", lines[0]);
    assert!(lines[1].contains("3 attempts"), "{}", lines[1]);
}
