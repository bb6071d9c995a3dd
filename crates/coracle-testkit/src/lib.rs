//! What the tests and the demo of Coracle need.
//!
//! * [`podlist`] writes pod lists as a kubelet does, of any length and from a seed, and knows what stands in them.
//! * [`kubelet`] serves one over HTTP or HTTPS, and goes wrong in the ways that real kubelets do.
//! * [`cgroup`] writes cgroup files of every shape that a node shows.
//!
//! ```
//! use coracle_testkit::podlist::PodList;
//!
//! let list = PodList::new(110, 1);
//! assert_eq!(list.facts().count(), 110);
//! assert_eq!(list.document_len(), list.to_vec().len() as u64);
//! ```
#![forbid(unsafe_code)]

pub mod cgroup;
pub mod fuzz;
pub mod kubelet;
pub mod podlist;
