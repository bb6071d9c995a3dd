//! Kubelets that refuse, break off, dawdle, or are somebody else.

use std::time::{Duration, Instant};

use coracle_testkit::kubelet::Fault;

use crate::harness::{PODS, Place, Served, coracle};

const ONCE: [&str; 2] = ["--max-poll-attempts", "1"];

/// Both commands fail with all these parts in their one line.
#[track_caller]
fn refused(fault: &Fault, more: &[&str], parts: &[&str]) {
    let (place, served) = (Place::new(), Served::new(PODS.as_bytes().to_vec()));
    served.kubelet.set_fault(Some(fault.clone()));
    let parts = [&[served.url()], parts].concat();
    for format in ["selectors", "json"] {
        served.attest(&place, &[&ONCE, more, &["-o", format]].concat()).failed(1, &parts);
    }
    for format in ["columns", "json"] {
        served.pods(&[more, &["-o", format]].concat()).failed(1, &parts);
    }
}

#[test]
fn a_refusal_names_what_was_presented_and_what_is_needed() {
    let status = |code| Fault::Status(code, "no\u{1b}[31m".to_owned());
    refused(&status(401), &[], &["answered 401", "/token", "authentication.webhook"]);
    refused(&status(403), &[], &["answered 403", "/token", "nodes/proxy"]);
    refused(&status(404), &[], &["answered 404", "/pods"]);
    refused(&status(500), &[], &["answered 500", "its log", "no\\u{1b}[31m"]);
}

#[test]
fn a_redirect_is_not_followed() {
    refused(
        &Fault::Redirect("https://elsewhere/pods".to_owned()),
        &[],
        &["answered 302", "redirects are not followed"],
    );
}

#[test]
fn an_answer_that_breaks_off_is_no_answer() {
    // The last is one byte short: all pods have come by then.
    for sent in [0, 10, 700, PODS.len() as u64 - 1] {
        refused(&Fault::CloseAfter(sent), &[], &[&format!("broke off its answer after {sent} bytes")]);
    }
}

#[test]
fn an_answer_of_a_byte_a_second_ends_when_the_time_is_up() {
    let begun = Instant::now();
    let fault = Fault::Slowly { bytes: 1, every: Duration::from_secs(1) };
    refused(&fault, &["--kubelet-timeout", "500ms"], &["after 0.5 s", "overloaded"]);
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
}

#[test]
fn a_kubelet_that_never_answers_ends_when_the_time_is_up() {
    refused(&Fault::Hang, &["--kubelet-timeout", "300ms"], &["after 0.3 s", "0 bytes"]);
}

#[test]
fn what_is_no_kubelet_is_an_error() {
    refused(&Fault::NotHttp, &[], &[]);
}

#[test]
fn a_lasting_refusal_is_not_asked_about_again_and_a_passing_one_is() {
    let (place, served) = (Place::new(), Served::new(PODS.as_bytes().to_vec()));
    served.kubelet.set_fault(Some(Fault::Status(403, String::new())));
    served.attest(&place, &[]).failed(1, &["answered 403"]);
    assert_eq!(served.kubelet.requests(), 1);
    served.kubelet.set_fault(Some(Fault::Status(500, String::new())));
    let run = served.attest(&place, &["--max-poll-attempts", "3", "--poll-retry-interval", "10ms"]);
    assert_eq!((run.code, &*run.stdout, served.kubelet.requests()), (Some(1), "", 4));
    assert!(run.stderr.contains("no pod list after 3 attempts"), "{}", run.stderr);
}

#[test]
fn a_token_that_is_not_the_kubelets_is_refused() {
    let (place, served) = (Place::new(), Served::new(PODS.as_bytes().to_vec()));
    let (ca, wrong) = (served.file("ca.crt"), served.file("wrong"));
    let (ca, wrong) = (ca.to_str().expect("UTF-8"), wrong.to_str().expect("UTF-8"));
    let options = ["--kubelet-ca", ca, "--kubelet-token-file", wrong];
    place.attest_from(served.url(), &options).failed(1, &["answered 401", wrong]);
    let missing = ["--kubelet-ca", ca, "--kubelet-token-file", "/nonexistent/token"];
    place.attest_from(served.url(), &missing).failed(1, &["/nonexistent/token", "No such file"]);
    let anonymous = ["--kubelet-ca", ca, "--kubelet-anonymous"];
    place.attest_from(served.url(), &anonymous).failed(1, &["answered 401", "nothing"]);
}

#[test]
fn a_kubelet_of_another_ca_or_name_is_not_trusted() {
    let (served, other) = (Served::new(PODS.as_bytes().to_vec()), Served::new(PODS.as_bytes().to_vec()));
    let (ca, token) = (other.file("ca.crt"), served.file("token"));
    let (ca, token) = (ca.to_str().expect("UTF-8"), token.to_str().expect("UTF-8"));
    let options = ["pods", "--pods", served.url(), "--kubelet-ca", ca, "--kubelet-token-file", token];
    coracle(&options).failed(1, &["not trusted", ca]);
    served.pods(&["--node-name", "worker-3"]).failed(1, &["not trusted", "\"worker-3\"", "localhost"]);
    let unverified =
        ["pods", "--pods", served.url(), "--kubelet-skip-verification", "--kubelet-token-file", token];
    assert_eq!(coracle(&unverified).code, Some(0));
}

#[test]
fn a_port_where_nobody_listens_is_told_with_the_remedy() {
    // Bound and closed again: the port is known to be free.
    let port =
        std::net::TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a port").port();
    let url = format!("http://127.0.0.1:{port}/pods");
    coracle(&["pods", "--pods", &url]).failed(1, &[&url, "cannot connect", "hostNetwork", "refused"]);
}

#[test]
fn without_a_service_account_the_default_kubelet_asks_for_its_files() {
    if std::path::Path::new("/var/run/secrets/kubernetes.io/serviceaccount/token").exists() {
        crate::harness::skip("this machine has a service account");
        return;
    }
    let parts = ["https://127.0.0.1:10250/pods", "/var/run/secrets/kubernetes.io/serviceaccount/token"];
    coracle(&["pods"]).failed(1, &parts);
}
