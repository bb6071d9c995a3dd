//! Streams a Kubernetes `PodList` of any size, one pod at a time.
//!
//! A kubelet's `/pods` answer is 1 to 50 MB of JSON, of which an agent needs a dozen short fields a pod. [`Reader`]
//! takes the answer in chunks as they come from the socket and calls a [`Sink`] with each [`Pod`]; it holds the kept
//! members of one pod and nothing else.
//!
//! ```
//! use coracle_podlist::{Flow, Pod, Reader, Sink};
//!
//! #[derive(Default)]
//! struct Names(Vec<String>);
//!
//! impl Sink for Names {
//!     fn pod(&mut self, pod: &Pod<'_>) -> Flow {
//!         self.0.push(format!("{}/{}", pod.namespace, pod.name));
//!         Flow::Continue
//!     }
//! }
//!
//! let answer = br#"{"kind":"PodList","items":[
//!     {"metadata":{"uid":"1","namespace":"shop","name":"cart"},"spec":{"volumes":[]},"status":{"phase":"Running"}},
//!     {"metadata":{"namespace":"shop","name":"without a uid"}}]}"#;
//! let mut names = Names::default();
//! let mut reader = Reader::new();
//! for chunk in answer.chunks(16) {
//!     reader.push(chunk, &mut names)?;
//! }
//! let summary = reader.finish(&mut names)?; // fails unless the list was whole
//! assert_eq!(names.0, ["shop/cart"]);
//! assert_eq!((summary.pods, summary.without_uid), (1, 1));
//! # Ok::<(), coracle_podlist::Error>(())
//! ```
//!
//! # The shape of a list
//!
//! The document is an object with an `items` array, or `null` in its place. A pod without a uid is counted and
//! skipped. A member that is read and stands twice is an error, as is one of another type than Kubernetes gives it;
//! of a pod that the sink declined, the types are not looked at.
//! Two pods with one uid are both given to the sink; a list that has them means the later one.
#![forbid(unsafe_code)]

mod decode;
mod error;
mod pod;
mod reader;

pub use coracle_json::Flow;
pub use error::Error;
pub use pod::{ContainerKind, ContainerStatus, Owner, Pod};
pub use reader::{Limits, Reader, Sink, Summary};
