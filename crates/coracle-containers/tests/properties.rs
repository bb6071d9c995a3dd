//! What holds for every cgroup file.

use coracle_containers::{CgroupError, ContainerRef, parse_cgroup};
use coracle_testkit::cgroup::{self, Shape, VICTIM_CONTAINER_ID, VICTIM_POD_UID};
use proptest::prelude::*;

fn uid() -> impl Strategy<Value = String> {
    proptest::collection::vec(any::<u8>(), 16).prop_map(|bytes| {
        let hex = hex(&bytes);
        format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
    })
}

fn id() -> impl Strategy<Value = String> {
    proptest::collection::vec(any::<u8>(), 32).prop_map(|bytes| hex(&bytes))
}

fn hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from_digit(nibble.into(), 16).expect("a nibble");
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// A name that a workload may give a cgroup: anything without a slash, a newline or a NUL, and not empty.
fn component() -> impl Strategy<Value = Vec<u8>> {
    let arbitrary = proptest::collection::vec(any::<u8>(), 1..80)
        .prop_map(|bytes| bytes.into_iter().filter(|b| !b"/\n\0".contains(b)).collect::<Vec<_>>())
        .prop_filter("a component has a name", |bytes| !bytes.is_empty());
    let victims = prop_oneof![
        Just(format!("pod{VICTIM_POD_UID}")),
        Just(format!("pod{}", VICTIM_POD_UID.replace('-', ""))),
        Just(format!("kubepods-pod{}.slice", VICTIM_POD_UID.replace('-', "_"))),
        Just(VICTIM_CONTAINER_ID.to_owned()),
        Just(format!("cri-containerd-{VICTIM_CONTAINER_ID}.scope")),
        Just("user@1000.service".to_owned()),
        Just("..".to_owned()),
    ];
    prop_oneof![arbitrary, victims.prop_map(String::into_bytes)]
}

/// A line with none, one or both of the ids, from small sets so that they agree and differ often.
fn line() -> impl Strategy<Value = String> {
    let uids = prop_oneof![
        Just(String::new()),
        Just(format!("/pod{VICTIM_POD_UID}")),
        Just(format!("/pod{}", "ab".repeat(16)))
    ];
    let ids = prop_oneof![
        3 => Just(String::new()),
        3 => Just(format!("/{VICTIM_CONTAINER_ID}")),
        3 => Just(format!("/{}", "c0".repeat(32))),
        1 => Just(":".to_owned()),
    ];
    let ends = prop_oneof![9 => Just("1:a:/x"), 1 => Just("malformed")];
    (ends, ids.clone(), uids, ids).prop_map(|(start, left, uid, right)| format!("{start}{left}{uid}{right}"))
}

/// The answer, without what an error says about the order of lines.
fn kind(result: &Result<Option<ContainerRef>, CgroupError>) -> Result<Option<&ContainerRef>, u8> {
    match result {
        Ok(found) => Ok(found.as_ref()),
        Err(CgroupError::Malformed { .. }) => Err(0),
        Err(CgroupError::PodUidConflict { .. }) => Err(1),
        Err(_) => Err(2),
    }
}

/// Appends the components to the paths of the lines that are picked by number and content.
fn nest(file: &str, components: &[Vec<u8>], pick: impl Fn(usize, &str) -> bool) -> Vec<u8> {
    let mut nested = Vec::new();
    for (index, line) in file.lines().enumerate() {
        nested.extend(line.bytes());
        if pick(index, line) {
            for component in components {
                nested.push(b'/');
                nested.extend(component);
            }
        }
        nested.push(b'\n');
    }
    nested
}

proptest! {
    #[test]
    fn no_bytes_make_the_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        let _ = parse_cgroup(&bytes);
    }

    #[test]
    fn no_mix_of_lines_makes_the_reader_panic(
        lines in proptest::collection::vec((line(), component()), 0..8),
    ) {
        let mut file = Vec::new();
        for (line, component) in lines {
            file.extend(line.bytes());
            file.extend(component);
            file.push(b'\n');
        }
        let _ = parse_cgroup(&file);
    }

    #[test]
    fn every_shape_gives_the_container_it_was_made_of(uid in uid(), id in id()) {
        for shape in Shape::ALL {
            let file = cgroup::file(shape, &uid, &id);
            let expected = cgroup::expected(shape, &uid, &id)
                .map(|found| ContainerRef { pod_uid: found.pod_uid, container_id: found.container_id });
            prop_assert_eq!(parse_cgroup(file.as_bytes()), Ok(expected), "{:?}", shape);
        }
    }

    #[test]
    fn a_container_in_a_nested_cgroup_cannot_choose_its_pod(
        uid in uid(),
        id in id(),
        components in proptest::collection::vec(component(), 1..6),
        only in proptest::option::of(0_usize..11),
    ) {
        for shape in Shape::ALL {
            let file = cgroup::file(shape, &uid, &id);
            let honest = parse_cgroup(file.as_bytes());
            if matches!(&honest, Ok(Some(found)) if found.pod_uid.is_some()) {
                let own = |index, line: &str| line.contains(&id) && only.is_none_or(|only| only == index);
                let nested = nest(&file, &components, own);
                prop_assert_eq!(parse_cgroup(&nested), honest, "{:?}", shape);
            }
        }
    }

    /// In a hierarchy that the runtime does not use, a container may sit in a cgroup that is not its own.
    #[test]
    fn a_container_that_writes_a_cgroup_not_its_own_is_itself_or_refused(
        uid in uid(),
        id in id(),
        components in proptest::collection::vec(component(), 1..6),
    ) {
        for shape in Shape::ALL {
            let file = cgroup::file(shape, &uid, &id);
            let honest = parse_cgroup(file.as_bytes());
            if matches!(&honest, Ok(Some(found)) if found.pod_uid.is_some()) {
                match parse_cgroup(&nest(&file, &components, |_, line| !line.contains(&id))) {
                    Err(CgroupError::PodUidConflict { .. }) => {}
                    other => prop_assert_eq!(other, honest, "{:?}", shape),
                }
            }
        }
    }

    #[test]
    fn a_sibling_whose_pod_is_cut_off_is_itself_or_refused(
        uid in uid(),
        id in id(),
        components in proptest::collection::vec(component(), 1..6),
    ) {
        for shape in [Shape::Sibling, Shape::SiblingCrio] {
            let file = cgroup::file(shape, &uid, &id);
            match parse_cgroup(&nest(&file, &components, |_, _| true)) {
                Ok(Some(found)) => {
                    prop_assert_eq!(found, ContainerRef { pod_uid: None, container_id: id.clone() });
                }
                Ok(None) => prop_assert!(false, "the container vanished"),
                Err(error) => {
                    prop_assert!(matches!(error, CgroupError::ContainerIdConflict { .. }), "{}", error);
                }
            }
        }
    }

    #[test]
    fn a_user_in_its_session_can_choose_neither_pod_nor_container(
        components in proptest::collection::vec(component(), 1..6),
    ) {
        let session = "0::/user.slice/user-1000.slice/user@1000.service\n";
        prop_assert_eq!(parse_cgroup(&nest(session, &components, |_, _| true)), Ok(None));
    }

    #[test]
    fn the_order_of_lines_never_changes_the_result(
        (lines, shuffled) in proptest::collection::vec(line(), 1..6)
            .prop_flat_map(|lines| (Just(lines.clone()), Just(lines).prop_shuffle())),
    ) {
        let straight = parse_cgroup(lines.join("\n").as_bytes());
        let shuffled = parse_cgroup(shuffled.join("\n").as_bytes());
        prop_assert_eq!(kind(&straight), kind(&shuffled));
    }

    #[test]
    fn lines_without_an_id_never_change_the_result(lines in proptest::collection::vec(line(), 1..5)) {
        let file = lines.join("\n");
        let more = format!("13:rdma:/\n{file}\n0::/system.slice/containerd.service\n");
        let (straight, more) = (parse_cgroup(file.as_bytes()), parse_cgroup(more.as_bytes()));
        prop_assert_eq!(kind(&straight), kind(&more));
    }
}
