//! From a PID to its SPIFFE selectors.
//!
//! [`Attestor`] answers *who is this process?*: its cgroups name a container, the kubelet's pod list names the
//! container's pod, and [`selectors()`] says of that pod what SPIRE's built-in `k8s` attestor would say. The list
//! comes from a [`Source`] (a kubelet, a file, standard input), is streamed, and is kept in one of two ways:
//!
//! | | keeps | for |
//! |---|---|---|
//! | [`Finder`] | the answer for one container | a command that attests once |
//! | [`PodIndex`] | a few hundred bytes per pod | an agent that is asked again and again |
//!
//! Both are [`Sink`](coracle_podlist::Sink)s of a [`Reader`](coracle_podlist::Reader), look at pods through
//! [`PodView`], and give the same answers.
//!
//! What is *not* done: no connection is kept between requests, nothing is cached, redirects and proxies are not
//! followed, a token is never sent over plain HTTP, and the system's root certificates are never trusted. A list that
//! breaks off is an error, whatever had been found in it until then.
//!
//! ```
//! use coracle_attest::{PodIndex, PodView, selectors};
//! use coracle_podlist::{ContainerStatus, Pod};
//!
//! let mut index = PodIndex::new();
//! index.insert(&Pod {
//!     uid: "2c48913c-b29f-11e7-9350-020968147796".into(),
//!     namespace: "default".into(),
//!     name: "blog-24ck7".into(),
//!     containers: vec![ContainerStatus {
//!         name: "blog".into(),
//!         container_id: "containerd://9bca8d63".into(),
//!         ..ContainerStatus::default()
//!     }],
//!     ..Pod::default()
//! });
//!
//! let (pod, container) = index.by_container("9bca8d63")?.expect("the container is in the list");
//! assert_eq!(pod.name(), "blog-24ck7");
//! let values = selectors(&pod, Some(&container));
//! assert!(values.contains(&"ns:default".to_owned()));
//! assert!(values.contains(&"container-name:blog".to_owned()));
//! # Ok::<(), coracle_attest::DuplicateContainer>(())
//! ```
#![forbid(unsafe_code)]

mod attestor;
mod duplicate;
mod find;
mod index;
mod kubelet;
mod polling;
mod record;
mod selectors;
mod source;
mod status;
mod view;

#[cfg(test)]
mod samples;

pub use attestor::{AttestError, Attestation, Attestor, ContainerNotFound, Outcome, Policy, Progress};
pub use duplicate::DuplicateContainer;
pub use find::{Answer, Finder, Match};
pub use index::{PodAndContainer, PodIndex, PodRef};
pub use kubelet::{KubeletError, KubeletOptions, Scheme, SetupError, UrlError};
pub use selectors::{SELECTOR_TYPE, selectors};
pub use source::{Source, SourceError};
pub use status::Status;
pub use view::{PodId, PodView};
