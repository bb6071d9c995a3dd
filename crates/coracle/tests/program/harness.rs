//! Runs the program, and makes what it reads.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use coracle_testkit::kubelet::{Content, Kubelet};
use coracle_testkit::podlist::PodList;
use tempfile::TempDir;

/// The process that most tests ask about.
pub(crate) const PID: u32 = 4711;
pub(crate) const UID: &str = "2c48913c-b29f-11e7-9350-020968147796";
pub(crate) const ID: &str = "9bca8d63d5fa610783847915bcff0ecac1273e5b4bed3f6fa1b07350e0135961";

/// Two pods; one of them has the container [`ID`].
pub(crate) const PODS: &str = r#"{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[
{"metadata":{"uid":"2c48913c-b29f-11e7-9350-020968147796","namespace":"shop","name":"cart-7d9c-x2k","labels":{"app":"cart","tier":"web"},
  "ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"cart-7d9c","uid":"o-1"}]},
 "spec":{"serviceAccountName":"cart","nodeName":"worker-3"},
 "status":{"phase":"Running",
  "initContainerStatuses":[{"name":"migrate","image":"r/m:1","imageID":"r/m@sha256:3","containerID":"containerd://1111111111111111111111111111111111111111111111111111111111111111"}],
  "containerStatuses":[{"name":"cart","image":"r/cart:1","imageID":"r/cart@sha256:2","containerID":"containerd://9bca8d63d5fa610783847915bcff0ecac1273e5b4bed3f6fa1b07350e0135961"}]}},
{"metadata":{"uid":"u-2","namespace":"billing","name":"ledger-0"},"spec":{"hostNetwork":true},"status":{"phase":"Pending"}},
{"metadata":{"namespace":"billing","name":"without-a-uid"}}]}"#;

/// What a run of the program came to.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
        Self { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

impl Run {
    /// The run succeeded and said nothing on standard error.
    #[track_caller]
    pub(crate) fn output(&self) -> &str {
        assert_eq!((self.code, &*self.stderr), (Some(0), ""), "{self:?}");
        &self.stdout
    }

    /// The run failed with this code, printed nothing, and told why in one line that has all these parts.
    #[track_caller]
    pub(crate) fn failed(&self, code: i32, parts: &[&str]) {
        assert_eq!(self.code, Some(code), "{self:?}");
        assert_eq!(self.stdout, "", "nothing may look like an answer");
        assert_eq!(self.stderr.lines().count(), 1, "{}", self.stderr);
        assert!(self.stderr.starts_with("coracle: ") && self.stderr.ends_with('\n'), "{}", self.stderr);
        for part in parts {
            assert!(self.stderr.contains(part), "{part:?} is missing: {}", self.stderr);
        }
    }
}

/// The program, without what the surroundings might set.
pub(crate) fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_coracle"));
    command.env_remove("CORACLE_PODS").env_remove("NO_COLOR").stdin(Stdio::null());
    command
}

pub(crate) fn coracle(arguments: &[&str]) -> Run {
    command().args(arguments).output().expect("the program starts").into()
}

pub(crate) fn coracle_reading(arguments: &[&str], input: &[u8]) -> Run {
    let mut command = command();
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    // A program that has seen enough closes its input.
    let _ = child.stdin.take().expect("piped").write_all(input);
    child.wait_with_output().expect("it ends").into()
}

/// A directory with a pod list and a proc tree.
pub(crate) struct Place(TempDir);

impl Place {
    /// With the list [`PODS`], and the process [`PID`] in the container [`ID`].
    pub(crate) fn new() -> Self {
        Self::with(
            PODS.as_bytes(),
            &format!("0::/kubepods.slice/kubepods-pod{UID}.slice/cri-containerd-{ID}.scope\n"),
        )
    }

    pub(crate) fn with(pods: &[u8], cgroup: &str) -> Self {
        let place = Self(tempfile::tempdir().expect("a directory"));
        fs::write(place.path("pods.json"), pods).expect("written");
        place.add_process(PID, cgroup, 0);
        place
    }

    pub(crate) fn add_process(&self, pid: u32, cgroup: &str, flags: u32) {
        let directory = self.path("proc").join(pid.to_string());
        fs::create_dir_all(&directory).expect("made");
        fs::write(directory.join("cgroup"), cgroup).expect("written");
        let stat = format!("{pid} (a) S 1 1 1 0 -1 {flags} 0 0 0 0 0 0 0 0 20 0 1 0 77 1 1\n");
        fs::write(directory.join("stat"), stat).expect("written");
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn text(&self, name: &str) -> String {
        self.path(name).to_str().expect("UTF-8").to_owned()
    }

    /// Attests [`PID`] with the list of this place.
    pub(crate) fn attest(&self, more: &[&str]) -> Run {
        let pods = self.text("pods.json");
        self.attest_from(&pods, more)
    }

    pub(crate) fn attest_from(&self, pods: &str, more: &[&str]) -> Run {
        let (pid, proc_root) = (PID.to_string(), self.text("proc"));
        let arguments = ["attest", "--pid", &pid, "--proc-root", &proc_root, "--pods", pods];
        coracle(&[&arguments, more].concat())
    }
}

/// A kubelet with CA and token, and the options to reach it.
pub(crate) struct Served {
    pub(crate) kubelet: Kubelet,
    place: TempDir,
}

impl Served {
    pub(crate) fn new(content: impl Content) -> Self {
        let kubelet = Kubelet::builder(content).https().token("sesame").spawn().expect("a kubelet");
        let place = tempfile::tempdir().expect("a directory");
        fs::write(place.path().join("ca.crt"), kubelet.ca_pem().expect("HTTPS")).expect("written");
        fs::write(place.path().join("token"), "sesame\n").expect("written");
        fs::write(place.path().join("wrong"), "opensesame").expect("written");
        Self { kubelet, place }
    }

    pub(crate) fn url(&self) -> &str {
        self.kubelet.url()
    }

    pub(crate) fn options(&self) -> Vec<String> {
        let file = |name: &str| self.file(name).to_str().expect("UTF-8").to_owned();
        ["--kubelet-ca".to_owned(), file("ca.crt"), "--kubelet-token-file".to_owned(), file("token")].to_vec()
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    /// Attests [`PID`] of that place with this kubelet's list.
    pub(crate) fn attest(&self, place: &Place, more: &[&str]) -> Run {
        let options = self.options();
        let options: Vec<&str> = options.iter().map(String::as_str).chain(more.iter().copied()).collect();
        place.attest_from(self.url(), &options)
    }

    pub(crate) fn pods(&self, more: &[&str]) -> Run {
        let options = self.options();
        let options = options.iter().map(String::as_str).chain(more.iter().copied());
        let arguments: Vec<&str> = ["pods", "--pods", self.url()].into_iter().chain(options).collect();
        coracle(&arguments)
    }
}

/// A generated list that is made while it is sent.
pub(crate) struct Generated(pub(crate) PodList);

impl Content for Generated {
    fn chunks(&self) -> Box<dyn Iterator<Item = Vec<u8>> + Send> {
        let mut chunks = self.0.chunks();
        Box::new(std::iter::from_fn(move || chunks.next_chunk().map(<[u8]>::to_vec)))
    }

    /// Not known beforehand: a kubelet, too, sends a long list in HTTP's chunks.
    fn len(&self) -> Option<u64> {
        None
    }
}

/// Whether this process may do what root may.
pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Says on the test's output what was not tested; a test that is skipped in silence is no test.
pub(crate) fn skip(reason: &str) {
    println!("SKIPPED: {reason}");
}

/// Whether a path is there.
pub(crate) fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}
