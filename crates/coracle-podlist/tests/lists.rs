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
            "at byte 0: not a number nor one of true, false, null: 'U' is out of place".to_owned(),
        ),
        (r#"{"items":[],"items":[]}"#, "at byte 20: the key \"items\" stands here a second time".to_owned()),
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
        (r#"{"metadata":{"uid":"a","uid":"b"}}"#, "metadata: duplicate field `uid`"),
        (r#"{"metadata":{"uid":"a"},"metadata":{"uid":"b"}}"#, "is no pod: duplicate field `metadata`"),
        (r#"{"metadata":{"uid":"a","\u0075id":"b"}}"#, "metadata: duplicate field `uid`"),
        (r#"{"metadata":{"uid":"a","labels":{"x":"1","x":"2"}}}"#, "duplicate label \"x\""),
        (
            r#"{"status":{"containerStatuses":[],"containerStatuses":[]}}"#,
            "duplicate field `containerStatuses`",
        ),
        (r#"{"metadata":{"uid":"\ud800"}}"#, "metadata.uid: unexpected end of hex escape"),
    ] {
        let document = format!(r#"{{"items":[{{"metadata":{{"uid":"good"}}}},{pod}]}}"#);
        let error = read(&document).unwrap_err();
        let place = "the pod list cannot be read: items[1], which starts at byte 38, is no pod: ";
        assert!(error.starts_with(place), "{error}");
        assert!(error.ends_with(words), "{pod}: {error}");
        assert!(!error.contains('\n'), "{error}");
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
fn a_list_cut_anywhere_is_never_taken_for_a_whole_one() {
    let document = br#"{"kind":"PodList","items":[{"metadata":{"uid":"a","labels":{"k":"v"}}},{"metadata":{"uid":"b"}}]}"#;
    assert!(read_in_chunks(document, 7).1.is_ok());
    for len in 0..document.len() {
        assert!(read_in_chunks(&document[..len], 7).1.is_err(), "cut at {len}");
    }
}
