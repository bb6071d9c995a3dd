//! What a pod list may look like, and what is refused.

use coracle_podlist::{ContainerKind, Error, Flow, Limits, Pod, Reader, Sink, Summary};

/// Keeps what it is given, as text.
#[derive(Default)]
struct Kept {
    uids: Vec<String>,
    debug: Vec<String>,
}

impl Sink for Kept {
    fn pod(&mut self, pod: &Pod<'_>) -> Flow {
        self.uids.push(pod.uid.to_string());
        self.debug.push(format!("{pod:?}"));
        Flow::Continue
    }
}

fn read_in_chunks(document: &[u8], chunk: usize) -> (Kept, Result<Summary, Error>) {
    let mut kept = Kept::default();
    let mut reader = Reader::new();
    for chunk in document.chunks(chunk) {
        if let Err(error) = reader.push(chunk, &mut kept) {
            return (kept, Err(error));
        }
    }
    let summary = reader.finish(&mut kept);
    (kept, summary)
}

fn read(document: &str) -> Result<(Vec<String>, Summary), String> {
    let (kept, summary) = read_in_chunks(document.as_bytes(), 16 << 10);
    summary.map(|summary| (kept.uids, summary)).map_err(|error| error.to_string())
}

#[test]
fn the_shapes_of_a_list_that_kubelets_answer() {
    let (uids, summary) =
        read(r#"{"items":[{"metadata":{"uid":"pod-1"}},{"metadata":{"uid":"pod-2"}}]}"#).unwrap();
    assert_eq!(uids, ["pod-1", "pod-2"]);
    assert_eq!((summary.pods, summary.without_uid, summary.containers), (2, 0, 0));
    let (uids, summary) = read(r#"{"items":null}"#).unwrap();
    assert_eq!((uids.len(), summary.pods), (0, 0));
    let (uids, summary) = read(r#"{"items":[{"metadata":{}},{"metadata":{"uid":"pod-1"}}]}"#).unwrap();
    assert_eq!((uids, summary.without_uid), (vec!["pod-1".to_owned()], 1));
    let (_, summary) =
        read(r#"{"items":[null,{},{"metadata":null},{"metadata":{"uid":""}},{"metadata":{"uid":null}}]}"#)
            .unwrap();
    assert_eq!((summary.pods, summary.without_uid), (0, 5));
}

#[test]
fn what_is_no_list_is_refused_with_the_place_and_what_to_do() {
    let kubelet = "(a pod list is what the kubelet answers to GET /pods, or 'kubectl get pods -A -o json')";
    for (document, words) in [
        (
            r#"{"items":"#,
            "at byte 9: the document ends here, inside an object (the answer was cut off: ask again)"
                .to_owned(),
        ),
        ("[]", format!("at byte 0: the document must be an object, but an array starts here {kubelet}")),
        ("{}", format!("at byte 2: the document has no \"items\" {kubelet}")),
        (
            r#"{"items":{}}"#,
            format!("at byte 9: \"items\" must be an array, but an object starts here {kubelet}"),
        ),
        (
            "Unauthorized",
            "at byte 0: not a number nor one of true, false, null: 'U' is out of place (this is no JSON: is it a kubelet's answer to GET /pods?)".to_owned(),
        ),
        (r#"{"items":[],"items":[]}"#, "at byte 20: this is the second value of the key \"items\" in one object (no Kubernetes component writes that: find out who changed the list)".to_owned()),
    ] {
        assert_eq!(read(document).unwrap_err(), format!("the pod list cannot be read {words}"), "{document}");
    }
}

#[test]
fn a_field_of_the_wrong_type_or_twice_is_refused_with_its_path() {
    for (pod, words) in [
        ("7", "invalid type: integer `7`, expected an object"),
        (r#"{"metadata":[]}"#, "metadata: invalid type: sequence, expected an object"),
        (r#"[{"uid":"a"}]"#, "invalid type: sequence, expected an object"),
        (
            r#"{"status":{"containerStatuses":[["a"]]}}"#,
            "status.containerStatuses[0]: invalid type: sequence, expected an object",
        ),
        (r#"{"metadata":{"uid":5}}"#, "metadata.uid: invalid type: integer `5`, expected a string"),
        (
            r#"{"metadata":{"uid":"a","labels":[]}}"#,
            "metadata.labels: invalid type: sequence, expected an object of strings",
        ),
        (
            r#"{"metadata":{"uid":"a","labels":{"x":1}}}"#,
            "metadata.labels.x: invalid type: integer `1`, expected a string",
        ),
        (
            r#"{"metadata":{"uid":"a","ownerReferences":{}}}"#,
            "metadata.ownerReferences: invalid type: map, expected an array",
        ),
        (
            r#"{"spec":{"hostNetwork":"yes"}}"#,
            "spec.hostNetwork: invalid type: string \"yes\", expected a boolean",
        ),
        (
            r#"{"status":{"containerStatuses":[{"name":"a"},{"containerID":{}}]}}"#,
            "status.containerStatuses[1].containerID: invalid type: map, expected a string",
        ),
        (r#"{"metadata":{"uid":"a","labels":{"x":"1","x":"2"}}}"#, "duplicate label \"x\""),
        (r#"{"metadata":{"uid":"\ud800"}}"#, "metadata.uid: unexpected end of hex escape"),
    ] {
        let document = format!(r#"{{"items":[{{"metadata":{{"uid":"good"}}}},{pod}]}}"#);
        let error = read(&document).unwrap_err();
        let place = "the pod list cannot be read: items[1], which starts at byte 38, is no pod: ";
        assert!(error.starts_with(place), "{error}");
        assert!(error.contains(&format!("{words} (the kubelet writes no such pod")), "{pod}: {error}");
        assert!(!error.contains('\n'), "{error}");
    }
}

#[test]
fn a_member_that_is_read_stands_once_in_every_pod_also_in_one_that_is_declined() {
    struct Declines;
    impl Sink for Declines {
        fn wants(&mut self, _: &[u8]) -> bool {
            false
        }
        fn pod(&mut self, _: &Pod<'_>) -> Flow {
            Flow::Continue
        }
    }
    for (pod, offset, key) in [
        (r#"{"metadata":{"uid":"a","uid":"b"}}"#, 39, "uid"),
        (r#"{"metadata":{"uid":"a","\u0075id":"b"}}"#, 44, "\\u0075id"),
        (r#"{"metadata":{"uid":"a"},"metadata":{"uid":"b"}}"#, 45, "metadata"),
        (r#"{"spec":{"nodeName":"a","x":1,"nodeName":"a"}}"#, 51, "nodeName"),
        (r#"{"status":{"containerStatuses":[],"containerStatuses":[]}}"#, 64, "containerStatuses"),
        (r#"{"status":{"initContainerStatuses":[{"name":"a","image":"b","name":"c"}]}}"#, 77, "name"),
    ] {
        let document = format!(r#"{{"items":[{pod}]}}"#);
        let mut reader = Reader::new();
        let outcome =
            reader.push(document.as_bytes(), &mut Declines).and_then(|_| reader.finish(&mut Declines));
        let words = format!(
            "the pod list cannot be read at byte {offset}: this is the second value of the key \"{key}\" in one object \
             (no Kubernetes component writes that: find out who changed the list)"
        );
        assert_eq!(outcome.expect_err(pod).to_string(), words, "{pod}");
    }
}

#[test]
fn what_is_not_read_may_have_any_type_and_stand_twice() {
    let pod = r#"{"kind":7,"metadata":{"uid":"a","annotations":5,"annotations":{}},"spec":{"containers":"x"},"status":{"conditions":1}}"#;
    assert_eq!(read(&format!(r#"{{"items":[{pod}]}}"#)).unwrap().0, ["a"]);
}

/// Compares the pods of the document in the next test.
struct Check(usize);
impl Sink for Check {
    fn pod(&mut self, pod: &Pod<'_>) -> Flow {
        self.0 += 1;
        if self.0 == 2 {
            assert_eq!(*pod, Pod { uid: "bare".into(), ..Pod::default() });
            return Flow::Continue;
        }
        assert_eq!((&*pod.uid, &*pod.name, &*pod.namespace), ("u", "n", "ns"));
        assert_eq!((&*pod.service_account, &*pod.node_name, &*pod.phase), ("sa", "node", "Running"));
        assert!(pod.host_network);
        let labels: Vec<_> = pod.labels.iter().map(|(key, value)| (&**key, &**value)).collect();
        assert_eq!(labels, [("b", "2"), ("a", "é"), ("none", "")]);
        assert_eq!(
            (&*pod.owners[0].kind, &*pod.owners[0].name, &*pod.owners[0].uid),
            ("ReplicaSet", "rs", "ou")
        );
        assert_eq!(pod.owners.len(), 2);
        let containers: Vec<_> = pod.containers.iter().map(|c| (c.kind, &*c.name, c.bare_id())).collect();
        let expected = [
            (ContainerKind::Container, "c", Some("C")),
            (ContainerKind::Container, "", None),
            (ContainerKind::Init, "i", None),
            (ContainerKind::Ephemeral, "e", Some("E")),
        ];
        assert_eq!(containers, expected);
        Flow::Continue
    }
}

#[test]
fn every_field_arrives_and_null_is_the_zero_value() {
    let document = r#"{"items":[{
        "metadata":{"uid":"u","name":"n","namespace":"ns","labels":{"b":"2","a":"\u00e9","none":null},
            "ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"rs","uid":"ou","controller":true},null]},
        "spec":{"serviceAccountName":"sa","nodeName":"node","hostNetwork":true},
        "status":{"phase":"Running","ephemeralContainerStatuses":[{"name":"e","containerID":"cri-o://E"}],
            "initContainerStatuses":[{"name":"i","image":"im","imageID":"id","containerID":null}],
            "containerStatuses":[{"name":"c","image":"img","imageID":"img@sha256:1","containerID":"containerd://C"},null]}},
        {"metadata":{"uid":"bare","labels":null,"ownerReferences":null},"spec":null,"status":null}]}"#;
    for chunk in [1, 64, 10_000] {
        let mut check = Check(0);
        let mut reader = Reader::new();
        for chunk in document.as_bytes().chunks(chunk) {
            reader.push(chunk, &mut check).unwrap();
        }
        assert_eq!(reader.finish(&mut check).unwrap().containers, 4);
        assert_eq!(check.0, 2);
    }
}

#[test]
fn container_ids_lose_their_scheme_as_urls_do() {
    let bare = |id: &str| {
        let status =
            coracle_podlist::ContainerStatus { container_id: id.to_owned().into(), ..Default::default() };
        status.bare_id().map(str::to_owned)
    };
    assert_eq!(bare("docker://abc").as_deref(), Some("abc"));
    assert_eq!(bare("containerd://abc/rest?query#fragment").as_deref(), Some("abc"));
    assert_eq!(bare("cri-o://user@abc").as_deref(), Some("abc"));
    for none in ["", "abc", "containerd:abc", "containerd://", "containerd:///abc"] {
        assert_eq!(bare(none), None, "{none}");
    }
}

/// Wants the pod with the uid `b`, and nothing after it.
struct Wanted(Vec<String>);
impl Sink for Wanted {
    fn wants(&mut self, raw: &[u8]) -> bool {
        memchr::memmem::find(raw, b"\"b\"").is_some()
    }
    fn pod(&mut self, pod: &Pod<'_>) -> Flow {
        self.0.push(pod.uid.to_string());
        Flow::Stop
    }
}

#[test]
fn a_sink_may_decline_pods_unread_and_stop_the_stream() {
    let document =
        br#"{"items":[{"metadata":{"uid":"a"}},{"metadata":{"uid":"b"}},{"metadata":{"uid":"c"}}]}"#;
    let mut wanted = Wanted(Vec::new());
    let mut reader = Reader::new();
    let flow = reader.push(&[document, &[b' '; 64][..]].concat(), &mut wanted).unwrap();
    assert_eq!(flow, Flow::Stop);
    let summary = reader.finish(&mut wanted).unwrap();
    assert_eq!((summary.pods, summary.filtered, summary.stopped), (1, 1, true));
    assert_eq!(wanted.0, ["b"]);
}

#[test]
fn a_pod_over_the_cap_is_refused() {
    let mut kept = Kept::default();
    let mut reader = Reader::with_limits(Limits { pod_bytes: 100, ..Limits::default() });
    let document = format!(r#"{{"items":[{{"metadata":{{"uid":"a"}},"spec":"{}"}}]}}"#, "x".repeat(100));
    let error = reader.push(&[document.as_bytes(), &[b' '; 64]].concat(), &mut kept).unwrap_err();
    let words = "the pod list cannot be read at byte 10: element 0 is larger than the cap of 100 bytes \
                 (no pod of a real cluster is that large; the cap can be raised)";
    assert_eq!(error.to_string(), words);
    assert_eq!(kept.uids.len(), 0);
}

#[test]
fn entries_without_end_and_words_without_end_are_cut_short() {
    let entries = |count: usize| {
        format!(r#"{{"items":[{{"status":{{"containerStatuses":[{}]}}}}]}}"#, vec!["{}"; count].join(","))
    };
    assert_eq!(read(&entries(10_000)).unwrap().1.without_uid, 1);
    let error = read(&entries(10_001)).unwrap_err();
    assert!(error.contains("status.containerStatuses: more than 10000 entries"), "{error}");
    let key = "é".repeat(100_000);
    let error = read(&format!(r#"{{"items":[{{"metadata":{{"labels":{{"{key}":1}}}}}}]}}"#)).unwrap_err();
    assert!(error.contains("é…") && error.len() < 600, "{} bytes", error.len());
}

#[test]
fn a_list_cut_in_two_anywhere_is_the_same_list() {
    let list = coracle_testkit::podlist::PodList::new(1, 9).to_vec();
    let whole = read_in_chunks(&list, list.len());
    let expected = (whole.0.debug, whole.1.unwrap());
    // In steps that come to every place within a block.
    for at in (0..=list.len()).step_by(61) {
        let mut kept = Kept::default();
        let mut reader = Reader::new();
        reader.push(&list[..at], &mut kept).unwrap();
        reader.push(&list[at..], &mut kept).unwrap();
        let summary = reader.finish(&mut kept).unwrap();
        assert_eq!((kept.debug, summary), expected, "cut at {at}");
    }
}

/// Compares each pod with what the generator knows of it.
struct Facts<'a>(&'a coracle_testkit::podlist::PodList, u32);

impl Sink for Facts<'_> {
    fn pod(&mut self, pod: &Pod<'_>) -> Flow {
        use coracle_testkit::podlist::ContainerKind as Made;
        let facts = self.0.pod(self.1);
        self.1 += 1;
        let found = [&pod.uid, &pod.namespace, &pod.name, &pod.service_account, &pod.node_name, &pod.phase];
        let made = [&facts.uid, &facts.namespace, &facts.name, &facts.service_account, &facts.node_name];
        assert_eq!(found.map(|text| &**text)[..5], made.map(String::as_str));
        assert_eq!((&*pod.phase, pod.host_network), (facts.phase.as_str(), facts.host_network));
        let mut labels: Vec<_> =
            pod.labels.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
        labels.sort();
        assert_eq!(labels, facts.labels.into_iter().collect::<Vec<_>>());
        let owners: Vec<_> =
            pod.owners.iter().map(|owner| (&*owner.kind, &*owner.name, &*owner.uid)).collect();
        let made: Vec<_> =
            facts.owners.iter().map(|owner| (&*owner.kind, &*owner.name, &*owner.uid)).collect();
        assert_eq!(owners, made);
        let kind = |made: Made| match made {
            Made::Main => ContainerKind::Container,
            Made::Init | Made::Sidecar => ContainerKind::Init,
            Made::Ephemeral => ContainerKind::Ephemeral,
        };
        let mut found: Vec<_> = pod
            .containers
            .iter()
            .map(|c| (c.kind as u8, &*c.name, &*c.image, &*c.image_id, &*c.container_id))
            .collect();
        let mut made: Vec<_> = facts
            .containers
            .iter()
            .map(|c| (kind(c.kind) as u8, &*c.name, &*c.image, &*c.image_id, &*c.container_id))
            .collect();
        found.sort_unstable();
        made.sort_unstable();
        assert_eq!(found, made);
        Flow::Continue
    }
}

#[test]
fn what_is_read_of_a_generated_list_is_what_the_generator_put_there() {
    let list = coracle_testkit::podlist::PodList::new(150, 4);
    let mut facts = Facts(&list, 0);
    let mut reader = Reader::new();
    for chunk in list.to_vec().chunks(16 << 10) {
        reader.push(chunk, &mut facts).unwrap();
    }
    let summary = reader.finish(&mut facts).unwrap();
    assert_eq!((summary.pods, facts.1), (150, 150));
}

#[test]
fn a_list_cut_anywhere_is_never_taken_for_a_whole_one() {
    let document = br#"{"kind":"PodList","items":[{"metadata":{"uid":"a","labels":{"k":"v"}}},{"metadata":{"uid":"b"}}]}"#;
    assert!(read_in_chunks(document, 7).1.is_ok());
    for len in 0..document.len() {
        assert!(read_in_chunks(&document[..len], 7).1.is_err(), "cut at {len}");
    }
}
