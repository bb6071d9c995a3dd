//! Why a pod list was refused, and where.

/// A document that is not a pod list, or that could not be read to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Not JSON, not the shape of a list (an object with an `items` array or `null`), cut off, or over a cap.
    #[error("the pod list cannot be read {0}{hint}", hint = hint(.0))]
    Json(#[from] coracle_json::Error),
    /// JSON, but a field of a pod has another type than Kubernetes gives it, or stands twice.
    #[error(
        "the pod list cannot be read: items[{index}], which starts at byte {offset}, is no pod: {path}{message} \
         (the kubelet writes no such pod: find out who changed the list)"
    )]
    Pod {
        /// The pod's position in `items`, from 0.
        index: u64,
        /// Where in the document it starts, in bytes.
        offset: u64,
        /// The field, such as `metadata.uid: `; empty if it is the pod itself.
        path: String,
        /// What is wrong with it.
        message: String,
    },
}

/// What to do about it, where that is not plain.
fn hint(error: &coracle_json::Error) -> &'static str {
    use coracle_json::ErrorKind as Kind;
    match &error.kind {
        Kind::Truncated { .. } => " (the answer was cut off: ask again)",
        Kind::Missing { .. } | Kind::WrongType { .. } => {
            " (a pod list is what the kubelet answers to GET /pods, or 'kubectl get pods -A -o json')"
        }
        Kind::Primitive { .. } if error.offset == 0 => {
            " (this is no JSON: is it a kubelet's answer to GET /pods?)"
        }
        Kind::DuplicateKey { .. } => " (no Kubernetes component writes that: find out who changed the list)",
        Kind::ElementTooLarge { .. } => " (no pod of a real cluster is that large; the cap can be raised)",
        _ => "",
    }
}
