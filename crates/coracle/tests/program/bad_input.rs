//! Lists, processes and command lines that cannot be used: an exit code, one line, no answer.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;

use crate::harness::{ID, PID, PODS, Place, Run, UID, command, coracle, coracle_reading, is_root, skip};

/// Both commands read the list; both must refuse it.
#[track_caller]
fn refused(pods: &[u8], parts: &[&str]) {
    let place = Place::with(pods, &format!("0::/kubepods/pod{UID}/{ID}\n"));
    let file = place.text("pods.json");
    let parts = [&[file.as_str()], parts].concat();
    for format in ["selectors", "columns", "json"] {
        place.attest(&["-o", format]).failed(1, &parts);
    }
    for format in ["columns", "wide", "json"] {
        coracle(&["pods", "--pods", &file, "-o", format]).failed(1, &parts);
    }
}

#[test]
fn a_list_that_is_cut_off_anywhere_is_no_answer() {
    for cut in [0, 1, 20, 500, 900, PODS.len() - 70, PODS.len() - 2, PODS.len() - 1] {
        refused(&PODS.as_bytes()[..cut], &["cut off: ask again", &format!("at byte {cut}")]);
    }
}

#[test]
fn a_list_that_is_cut_off_on_standard_input_is_no_answer() {
    let cut = &PODS.as_bytes()[..PODS.len() - 1];
    let run = coracle_reading(&["pods", "--pods", "-", "-o", "json"], cut);
    run.failed(1, &["standard input", "cut off"]);
}

#[test]
fn what_is_not_json_is_refused_with_the_place() {
    refused(b"<html>no</html>", &["at byte 0", "'<'"]);
    refused(b"{\"items\":[}", &["at byte 10"]);
    refused(format!("{PODS} x").as_bytes(), &[&format!("at byte {}", PODS.len() + 1)]);
    refused(b"{\"items\":[{\"metadata\":{\"uid\":\"\xff\"}}]}", &["at byte 30", "UTF-8"]);
}

#[test]
fn json_that_is_no_pod_list_is_refused() {
    refused(b"[]", &["at byte 0", "kubectl get pods"]);
    refused(b"{\"kind\":\"Status\"}", &["has no \"items\"", "GET /pods"]);
    refused(b"{\"items\":{}}", &["at byte 9", "an object starts here"]);
}

#[test]
fn a_field_of_another_type_is_named() {
    let wrong = PODS.replace("\"name\":\"cart\",", "\"name\":7,");
    refused(wrong.as_bytes(), &["items[0]", "status.containerStatuses[0].name", "integer `7`"]);
    let wrong = PODS.replace("\"labels\":{\"app\":\"cart\",\"tier\":\"web\"}", "\"labels\":[]");
    refused(wrong.as_bytes(), &["items[0]", "metadata.labels"]);
}

#[test]
fn a_list_nested_without_end_is_refused() {
    let nested = format!("{{\"items\":[{{\"x\":{}", "[".repeat(100_000));
    refused(nested.as_bytes(), &["inside each other"]);
}

#[test]
fn two_pods_that_claim_a_container_have_no_identity() {
    let place = Place::with(
        PODS.replace(
            "\"status\":{\"phase\":\"Pending\"}",
            &format!("\"status\":{{\"containerStatuses\":[{{\"containerID\":\"containerd://{ID}\"}}]}}"),
        )
        .as_bytes(),
        &format!("0::/../{ID}\n"),
    );
    place.attest(&[]).failed(1, &["shop/cart-7d9c-x2k", "billing/ledger-0", "kubectl get pod"]);
}

#[test]
fn a_list_that_is_not_there_or_is_a_directory_is_told_apart() {
    coracle(&["pods", "--pods", "/nonexistent/pods.json"])
        .failed(1, &["/nonexistent/pods.json", "No such file"]);
    coracle(&["pods", "--pods", "/"]).failed(1, &["from /", "directory"]);
}

#[test]
fn a_process_that_is_gone_is_not_found() {
    let place = Place::new();
    fs::remove_dir_all(place.path("proc").join(PID.to_string())).expect("removed");
    place.add_process(1, "0::/\n", 0);
    place.attest(&[]).failed(3, &["process 4711 is gone", "hidepid"]);
}

#[test]
fn a_proc_root_without_processes_is_not_a_missing_process() {
    let place = Place::new();
    fs::remove_dir_all(place.path("proc")).expect("removed");
    place.attest(&[]).failed(1, &["no proc file system at", &place.text("proc")]);
}

#[test]
fn a_process_that_is_not_ours_to_read_is_named_with_the_remedy() {
    let place = Place::new();
    let directory = place.path("proc").join(PID.to_string());
    fs::set_permissions(directory.join("cgroup"), fs::Permissions::from_mode(0o000)).expect("changed");
    let mut attest = command();
    attest.args(["attest", "--pid", "4711", "--pods", "/dev/null", "--proc-root", &place.text("proc")]);
    if is_root() {
        // Root may read everything; nobody may not.
        fs::set_permissions(place.path(""), fs::Permissions::from_mode(0o755)).expect("changed");
        attest.uid(65_534).gid(65_534);
    }
    match attest.output() {
        Ok(output) => Run::from(output).failed(1, &["may not read", "4711/cgroup", "run as root"]),
        Err(error) => skip(&format!("nobody cannot run the program where it was built: {error}")),
    }
}

#[test]
fn a_cgroup_file_that_names_two_containers_is_not_guessed_at() {
    let (one, other) = ("ab".repeat(32), "cd".repeat(32));
    let place = Place::with(PODS.as_bytes(), &format!("0::/docker/{one}/docker/{other}\n"));
    place.attest(&[]).failed(1, &["4711/cgroup", &one, &other]);
    let place = Place::with(PODS.as_bytes(), "a line without fields\n");
    place.attest(&[]).failed(1, &["4711/cgroup", "line 1", "1 fields"]);
}

#[test]
fn a_command_line_that_cannot_be_used_is_a_usage_error_in_one_line() {
    let table: [(&[&str], &str); 16] = [
        (&["attest"], "--pid <PID>"),
        (&["attest", "--pid", "0"], "0 is not in 1..=4194304"),
        (&["attest", "--pid", "-1"], "-1"),
        (&["attest", "--pid", "x"], "invalid digit"),
        (&["attest", "--pid", "4194305"], "4194305"),
        (&["attest", "--pid", "1", "-o", "yaml"], "possible values: selectors, columns, json"),
        (&["attest", "--pid", "1", "--poll-retry-interval", "5"], "500ms, 10s, 1m"),
        (&["attest", "--pid", "1", "--max-poll-attempts", "0"], "--max-poll-attempts"),
        (&["attest", "--pid", "1", "--kubelet-client-cert", "c"], "--kubelet-client-key"),
        (&["pods", "--kubelet-anonymous", "--kubelet-token-file", "t"], "cannot be used with"),
        (&["pods", "--pods", "ftp://node/pods"], "must start with https://"),
        (&["pods", "--pods", "https://u:p@node/pods"], "user name or password"),
        (&["pods", "--pods", "pods.json", "--kubelet-ca", "ca.crt"], "--kubelet-ca does nothing here"),
        (&["pod"], "pods"),
        (&["man", "nothing"], "attest, pods, demo"),
        (&["completions", "tcsh"], "possible values: bash"),
    ];
    for (arguments, part) in table {
        coracle(arguments).failed(2, &[part]);
    }
}

#[test]
fn a_hostile_file_name_does_not_reach_the_terminal() {
    coracle(&["pods", "--pods", "/x\u{1b}[2J\ny\u{202e}"]).failed(1, &["/x\\u{1b}[2J\\ny\\u{202e}"]);
}
