//! Who plays in the demo: processes, each with its place in the node's cgroups, and the truth about it.

use coracle_testkit::cgroup::{Shape, file};
use coracle_testkit::podlist::{ContainerFacts, ContainerKind, OwnerFacts, Phase, PodFacts, PodList};

use super::DemoError;

/// A pod list, and processes of some of its pods. The same arguments give the same scene, in each process.
pub(super) struct Scene {
    pub(super) list: PodList,
    pub(super) parts: Vec<Part>,
}

/// One process of the node.
pub(super) struct Part {
    /// What is special about its place.
    pub(super) place: String,
    /// Its cgroup, from the node's root; begins with a slash.
    pub(super) path: String,
    /// Who it is; `None` for a process outside of pods.
    pub(super) truth: Option<Truth>,
}

/// What attestation must find.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Truth {
    pub(super) pod_uid: String,
    pub(super) container_name: String,
}

/// What a part asks of its pod, and where it puts its process.
struct Casting {
    place: &'static str,
    kind: ContainerKind,
    is_static: bool,
    path: fn(uid: &str, id: &str) -> String,
}

const fn casting(place: &'static str, kind: ContainerKind, path: fn(&str, &str) -> String) -> Casting {
    Casting { place, kind, is_static: false, path }
}

/// Those that few pods can play come first.
const CASTINGS: [Casting; 11] = [
    Casting {
        place: "static pod, systemd",
        kind: ContainerKind::Main,
        is_static: true,
        path: |uid, id| shape(Shape::StaticPodSystemd, uid, id),
    },
    casting("ephemeral container", ContainerKind::Ephemeral, containerd),
    casting("sidecar", ContainerKind::Sidecar, containerd),
    casting("init container", ContainerKind::Init, containerd),
    casting("containerd, systemd", ContainerKind::Main, containerd),
    casting("containerd, cgroupfs", ContainerKind::Main, |uid, id| {
        shape(Shape::V2CgroupfsBurstable, uid, id)
    }),
    casting("guaranteed, cgroupfs", ContainerKind::Main, |uid, id| {
        shape(Shape::V1CgroupfsGuaranteed, uid, id)
    }),
    casting("CRI-O, sub-cgroup", ContainerKind::Main, |uid, id| shape(Shape::CrunSubCgroup, uid, id)),
    casting("docker, systemd", ContainerKind::Main, |uid, id| shape(Shape::V2SystemdDocker, uid, id)),
    casting("no pod in its path", ContainerKind::Main, |_, id| format!("/crio-{id}.scope")),
    casting(FORGER, ContainerKind::Main, containerd),
];
const FORGER: &str = "nested";
const HOST_PROCESS: &str = "/system.slice/coracle-demo.service";

fn containerd(uid: &str, id: &str) -> String {
    shape(Shape::V2SystemdContainerd, uid, id)
}

/// The path in a cgroup file of that shape.
fn shape(shape: Shape, uid: &str, id: &str) -> String {
    let file = file(shape, uid, id);
    file.lines().next().and_then(|line| line.splitn(3, ':').nth(2)).unwrap_or_default().to_owned()
}

impl Casting {
    fn suits(&self, pod: &PodFacts) -> bool {
        is_static(pod) == self.is_static && self.container(pod).is_some()
    }

    fn container<'a>(&self, pod: &'a PodFacts) -> Option<&'a ContainerFacts> {
        pod.containers.iter().find(|container| container.kind == self.kind)
    }

    /// Makes a running pod suit that does not.
    fn adapt(&self, pod: &mut PodFacts) {
        if self.is_static {
            pod.uid = pod.uid.replace('-', "");
            let owner = OwnerFacts {
                api_version: "v1".to_owned(),
                kind: "Node".to_owned(),
                name: pod.node_name.clone(),
                uid: pod.uid.clone(),
            };
            pod.owners = vec![owner];
        }
        if self.container(pod).is_none()
            && let Some(model) = pod.containers.iter().find(|container| container.kind == ContainerKind::Main)
        {
            // As long an id as any, and no other container's: the model's, reversed.
            let (scheme, id) = model.container_id.split_once("://").unwrap_or(("containerd", ""));
            let added = ContainerFacts {
                kind: self.kind,
                name: format!("demo-{}", self.place.split(' ').next().unwrap_or_default()),
                container_id: format!("{scheme}://{}", id.chars().rev().collect::<String>()),
                ..model.clone()
            };
            match self.kind {
                ContainerKind::Init | ContainerKind::Sidecar => pod.containers.insert(0, added),
                _ => pod.containers.push(added),
            }
        }
    }

    fn part(&self, pod: &PodFacts) -> Option<Part> {
        let container = self.container(pod)?;
        Some(Part {
            place: self.place.to_owned(),
            path: (self.path)(&pod.uid, container.bare_id()),
            truth: Some(Truth { pod_uid: pod.uid.clone(), container_name: container.name.clone() }),
        })
    }
}

impl Scene {
    pub(super) fn new(pods: u32, seed: u64) -> Result<Self, DemoError> {
        let mut list = PodList::new(pods, seed);
        let mut cast = find(&list);
        let mut found = cast.iter().flatten().count();
        let wanted = CASTINGS.len();
        for (slot, casting) in CASTINGS.iter().enumerate().filter(|(_, casting)| casting.is_rare()) {
            if cast[slot].is_none()
                && let Some((index, mut pod)) = unused(&list, &cast)
            {
                casting.adapt(&mut pod);
                list = list.override_pod(index, pod.clone());
                cast[slot] = Some((index, pod));
                found += 1;
            }
        }
        let parts: Vec<Part> = cast
            .iter()
            .zip(&CASTINGS)
            .filter_map(|(cast, casting)| cast.as_ref().and_then(|(_, pod)| casting.part(pod)))
            .collect();
        if parts.len() < wanted {
            return Err(DemoError::TooFewPods { found, wanted });
        }
        Ok(Self { list, parts: with_drama(parts, &cast) })
    }
}

type Cast = [Option<(u32, PodFacts)>; CASTINGS.len()];

impl Casting {
    fn is_rare(&self) -> bool {
        self.is_static || self.kind != ContainerKind::Main
    }
}

/// One pod for each part, as far as the list has them. Pods are looked at one at a time: a list may be long.
fn find(list: &PodList) -> Cast {
    let mut cast = Cast::default();
    for index in 0..list.pods() {
        if cast.iter().all(Option::is_some) {
            break;
        }
        let pod = list.pod(index);
        let open =
            CASTINGS.iter().zip(&cast).position(|(casting, cast)| cast.is_none() && casting.suits(&pod));
        if let Some(slot) = open.filter(|_| pod.phase == Phase::Running) {
            cast[slot] = Some((index, pod));
        }
    }
    cast
}

/// An ordinary running pod that plays no part yet.
fn unused(list: &PodList, cast: &Cast) -> Option<(u32, PodFacts)> {
    let is_used = |index| cast.iter().flatten().any(|(used, _)| *used == index);
    (0..list.pods())
        .filter(|&index| !is_used(index))
        .map(|index| (index, list.pod(index)))
        .find(|(_, pod)| pod.phase == Phase::Running && !is_static(pod))
}

fn is_static(pod: &PodFacts) -> bool {
    pod.owners.iter().any(|owner| owner.kind == "Node")
}

/// Lets one process pass for another's pod, adds one that is in none, and puts the ordinary ones first.
fn with_drama(mut parts: Vec<Part>, cast: &Cast) -> Vec<Part> {
    let victim = cast.iter().zip(&CASTINGS).find(|(_, casting)| casting.place == "containerd, systemd");
    if let Some((Some((_, pod)), casting)) = victim
        && let Some(container) = casting.container(pod)
        && let Some(forger) = parts.iter_mut().find(|part| part.place == FORGER)
    {
        forger.path = format!("{}/kubepods/pod{}/{}", forger.path, pod.uid, container.bare_id());
        forger.place = format!("tried to pass for {}/{}", pod.namespace, pod.name);
    }
    let rare = CASTINGS.iter().filter(|casting| casting.is_rare()).count();
    let ordinary = parts.len() - rare - 2;
    parts.rotate_left(rare);
    // Now: ordinary ones, the two strange ones, the rare ones.
    parts[ordinary..].rotate_left(2);
    parts.push(Part { place: "host process".to_owned(), path: HOST_PROCESS.to_owned(), truth: None });
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use coracle_containers::parse_cgroup;

    #[test]
    fn every_part_is_cast_for_many_seeds_and_its_path_leads_to_its_own_pod() {
        for seed in 0..50 {
            let scene = Scene::new(40, seed).expect("40 pods are enough");
            assert_eq!(scene.parts.len(), CASTINGS.len() + 1);
            for part in &scene.parts {
                let found =
                    parse_cgroup(format!("0::/demo.slice{}\n", part.path).as_bytes()).expect("one container");
                let Some(truth) = &part.truth else {
                    assert_eq!(found, None, "{}", part.place);
                    continue;
                };
                let found = found.expect(&part.place);
                let pod =
                    scene.list.facts().find(|pod| pod.uid == truth.pod_uid).expect("the pod is in the list");
                let container =
                    pod.containers.iter().find(|container| container.bare_id() == found.container_id);
                assert_eq!(container.expect("it is the pod's").name, truth.container_name);
                assert!(found.pod_uid.is_none_or(|uid| uid == truth.pod_uid), "{}", part.place);
            }
        }
    }

    #[test]
    fn the_same_arguments_give_the_same_scene() {
        let paths =
            || Scene::new(110, 1).expect("a scene").parts.into_iter().map(|p| p.path).collect::<Vec<_>>();
        assert_eq!(paths(), paths());
    }

    #[test]
    fn one_process_is_nested_below_a_path_of_another_pod() {
        let scene = Scene::new(110, 1).expect("a scene");
        let forger =
            scene.parts.iter().find(|part| part.place.starts_with("tried to pass")).expect("a forger");
        let victim = scene.parts.iter().find(|part| part.place == "containerd, systemd").expect("a victim");
        let victim_uid = &victim.truth.as_ref().expect("a pod").pod_uid;
        assert!(forger.path.contains(victim_uid), "{}", forger.path);
        assert_ne!(forger.truth, victim.truth);
    }

    #[test]
    fn no_two_processes_have_one_cgroup() {
        let scene = Scene::new(110, 7).expect("a scene");
        let paths: std::collections::HashSet<_> = scene.parts.iter().map(|part| &part.path).collect();
        assert_eq!(paths.len(), scene.parts.len());
    }
}
