//! Asking again until the container is there.

use std::time::Duration;

use coracle_containers::ContainerRef;
use coracle_podlist::Summary;
use tokio::time::Instant;

use crate::attestor::{AttestError, ContainerNotFound, Policy, Progress};
use crate::find::{Answer, Finder, Match};
use crate::source::{Source, SourceError};
use crate::view::PodId;

/// One reading of the pod list; what the loop knows of a [`Source`].
pub(crate) trait Fetch {
    /// Reads the whole list into `finder`.
    async fn fetch(&self, finder: &mut Finder) -> Result<Summary, SourceError>;
    /// Whether a second reading can differ from the first.
    fn is_repeatable(&self) -> bool;
    /// For messages.
    fn place(&self) -> String;
}

impl Fetch for Source {
    async fn fetch(&self, finder: &mut Finder) -> Result<Summary, SourceError> {
        self.read(finder).await
    }
    fn is_repeatable(&self) -> bool {
        Self::is_repeatable(self)
    }
    fn place(&self) -> String {
        self.to_string()
    }
}

/// What the loop found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) found: Match,
    pub(crate) summary: Summary,
    pub(crate) attempts: u32,
}

/// Reads the list until the container is in it, at most as often and as fast as `policy` allows.
///
/// Requests start at least the interval apart, from start to start: after one that took longer the next begins at
/// once. A failed request counts as a list without the container; only the last one's error is the loop's, except
/// for one that [ends it at once](is_final).
pub(crate) async fn poll(
    source: &impl Fetch,
    policy: &Policy,
    container: &ContainerRef,
    observer: &mut dyn FnMut(Progress<'_>),
) -> Result<Hit, AttestError> {
    let begun = Instant::now();
    let of = if source.is_repeatable() { policy.max_poll_attempts.max(1) } else { 1 };
    let mut attempt = 1;
    loop {
        let next_start = Instant::now() + policy.poll_retry_interval;
        observer(Progress::Reading { attempt, of });
        let mut finder = Finder::new(container.clone(), policy.disable_container_selectors);
        let fetched = source.fetch(&mut finder).await;
        let is_last = attempt >= of;
        let retry_in = (!is_last).then(|| next_start.saturating_duration_since(Instant::now()));
        match fetched {
            Err(error) if is_last || is_final(&error, policy) => {
                return Err(AttestError::Source { attempts: attempt, source: error });
            }
            Err(error) => observer(Progress::Failed { attempt, of, error: &error, retry_in }),
            Ok(summary) => {
                let pod = match finder.finish()? {
                    Answer::Found(found) => return Ok(Hit { found, summary, attempts: attempt }),
                    Answer::PodWithoutContainer { pod, phase } => Some((pod, phase)),
                    Answer::NotFound => None,
                };
                if is_last {
                    let waited = begun.elapsed();
                    return Err(not_found(source, container, pod.as_ref(), (attempt, waited)));
                }
                let pod = pod.as_ref().map(|(pod, _)| pod);
                observer(Progress::NotYet { attempt, of, pod, retry_in });
            }
        }
        tokio::time::sleep_until(next_start).await;
        attempt += 1;
    }
}

/// Whether no further request is made after this error. An undecodable pod may be the very one that is looked for, so
/// it fails the attestation at once, as it does with SPIRE's attestor.
fn is_final(error: &SourceError, policy: &Policy) -> bool {
    error.is_undecodable_pod() || (policy.fail_fast && error.is_lasting())
}

fn not_found(
    source: &impl Fetch,
    container: &ContainerRef,
    pod: Option<&(PodId, String)>,
    (attempts, waited): (u32, Duration),
) -> AttestError {
    let advice = match (pod, &container.pod_uid) {
        (Some((pod, phase)), _) => format!(
            "its pod {pod} is listed (phase {phase:?}) without it: is the container still starting (a postStart hook \
             holds it back until it ends), or already replaced?"
        ),
        (None, Some(_)) => {
            "its pod is not listed either: is this list that of the process's own node, and is the \
                            pod not deleted yet?"
                .to_owned()
        }
        (None, None) => {
            "is this list that of the process's own node, and did the kubelet start the container (not \
                         docker, podman or a runtime inside a pod)?"
                .to_owned()
        }
    };
    AttestError::NotFound(Box::new(ContainerNotFound {
        container: container.clone(),
        place: source.place(),
        attempts,
        waited,
        pod: pod.map(|(pod, _)| pod.clone()),
        advice,
    }))
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::collections::VecDeque;
    use std::io;

    use coracle_podlist::{Pod, Sink};
    use tokio::time::sleep;

    use super::*;
    use crate::kubelet::{KubeletError, KubeletOptions};
    use crate::samples::pod;
    use crate::status::Status;

    /// One scripted reading: how long it takes, and what comes.
    type Reading = (u64, Result<Vec<Pod<'static>>, SourceError>);

    struct Script {
        begun: Instant,
        readings: RefCell<VecDeque<Reading>>,
        starts: RefCell<Vec<u128>>,
        is_repeatable: bool,
    }

    impl Script {
        fn new(readings: impl IntoIterator<Item = Reading>) -> Self {
            Self {
                begun: Instant::now(),
                readings: RefCell::new(readings.into_iter().collect()),
                starts: RefCell::default(),
                is_repeatable: true,
            }
        }
    }

    impl Fetch for Script {
        async fn fetch(&self, finder: &mut Finder) -> Result<Summary, SourceError> {
            self.starts.borrow_mut().push(self.begun.elapsed().as_millis());
            let (takes, reading) = self.readings.borrow_mut().pop_front().unwrap_or((0, Ok(Vec::new())));
            sleep(Duration::from_millis(takes)).await;
            for pod in reading? {
                finder.pod(&pod);
            }
            Ok(Summary::default())
        }
        fn is_repeatable(&self) -> bool {
            self.is_repeatable
        }
        fn place(&self) -> String {
            "a script".to_owned()
        }
    }

    fn refused() -> Result<Vec<Pod<'static>>, SourceError> {
        Err(KubeletError::Connect {
            url: "https://k".to_owned(),
            source: io::ErrorKind::ConnectionRefused.into(),
        }
        .into())
    }

    fn forbidden() -> Result<Vec<Pod<'static>>, SourceError> {
        Err(KubeletError::status(&KubeletOptions::default(), 403, b"Forbidden").into())
    }

    async fn run(script: &Script, policy: &Policy) -> (Result<Hit, AttestError>, Vec<String>) {
        let container = ContainerRef { pod_uid: None, container_id: "aa".to_owned() };
        let mut told = Vec::new();
        let result =
            poll(script, policy, &container, &mut |progress| told.push(format!("{progress:?}"))).await;
        (result, told)
    }

    fn attempts(max_poll_attempts: u32) -> Policy {
        Policy { max_poll_attempts, ..Policy::default() }
    }

    #[tokio::test(start_paused = true)]
    async fn requests_start_half_a_second_apart_and_a_slow_one_delays_the_next_no_further() {
        let script = Script::new([
            (100, Ok(vec![])),
            (700, refused()),
            (0, Ok(vec![pod("u", &["bb"])])),
            (0, Ok(vec![pod("u", &["aa"])])),
        ]);
        let (result, told) = run(&script, &Policy::default()).await;
        let hit = result.expect("found at the fourth attempt");
        assert_eq!((hit.attempts, &*hit.found.pod.uid), (4, "u"));
        assert_eq!(*script.starts.borrow(), [0, 500, 1200, 1700]);
        assert_eq!(told.len(), 7, "{told:?}");
        assert!(
            told[1].contains("NotYet { attempt: 1, of: 60, pod: None, retry_in: Some(400ms) }"),
            "{}",
            told[1]
        );
        assert!(told[3].contains("Failed { attempt: 2"), "{}", told[3]);
        assert!(told[3].contains("retry_in: Some(0ns)"), "{}", told[3]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_container_that_never_appears_is_given_up_after_29_5_seconds() {
        let script = Script::new([]);
        let (result, _) = run(&script, &Policy::default()).await;
        let error = result.expect_err("never found");
        assert_eq!(error.status(), Status::DeadlineExceeded);
        let AttestError::NotFound(missing) = &error else { panic!("{error}") };
        assert_eq!((missing.attempts, missing.waited), (60, Duration::from_millis(29_500)));
        let message = error.to_string();
        for part in ["container aa", "a script", "60 attempts", "29.5 s", "own node"] {
            assert!(message.contains(part), "{message}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_pod_that_is_listed_without_the_container_is_named_in_the_error() {
        let script = Script::new([(0, Ok(vec![pod("u-1", &["bb"])]))]);
        let container = ContainerRef { pod_uid: Some("u-1".to_owned()), container_id: "aa".to_owned() };
        let result = poll(&script, &attempts(1), &container, &mut |_| ()).await;
        let message = result.expect_err("not in the status").to_string();
        assert!(message.contains("container aa of pod u-1"), "{message}");
        assert!(message.contains("shop/pod-u-1 (u-1) is listed"), "{message}");
        assert!(message.contains("1 attempt in 0.0 s"), "{message}");
    }

    #[tokio::test(start_paused = true)]
    async fn the_last_attempts_error_is_the_loops_and_an_earlier_one_is_not() {
        let (result, _) = run(&Script::new([(0, Ok(vec![])), (0, refused())]), &attempts(2)).await;
        let error = result.expect_err("refused");
        assert!(matches!(error, AttestError::Source { attempts: 2, .. }), "{error}");
        assert_eq!(error.status(), Status::Unavailable);
        let (result, _) = run(&Script::new([(0, refused()), (0, Ok(vec![]))]), &attempts(2)).await;
        assert_eq!(result.expect_err("not found").status(), Status::DeadlineExceeded);
    }

    #[tokio::test(start_paused = true)]
    async fn failing_fast_ends_at_an_error_that_lasts_and_waits_for_one_that_does_not() {
        let fast = Policy { fail_fast: true, ..attempts(3) };
        let script = Script::new([(0, refused()), (0, forbidden()), (0, Ok(vec![pod("u", &["aa"])]))]);
        let (result, _) = run(&script, &fast).await;
        assert!(matches!(result, Err(AttestError::Source { attempts: 2, .. })));
        let script = Script::new([(0, refused()), (0, forbidden()), (0, Ok(vec![pod("u", &["aa"])]))]);
        let (result, _) = run(&script, &attempts(3)).await;
        assert_eq!(result.expect("found in the end").attempts, 3);
    }

    fn timed_out() -> Result<Vec<Pod<'static>>, SourceError> {
        let (url, after) = ("https://k".to_owned(), Duration::from_secs(10));
        Err(KubeletError::Timeout { url, after, received: 7 }.into())
    }

    fn list_error(source: coracle_podlist::Error) -> Result<Vec<Pod<'static>>, SourceError> {
        Err(SourceError::List { place: "a script".to_owned(), source })
    }

    fn read_error(json: &[u8]) -> coracle_podlist::Error {
        let mut reader = coracle_podlist::Reader::new();
        let mut index = crate::PodIndex::new();
        match reader.push(json, &mut index) {
            Ok(_) => reader.finish(&mut index).expect_err("no list"),
            Err(error) => error,
        }
    }

    #[tokio::test(start_paused = true)]
    async fn failing_fast_waits_for_one_timeout_and_not_for_sixty() {
        let hangs = || Script::new((0..60).map(|_| (10_000, timed_out())));
        let script = hangs();
        let (result, _) = run(&script, &Policy { fail_fast: true, ..Policy::default() }).await;
        assert!(matches!(result, Err(AttestError::Source { attempts: 1, .. })), "{result:?}");
        assert_eq!((script.starts.borrow().len(), script.begun.elapsed().as_secs()), (1, 10));
        let (result, _) = run(&hangs(), &attempts(3)).await;
        assert!(matches!(result, Err(AttestError::Source { attempts: 3, .. })), "{result:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_pod_that_cannot_be_decoded_ends_the_loop_at_once_and_a_cut_list_does_not() {
        let found = || (0, Ok(vec![pod("u", &["aa"])]));
        let undecodable = read_error(br#"{"items":[{"metadata":{"uid":7}}]}"#);
        assert!(matches!(undecodable, coracle_podlist::Error::Pod { .. }), "{undecodable}");
        let script = Script::new([(0, list_error(undecodable)), found()]);
        let (result, _) = run(&script, &Policy::default()).await;
        let error = result.expect_err("not decoded");
        assert!(matches!(error, AttestError::Source { attempts: 1, .. }), "{error}");
        assert_eq!(error.status(), Status::Unavailable);

        let cut = read_error(br#"{"items":[{"metadata":"#);
        let (result, _) = run(&Script::new([(0, list_error(cut)), found()]), &Policy::default()).await;
        assert_eq!(result.expect("found at the second attempt").attempts, 2);
    }

    #[tokio::test(start_paused = true)]
    async fn a_duplicate_ends_the_loop_at_once() {
        let script = Script::new([(0, Ok(vec![pod("u-1", &["aa"]), pod("u-2", &["aa"])]))]);
        let (result, _) = run(&script, &Policy::default()).await;
        let error = result.expect_err("two pods");
        assert_eq!(error.status(), Status::Internal);
        assert!(matches!(error, AttestError::Duplicate(_)));
    }

    #[tokio::test(start_paused = true)]
    async fn what_cannot_be_read_twice_is_read_once() {
        let script = Script { is_repeatable: false, ..Script::new([]) };
        let (result, _) = run(&script, &Policy::default()).await;
        let AttestError::NotFound(missing) = result.expect_err("not found") else { panic!("not found") };
        assert_eq!((missing.attempts, missing.waited), (1, Duration::ZERO));
    }
}
