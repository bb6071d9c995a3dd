//! Which container and pod is this process?
//!
//! [`locate`] reads `/proc/<pid>/cgroup` and answers with a [`Location`]: a [`ContainerRef`], or the reason
//! why there is none ([`Outside`]). [`parse_cgroup`] is the same reading of bytes that are already in memory.
//!
//! ```
//! use coracle_containers::{Location, locate, parse_cgroup};
//! use std::path::Path;
//!
//! let file = b"0::/kubepods.slice/kubepods-pod2c48913c_b29f_11e7_9350_020968147796.slice/\
//!     cri-containerd-9bca8d63d5fa610783847915bcff0ecac1273e5b4bed3f6fa1b07350e0135961.scope\n";
//! let found = parse_cgroup(file)?.expect("the path names a container");
//! assert_eq!(found.pod_uid.as_deref(), Some("2c48913c-b29f-11e7-9350-020968147796"));
//! assert!(found.container_id.starts_with("9bca8d63"));
//!
//! match locate(Path::new("/proc"), std::process::id()) {
//!     Ok(Location::Container(container)) => println!("in container {}", container.container_id),
//!     Ok(Location::NotInContainer(why)) => println!("not in a container: {why}"),
//!     Err(error) => println!("{error}"),
//! }
//! # Ok::<(), coracle_containers::CgroupError>(())
//! ```
//!
//! # Why the path is read from the left
//!
//! A cgroup path is written by several hands. From the left come the host's service manager, the kubelet (the
//! pod's directory) and the container runtime (the container's directory). What a workload can add, if its
//! cgroup is writable at all, are directories *below its own*, which is to the **right**. So the first pod uid
//! from the left, and the first container id to the right of it, were there before the workload started. A
//! reader that starts from the right takes the name that the workload chose.
//!
//! Three rules follow from the same thought:
//!
//! * **No pod uid**: nothing says which of several ids is the container. The path is accepted only if all its
//!   ids are equal; otherwise [`CgroupError::ContainerIdConflict`] names two of them.
//! * **A path that climbs (`/../`)** is relative to the cgroup namespace of the reader, which may have cut off
//!   the pod's directory. If an id stands before the first pod uid of such a path, the uid is a workload's
//!   own directory, and it does not count. A pod of a node that runs in a container itself (kind), read from
//!   another cgroup namespace (`/../../docker/<node>/kubepods/pod<uid>/<id>`), has the same shape, and is
//!   therefore refused: run the reader in the node's or the host's cgroup namespace.
//! * **A user's session** (`user@1000.service`) is handed over to an unprivileged user, who may name the
//!   directories below it at will. What is below it is not read; see [`Outside::UserSession`].
//!
//! The kernel refuses a newline in the name of a cgroup, so no workload can add a line to the file. Nothing
//! but the cgroup file is read: a process can build its own mount namespace, so `mountinfo` is forgeable.
//!
//! # What this cannot see
//!
//! A container that another runtime started on the host (`/docker/<id>`) and that may write its cgroup can
//! take the shape of a Kubernetes node in a container (`/docker/<id>/kubepods/pod<uid>/<id>`, as in kind),
//! because it is one as far as the path can tell. Do not run such containers beside an attestor.
//! The same holds for a system service to which cgroups are delegated and that runs untrusted code.
#![forbid(unsafe_code)]

mod cgroup;
mod container;
mod error;
mod locate;
mod path;
mod process;
mod procfs;

pub use cgroup::{CgroupError, parse_cgroup};
pub use container::{ContainerRef, Location, Outside};
pub use error::Error;
pub use locate::{MAX_FILE_BYTES, locate, start_time};
pub use process::StartTime;
