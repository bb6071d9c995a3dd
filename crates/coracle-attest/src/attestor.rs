//! From a PID to its selectors.

use std::path::PathBuf;
use std::time::Duration;

use coracle_containers::{ContainerRef, Location, Outside, StartTime};
use coracle_podlist::Summary;

use crate::duplicate::DuplicateContainer;
use crate::polling::{self, Hit};
use crate::source::{Source, SourceError};
use crate::view::PodId;

/// Attests processes of one host against one pod list.
#[derive(Debug, Clone)]
pub struct Attestor {
    /// Where the host's processes are: `/proc`.
    pub proc_root: PathBuf,
    /// Where the pod list is.
    pub source: Source,
    /// How long to wait, and for what.
    pub policy: Policy,
}

/// How long to wait, and for what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// Most requests for one attestation; 0 counts as 1. Default 60. Files are read once.
    pub max_poll_attempts: u32,
    /// Least time from the start of one request to the start of the next. Default 500 ms.
    pub poll_retry_interval: Duration,
    /// Tell the pod's selectors only, and tell them even while the container is not in the pod's status.
    pub disable_container_selectors: bool,
    /// Give up at once on errors that waiting cannot mend ([`SourceError::is_lasting`]), and on the first timeout. For
    /// a person who waits; an agent rather goes on until somebody has mended it. A pod that may be the wanted one and
    /// cannot be decoded ends an attestation with or without this.
    pub fail_fast: bool,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            max_poll_attempts: 60,
            poll_retry_interval: Duration::from_millis(500),
            disable_container_selectors: false,
            fail_fast: false,
        }
    }
}

/// What an attestation came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The process runs in a container of a pod.
    Attested(Attestation),
    /// It does not run in a container: no selectors, and no error.
    NotInContainer(Outside),
}

/// Who a process is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attestation {
    /// The process.
    pub pid: u32,
    /// `metadata.uid` of its pod.
    pub pod_uid: String,
    /// `metadata.name` of its pod.
    pub pod_name: String,
    /// `metadata.namespace` of its pod.
    pub namespace: String,
    /// The container's bare id.
    pub container_id: String,
    /// The container's name; `None` while it is not in the pod's status (only if container selectors are disabled).
    pub container_name: Option<String>,
    /// Selector values without their type, see [`selectors`](crate::selectors()).
    pub selectors: Vec<String>,
    /// Of the list in which the container was found.
    pub summary: Summary,
    /// How often the list was read.
    pub attempts: u32,
}

/// What an attestation is doing, for logs.
#[derive(Debug)]
#[non_exhaustive]
pub enum Progress<'a> {
    /// The process's cgroups name this container.
    Located {
        /// The container.
        container: &'a ContainerRef,
    },
    /// The list is about to be read.
    Reading {
        /// From 1.
        attempt: u32,
        /// At most this many.
        of: u32,
    },
    /// The list could not be read.
    Failed {
        /// From 1.
        attempt: u32,
        /// At most this many.
        of: u32,
        /// Why.
        error: &'a SourceError,
        /// When the next attempt begins; `None` after the last.
        retry_in: Option<Duration>,
    },
    /// The container is not in the list.
    NotYet {
        /// From 1.
        attempt: u32,
        /// At most this many.
        of: u32,
        /// Its pod, if that is in the list.
        pod: Option<&'a PodId>,
        /// When the next attempt begins; `None` after the last.
        retry_in: Option<Duration>,
    },
}

/// Why a process was not attested.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AttestError {
    /// Its container cannot be told.
    #[error("cannot tell the container of process {pid}")]
    Locate {
        /// The process.
        pid: u32,
        /// Why.
        source: coracle_containers::Error,
    },
    /// The last attempt to read the pod list failed, or an earlier one in a way that more attempts cannot mend.
    #[error("no pod list after {attempts} {}", plural(*.attempts, "attempt", "attempts"))]
    Source {
        /// How often it was tried.
        attempts: u32,
        /// Why the last attempt failed.
        source: SourceError,
    },
    /// Two pods claim its container.
    #[error(transparent)]
    Duplicate(#[from] DuplicateContainer),
    /// The container is in no list that was read.
    #[error(transparent)]
    NotFound(Box<ContainerNotFound>),
    /// The process ended meanwhile, and another may have its number.
    #[error(
        "process {pid} is not the one that was asked about any more: it was in container {before}, {now}; attest \
         the process that you mean again"
    )]
    ProcessChanged {
        /// Its number.
        pid: u32,
        /// The container that was looked for.
        before: String,
        /// What is at that number now.
        now: String,
    },
}

/// A container is in no list that was read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "container {}{} is not in the pod list of {place} ({attempts} {} in {:.1} s); {advice}",
    container.container_id, of_pod(container), plural(*.attempts, "attempt", "attempts"), waited.as_secs_f64()
)]
pub struct ContainerNotFound {
    /// The container.
    pub container: ContainerRef,
    /// The source of the list.
    pub place: String,
    /// How often it was read.
    pub attempts: u32,
    /// From the first attempt to the end of the last.
    pub waited: Duration,
    /// The container's pod, if that was in the last list.
    pub pod: Option<PodId>,
    /// What to look at.
    pub advice: String,
}

impl Attestor {
    /// Attests process `pid`. `observer` is told what is done, and should be quick.
    ///
    /// Holds the facts of one pod and the reader's buffers, however long the list is. To cancel, drop the future.
    pub async fn attest(
        &self,
        pid: u32,
        observer: &mut dyn FnMut(Progress<'_>),
    ) -> Result<Outcome, AttestError> {
        // Taken first: whatever is read afterwards is then known to be of this process.
        let started = self.start_time(pid)?;
        let container = match self.locate(pid)? {
            Location::NotInContainer(outside) => return Ok(Outcome::NotInContainer(outside)),
            Location::Container(container) => container,
        };
        observer(Progress::Located { container: &container });
        let hit = polling::poll(&self.source, &self.policy, &container, observer).await?;
        self.check_unchanged(pid, started, &container)?;
        Ok(Outcome::Attested(attestation(pid, container, hit)))
    }

    fn locate(&self, pid: u32) -> Result<Location, AttestError> {
        coracle_containers::locate(&self.proc_root, pid).map_err(|source| AttestError::Locate { pid, source })
    }

    fn start_time(&self, pid: u32) -> Result<Option<StartTime>, AttestError> {
        coracle_containers::start_time(&self.proc_root, pid)
            .map_err(|source| AttestError::Locate { pid, source })
    }

    /// A wait of half a minute is long enough for a PID to be given to another process, in the same container too.
    fn check_unchanged(
        &self,
        pid: u32,
        started: Option<StartTime>,
        container: &ContainerRef,
    ) -> Result<(), AttestError> {
        let located = coracle_containers::locate(&self.proc_root, pid);
        let now = match (located, coracle_containers::start_time(&self.proc_root, pid)) {
            (Ok(Location::Container(now)), Ok(start)) if now == *container && start == started => {
                return Ok(());
            }
            (Ok(Location::Container(now)), Ok(start)) if start == started => {
                format!("and is now in container {}", now.container_id)
            }
            (Ok(Location::NotInContainer(_)), Ok(start)) if start == started => {
                "and is now in none".to_owned()
            }
            (Ok(_), Ok(_)) => "and its number now belongs to a process that started later".to_owned(),
            (Err(error), _) | (_, Err(error)) => format!("and now {error}"),
        };
        Err(AttestError::ProcessChanged { pid, before: container.container_id.clone(), now })
    }
}

fn attestation(pid: u32, container: ContainerRef, hit: Hit) -> Attestation {
    let Hit { found, summary, attempts } = hit;
    Attestation {
        pid,
        pod_uid: found.pod.uid,
        pod_name: found.pod.name,
        namespace: found.pod.namespace,
        container_id: container.container_id,
        container_name: found.container_name,
        selectors: found.selectors,
        summary,
        attempts,
    }
}

fn of_pod(container: &ContainerRef) -> String {
    container.pod_uid.as_ref().map_or_else(String::new, |uid| format!(" of pod {uid}"))
}

fn plural(count: u32, one: &'static str, many: &'static str) -> &'static str {
    if count == 1 { one } else { many }
}
