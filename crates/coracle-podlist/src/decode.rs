//! From the JSON of one pod to a [`Pod`]: the members that are kept, and their types.
//!
//! The types are those of Kubernetes' `core/v1` API (`k8s.io/api/core/v1/types.go`): `null` means the zero value for
//! each of them, unknown members are ignored. A member that stands twice is an error; in Kubernetes' own decoder the
//! last one wins, which lets two readers of one document disagree about who a workload is. Keys are matched as they
//! are written by Kubernetes; its own decoder would take `UID` for `uid` too.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use coracle_json::Keep;
use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::pod::{ContainerKind, ContainerStatus, Owner, Pod};

/// Most containers of a kind, owners or labels of one pod. An entry of two bytes in the document takes a hundred in
/// memory, so the cap on a pod's bytes alone would not bound it.
const MOST_ENTRIES: usize = 10_000;

fn too_many<E: de::Error>() -> E {
    E::custom(format_args!("more than {MOST_ENTRIES} entries"))
}

/// What is kept of each element of `items`: about a tenth of it.
pub(crate) static POD: Keep<'_> = Keep::Members(&[
    (
        "metadata",
        Keep::Members(&[
            ("uid", Keep::Whole),
            ("name", Keep::Whole),
            ("namespace", Keep::Whole),
            ("labels", Keep::Whole),
            ("ownerReferences", Keep::Whole),
        ]),
    ),
    (
        "spec",
        Keep::Members(&[
            ("serviceAccountName", Keep::Whole),
            ("nodeName", Keep::Whole),
            ("hostNetwork", Keep::Whole),
        ]),
    ),
    (
        "status",
        Keep::Members(&[
            ("phase", Keep::Whole),
            ("containerStatuses", CONTAINER),
            ("initContainerStatuses", CONTAINER),
            ("ephemeralContainerStatuses", CONTAINER),
        ]),
    ),
]);

const CONTAINER: Keep<'_> = Keep::Members(&[
    ("name", Keep::Whole),
    ("image", Keep::Whole),
    ("imageID", Keep::Whole),
    ("containerID", Keep::Whole),
]);

/// An element of `items`.
#[derive(serde::Deserialize, Default)]
#[serde(default)]
pub(crate) struct Item<'a> {
    #[serde(borrow, deserialize_with = "or_default")]
    metadata: Object<Metadata<'a>>,
    #[serde(borrow, deserialize_with = "or_default")]
    spec: Object<Spec<'a>>,
    #[serde(borrow, deserialize_with = "or_default")]
    status: Object<Status<'a>>,
}

#[derive(serde::Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Metadata<'a> {
    #[serde(borrow, deserialize_with = "or_default")]
    uid: Str<'a>,
    #[serde(borrow, deserialize_with = "or_default")]
    name: Str<'a>,
    #[serde(borrow, deserialize_with = "or_default")]
    namespace: Str<'a>,
    #[serde(borrow, deserialize_with = "or_default")]
    labels: Labels<'a>,
    #[serde(borrow, deserialize_with = "or_default")]
    owner_references: List<Object<OwnerItem<'a>>>,
}

#[derive(serde::Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Spec<'a> {
    #[serde(borrow, deserialize_with = "or_default")]
    service_account_name: Str<'a>,
    #[serde(borrow, deserialize_with = "or_default")]
    node_name: Str<'a>,
    #[serde(deserialize_with = "or_default")]
    host_network: bool,
}

#[derive(serde::Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Status<'a> {
    #[serde(borrow, deserialize_with = "or_default")]
    phase: Str<'a>,
    #[serde(borrow, deserialize_with = "or_default")]
    container_statuses: List<Object<ContainerItem<'a>>>,
    #[serde(borrow, deserialize_with = "or_default")]
    init_container_statuses: List<Object<ContainerItem<'a>>>,
    #[serde(borrow, deserialize_with = "or_default")]
    ephemeral_container_statuses: List<Object<ContainerItem<'a>>>,
}

#[derive(serde::Deserialize, Default)]
#[serde(default)]
struct OwnerItem<'a> {
    #[serde(borrow, deserialize_with = "or_default")]
    kind: Str<'a>,
    #[serde(borrow, deserialize_with = "or_default")]
    name: Str<'a>,
    #[serde(borrow, deserialize_with = "or_default")]
    uid: Str<'a>,
}

#[derive(serde::Deserialize, Default)]
#[serde(default)]
struct ContainerItem<'a> {
    #[serde(borrow, deserialize_with = "or_default")]
    name: Str<'a>,
    #[serde(borrow, deserialize_with = "or_default")]
    image: Str<'a>,
    #[serde(borrow, rename = "imageID", deserialize_with = "or_default")]
    image_id: Str<'a>,
    #[serde(borrow, rename = "containerID", deserialize_with = "or_default")]
    container_id: Str<'a>,
}

impl<'a> Item<'a> {
    /// The pod, or `None` if it has no uid.
    pub(crate) fn into_pod(self) -> Option<Pod<'a>> {
        let Self { metadata: Object(metadata), spec: Object(spec), status: Object(status) } = self;
        if metadata.uid.0.is_empty() {
            return None;
        }
        let lists = [
            (ContainerKind::Container, status.container_statuses),
            (ContainerKind::Init, status.init_container_statuses),
            (ContainerKind::Ephemeral, status.ephemeral_container_statuses),
        ];
        let mut containers = Vec::with_capacity(lists.iter().map(|(_, list)| list.0.len()).sum());
        for (kind, list) in lists {
            containers.extend(list.0.into_iter().map(|Object(item)| ContainerStatus {
                kind,
                name: item.name.0,
                image: item.image.0,
                image_id: item.image_id.0,
                container_id: item.container_id.0,
            }));
        }
        let owner = |Object(item): Object<OwnerItem<'a>>| Owner {
            kind: item.kind.0,
            name: item.name.0,
            uid: item.uid.0,
        };
        Some(Pod {
            uid: metadata.uid.0,
            namespace: metadata.namespace.0,
            name: metadata.name.0,
            service_account: spec.service_account_name.0,
            node_name: spec.node_name.0,
            phase: status.phase.0,
            host_network: spec.host_network,
            labels: metadata.labels.0,
            owners: metadata.owner_references.0.into_iter().map(owner).collect(),
            containers,
        })
    }
}

/// An object. What derives `Deserialize` alone would take an array too, by position.
#[derive(Default)]
pub(crate) struct Object<T>(pub(crate) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ObjectVisitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
            type Value = Object<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Object<T>, A::Error> {
                T::deserialize(de::value::MapAccessDeserializer::new(map)).map(Object)
            }
        }
        deserializer.deserialize_map(ObjectVisitor(PhantomData))
    }
}

/// `null` is the zero value.
fn or_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(
    deserializer: D,
) -> Result<T, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// A string, borrowed from the input where nothing in it is escaped.
#[derive(Default)]
struct Str<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Str<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct StrVisitor;
        impl<'de> Visitor<'de> for StrVisitor {
            type Value = Str<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Str<'de>, E> {
                Ok(Str(Cow::Borrowed(text)))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Str<'de>, E> {
                Ok(Str(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(StrVisitor)
    }
}

/// An array; `null` in place of an element is that element's zero value.
struct List<T>(Vec<T>);

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de> + Default> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ListVisitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de> + Default> Visitor<'de> for ListVisitor<T> {
            type Value = List<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<List<T>, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = seq.next_element::<Option<T>>()? {
                    if items.len() == MOST_ENTRIES {
                        return Err(too_many());
                    }
                    items.push(item.unwrap_or_default());
                }
                Ok(List(items))
            }
        }
        deserializer.deserialize_seq(ListVisitor(PhantomData))
    }
}

/// Labels, in the order of the document. A label that stands twice is an error.
#[derive(Default)]
struct Labels<'a>(Vec<(Cow<'a, str>, Cow<'a, str>)>);

impl<'de: 'a, 'a> Deserialize<'de> for Labels<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct LabelsVisitor;
        impl<'de> Visitor<'de> for LabelsVisitor {
            type Value = Labels<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of strings")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Labels<'de>, A::Error> {
                let mut labels = Vec::new();
                while let Some(key) = map.next_key::<Str<'de>>()? {
                    let value = map.next_value::<Option<Str<'de>>>()?.unwrap_or_default();
                    if labels.len() == MOST_ENTRIES {
                        return Err(too_many());
                    }
                    labels.push((key.0, value.0));
                }
                match duplicate(&labels) {
                    Some(key) => Err(de::Error::custom(format_args!("duplicate label {key:?}"))),
                    None => Ok(Labels(labels)),
                }
            }
        }
        deserializer.deserialize_map(LabelsVisitor)
    }
}

/// A key that stands more than once. A pod has a handful of labels; one with thousands is sorted, not compared in pairs.
fn duplicate<'l>(labels: &'l [(Cow<'_, str>, Cow<'_, str>)]) -> Option<&'l str> {
    let mut keys: Vec<&str> = labels.iter().map(|(key, _)| &**key).collect();
    keys.sort_unstable();
    keys.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}
