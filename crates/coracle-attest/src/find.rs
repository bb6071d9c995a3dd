//! One container's pod, found in a stream of which nothing else is kept.

use std::mem;

use coracle_containers::ContainerRef;
use coracle_podlist::{Flow, Pod, Sink};
use memchr::memmem;

use crate::duplicate::DuplicateContainer;
use crate::selectors::selectors;
use crate::view::{PodId, PodView};

/// Looks for one container while a list goes by.
///
/// For every list whose pods decode, the answer is the one that a [`PodIndex`](crate::PodIndex) of the whole list
/// would give, but for the cap below. What it declines is still checked as JSON: its grammar, its UTF-8, and that each
/// kept member stands once. Its types are not: a number for another pod's name fails an index, and not a finder.
///
/// It declines every pod whose bytes cannot name what is looked for: the pod's uid where it is known, else the
/// container's id. Both are made of hexadecimal digits, letters and `-`, which JSON writes either as they are or as
/// `\u` escapes; so a pod is only declined if neither the id nor any `\u` occurs in it.
///
/// It reads to the end. A later pod with the same uid replaces an earlier one, a second pod with the same container
/// is an error, and a list that breaks off must not pass for a whole one; none of this is known before the end.
///
/// At most 8 pods that claim the container at a time are told apart, so that memory stays bounded. From the eighth on
/// the [`DuplicateContainer`] stays, even if later pods with the same uids would leave one claim or none. No kubelet
/// writes a list with a uid twice.
#[derive(Debug)]
pub struct Finder {
    wanted: ContainerRef,
    container_selectors: bool,
    needle: Needle,
    /// The pods that match so far: one, or none, or several that will be an error.
    claims: Vec<Claim>,
    /// Set once [`MAX_CLAIMS`] pods match; what follows cannot mend that.
    overflowed: Option<DuplicateContainer>,
}

/// What a stream said about a container.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The pod is known and its selectors can be told.
    Found(Match),
    /// The pod is in the list, but not (yet) the container: it may be about to start.
    PodWithoutContainer {
        /// The pod.
        pod: PodId,
        /// Its phase.
        phase: String,
    },
    /// No pod of the list matches.
    NotFound,
}

/// A pod that was found, reduced to what is told about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// The pod.
    pub pod: PodId,
    /// Its phase.
    pub phase: String,
    /// The container's name; `None` if its pod was known, it was not in the status, and container selectors are
    /// disabled.
    pub container_name: Option<String>,
    /// Selector values, see [`selectors`].
    pub selectors: Vec<String>,
}

#[derive(Debug)]
struct Claim {
    answer: Answer,
    pod: PodId,
    needle: Needle,
}

/// With so many claims on one container they are not told apart any more: memory stays bounded.
const MAX_CLAIMS: usize = 8;

impl Finder {
    /// Looks for `wanted`. With `disable_container_selectors` the pod's selectors are the whole answer, and a pod
    /// whose uid is known is enough.
    #[must_use]
    pub fn new(wanted: ContainerRef, disable_container_selectors: bool) -> Self {
        let needle = Needle::new(wanted.pod_uid.as_ref().unwrap_or(&wanted.container_id));
        Self {
            wanted,
            container_selectors: !disable_container_selectors,
            needle,
            claims: Vec::new(),
            overflowed: None,
        }
    }

    /// What was found. Only after the reader has said that the list was whole is this the answer.
    pub fn finish(mut self) -> Result<Answer, DuplicateContainer> {
        if let Some(duplicate) = self.overflowed {
            return Err(duplicate);
        }
        if self.claims.len() > 1 {
            return Err(duplicate(&self.wanted.container_id, self.claims));
        }
        Ok(self.claims.pop().map_or(Answer::NotFound, |claim| claim.answer))
    }

    fn examine(&self, pod: &Pod<'_>) -> Option<Answer> {
        if self.wanted.pod_uid.as_ref().is_some_and(|uid| *uid != pod.uid) {
            return None;
        }
        let container = pod.container(&self.wanted.container_id);
        let pod_suffices = self.wanted.pod_uid.is_some() && !self.container_selectors;
        if container.is_none() && !pod_suffices {
            let pod_is_known = self.wanted.pod_uid.is_some();
            let answer = || Answer::PodWithoutContainer { pod: pod.id(), phase: pod.phase.to_string() };
            return pod_is_known.then(answer);
        }
        Some(Answer::Found(Match {
            pod: pod.id(),
            phase: pod.phase.to_string(),
            container_name: container.as_ref().map(|status| status.name.to_string()),
            selectors: selectors(pod, container.as_ref().filter(|_| self.container_selectors)),
        }))
    }

    fn claim(&mut self, pod: &Pod<'_>, answer: Answer) {
        self.claims.push(Claim { answer, pod: pod.id(), needle: Needle::new(&pod.uid) });
        if self.claims.len() == MAX_CLAIMS {
            self.overflowed = Some(duplicate(&self.wanted.container_id, mem::take(&mut self.claims)));
        }
    }
}

impl Sink for Finder {
    fn wants(&mut self, raw: &[u8]) -> bool {
        self.overflowed.is_none()
            && (self.needle.may_be_in(raw) || self.claims.iter().any(|claim| claim.needle.may_be_in(raw)))
    }

    fn pod(&mut self, pod: &Pod<'_>) -> Flow {
        if self.overflowed.is_none() {
            self.claims.retain(|claim| claim.pod.uid != pod.uid);
            if let Some(answer) = self.examine(pod) {
                self.claim(pod, answer);
            }
        }
        Flow::Continue
    }
}

fn duplicate(container_id: &str, claims: Vec<Claim>) -> DuplicateContainer {
    let mut pods: Vec<_> = claims.into_iter().map(|claim| claim.pod).collect();
    pods.sort_unstable();
    let mut pods = pods.into_iter();
    let mut next = || pods.next().expect("a duplicate has two claims");
    DuplicateContainer::new(container_id, next(), next())
}

/// Text to look for in JSON that may spell it with escapes.
#[derive(Debug)]
struct Needle {
    /// `None` if JSON has other ways than `\u` to write the text, so that its absence proves nothing.
    text: Option<memmem::Finder<'static>>,
    escape: memmem::Finder<'static>,
}

impl Needle {
    fn new(text: &str) -> Self {
        let is_plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        Self {
            text: is_plain.then(|| memmem::Finder::new(text).into_owned()),
            escape: memmem::Finder::new("\\u"),
        }
    }

    fn may_be_in(&self, raw: &[u8]) -> bool {
        self.text.as_ref().is_none_or(|text| text.find(raw).is_some() || self.escape.find(raw).is_some())
    }
}
