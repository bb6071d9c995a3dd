//! From a PID to an outcome, with processes and a list on disk.

use std::fs;
use std::path::PathBuf;

use coracle_attest::{AttestError, Attestor, KubeletOptions, Outcome, Policy, Progress, Source, Status};
use coracle_containers::Outside;
use tempfile::TempDir;

const UID: &str = "2c48913c-b29f-11e7-9350-020968147796";
const ID: &str = "9bca8d63d5fa610783847915bcff0ecac1273e5b4bed3f6fa1b07350e0135961";
const OTHER_ID: &str = "34a2062fd26c805aa8cf814cdfe479322b791f80afb9ea4db02d50375df14b41";

/// A directory with processes and a pod list.
struct Node {
    dir: TempDir,
}

impl Node {
    fn new(list: &str) -> Self {
        let node = Self { dir: tempfile::tempdir().expect("a directory") };
        fs::write(node.path("pods.json"), list).expect("a list");
        // As everywhere, there is a first process.
        node.process(1, 1, "/init.scope");
        node
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn process(&self, pid: u32, start_time: u64, cgroup: &str) {
        let dir = self.path("proc").join(pid.to_string());
        fs::create_dir_all(&dir).expect("a process");
        fs::write(dir.join("cgroup"), format!("0::{cgroup}\n")).expect("a cgroup file");
        let stat = format!("{pid} (app) S 1 7 7 0 -1 0 1 0 0 0 0 0 0 0 20 0 1 0 {start_time} 1 1\n");
        fs::write(dir.join("stat"), stat).expect("a stat file");
    }

    fn attestor(&self) -> Attestor {
        Attestor {
            proc_root: self.path("proc"),
            source: Source::File(self.path("pods.json")),
            policy: Policy::default(),
        }
    }

    async fn attest(&self, pid: u32) -> Result<Outcome, AttestError> {
        self.attestor().attest(pid, &mut |_| ()).await
    }
}

fn in_pod(id: &str) -> String {
    format!("/kubepods/burstable/pod{UID}/{id}")
}

fn list(ids: &[&str]) -> String {
    let status =
        |id: &&str| format!(r#"{{"name":"blog","image":"i","imageID":"i@1","containerID":"docker://{id}"}}"#);
    let statuses: Vec<_> = ids.iter().map(status).collect();
    format!(
        r#"{{"items":[{{"metadata":{{"uid":"other","name":"x"}}}},{{"metadata":{{"uid":"{UID}","name":"blog-24ck7",
        "namespace":"default"}},"spec":{{"nodeName":"n"}},"status":{{"phase":"Running","containerStatuses":[{}]}}}}]}}"#,
        statuses.join(",")
    )
}

#[tokio::test]
async fn a_process_of_a_pod_is_attested() {
    let node = Node::new(&list(&[ID]));
    for cgroup in [in_pod(ID), format!("/../crio-{ID}.scope")] {
        node.process(42, 5, &cgroup);
        let Ok(Outcome::Attested(attestation)) = node.attest(42).await else {
            panic!("not attested: {cgroup}")
        };
        assert_eq!((attestation.pid, attestation.attempts), (42, 1));
        assert_eq!(
            (&*attestation.pod_uid, &*attestation.pod_name, &*attestation.namespace),
            (UID, "blog-24ck7", "default")
        );
        assert_eq!((&*attestation.container_id, attestation.container_name.as_deref()), (ID, Some("blog")));
        assert_eq!(attestation.selectors.len(), 12);
        assert_eq!(
            attestation.selectors[9..],
            ["container-name:blog", "container-image:i", "container-image:i@1"]
        );
        assert_eq!((attestation.summary.pods, attestation.summary.filtered), (1, 1));
    }
}

#[tokio::test]
async fn a_process_in_no_container_is_an_outcome_and_nothing_is_read() {
    let node = Node::new("nonsense");
    node.process(42, 5, "/system.slice/sshd.service");
    assert_eq!(node.attest(42).await.expect("no error"), Outcome::NotInContainer(Outside::Process));
}

#[tokio::test]
async fn what_went_wrong_has_a_status() {
    let node = Node::new(&list(&[OTHER_ID]));
    assert_eq!(node.attest(42).await.expect_err("no process").status(), Status::NotFound);
    node.process(42, 5, &in_pod(ID));
    let error = node.attest(42).await.expect_err("another container");
    assert_eq!(error.status(), Status::DeadlineExceeded);
    let text = error.to_string();
    for part in [ID, UID, "pods.json", "1 attempt ", "default/blog-24ck7"] {
        assert!(text.contains(part), "{part:?} is not in: {text}");
    }
    fs::write(node.path("pods.json"), "{").expect("written");
    assert_eq!(node.attest(42).await.expect_err("no list").status(), Status::Unavailable);
    fs::remove_file(node.path("pods.json")).expect("removed");
    assert_eq!(node.attest(42).await.expect_err("no file").status(), Status::Unavailable);
    fs::create_dir(node.path("pods.json")).expect("a directory");
    let error = node.attest(42).await.expect_err("a directory");
    assert!(matches!(error, AttestError::Source { attempts: 1, .. }), "{error}");
}

#[tokio::test]
async fn without_container_selectors_a_listed_pod_is_enough() {
    let node = Node::new(&list(&[OTHER_ID]));
    node.process(42, 5, &in_pod(ID));
    let policy = Policy { disable_container_selectors: true, ..Policy::default() };
    let attestor = Attestor { policy, ..node.attestor() };
    let Ok(Outcome::Attested(attestation)) = attestor.attest(42, &mut |_| ()).await else {
        panic!("not attested")
    };
    assert_eq!((attestation.container_name, attestation.selectors.len()), (None, 9));
}

#[tokio::test]
async fn a_pid_that_another_process_got_meanwhile_is_not_attested() {
    let moved = in_pod(OTHER_ID);
    let cases = [
        (6, in_pod(ID), "started later"),
        (5, moved, OTHER_ID),
        (5, "/init.scope".to_owned(), "now in none"),
    ];
    for (start_time, cgroup, now) in cases {
        let node = Node::new(&list(&[ID]));
        node.process(42, 5, &in_pod(ID));
        let mut change = |progress: Progress<'_>| {
            if matches!(progress, Progress::Reading { .. }) {
                node.process(42, start_time, &cgroup);
            }
        };
        let error = node.attestor().attest(42, &mut change).await.expect_err("changed");
        assert!(matches!(error, AttestError::ProcessChanged { pid: 42, .. }), "{error}");
        assert_eq!(error.status(), Status::FailedPrecondition);
        assert!(error.to_string().contains(now), "{error}");
    }
}

#[tokio::test]
async fn a_process_that_ended_meanwhile_is_not_attested() {
    let node = Node::new(&list(&[ID]));
    node.process(42, 5, &in_pod(ID));
    let mut end = |progress: Progress<'_>| {
        if matches!(progress, Progress::Reading { .. }) {
            fs::remove_dir_all(node.path("proc/42")).expect("ended");
        }
    };
    let error = node.attestor().attest(42, &mut end).await.expect_err("gone");
    assert!(error.to_string().contains("42 is gone"), "{error}");
}

#[tokio::test]
async fn options_that_cannot_be_used_are_an_invalid_argument() {
    let node = Node::new("");
    node.process(42, 5, &in_pod(ID));
    let options = KubeletOptions { token_file: node.path("missing"), ..KubeletOptions::default() };
    let policy = Policy { fail_fast: true, ..Policy::default() };
    let attestor = Attestor { source: Source::Kubelet(options), policy, ..node.attestor() };
    let error = attestor.attest(42, &mut |_| ()).await.expect_err("no token");
    assert_eq!(error.status(), Status::InvalidArgument);
}
