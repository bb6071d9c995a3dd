//! One path of a cgroup file, read from the left.

use std::ops::Range;

const CONTAINER_ID_DIGITS: usize = 64;
const STATIC_POD_UID_DIGITS: usize = 32;
const UID_LEN: usize = 36;
const UID_SEPARATORS: [usize; 4] = [8, 13, 18, 23];

/// What a path says. All slices are ASCII; a uid still has the separators of the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PathIds<'a> {
    /// No container.
    Nothing,
    /// A container of a pod.
    Pod { uid: &'a [u8], id: &'a [u8] },
    /// A container, its pod unknown.
    Container { id: &'a [u8] },
    /// No pod, and two different ids: none of them is better than the other.
    Ambiguous { first: &'a [u8], second: &'a [u8] },
}

/// Reads one path in a single pass for the pod and one for the ids; allocates nothing.
///
/// A pod uid without an id to its right is a process in the pod's own cgroup, which is no container. An id
/// to its left does not fill the gap: that one is the node (kind), not the pod's container.
pub(crate) fn read(path: &[u8]) -> PathIds<'_> {
    let path = &path[..user_session(path).unwrap_or(path.len())];
    match pod_uid(path) {
        Some(uid) if !is_below_a_cut_off_container(path, &uid) => match ids(&path[uid.end..]).next() {
            Some(id) => PathIds::Pod { uid: &path[uid], id },
            None => PathIds::Nothing,
        },
        _ => without_pod(path),
    }
}

/// Where a component `user@<digits>.service` starts: what is below it, its user may name at will.
pub(crate) fn user_session(path: &[u8]) -> Option<usize> {
    let mut start = 0;
    for component in path.split(|byte| *byte == b'/') {
        if is_user_manager(component) {
            return Some(start);
        }
        start += component.len() + 1;
    }
    None
}

/// Whether two uids are the same one, be they separated by `-` or `_`.
pub(crate) fn is_same_uid(left: &[u8], right: &[u8]) -> bool {
    left.len() == right.len() && left.iter().zip(right).all(|(l, r)| canonical_byte(*l) == canonical_byte(*r))
}

/// The uid as the kubelet writes it.
pub(crate) fn canonical_uid(uid: &[u8]) -> String {
    uid.iter().map(|byte| char::from(canonical_byte(*byte))).collect()
}

fn canonical_byte(byte: u8) -> u8 {
    if byte == b'_' { b'-' } else { byte }
}

fn without_pod(path: &[u8]) -> PathIds<'_> {
    let mut ids = ids(path);
    let Some(first) = ids.next() else { return PathIds::Nothing };
    match ids.find(|id| *id != first) {
        Some(second) => PathIds::Ambiguous { first, second },
        None => PathIds::Container { id: first },
    }
}

/// In a path relative to the reader's cgroup namespace the pod's directory may be cut off. An id is then the
/// leftmost thing that is known, and a pod uid below it was put there by that container.
fn is_below_a_cut_off_container(path: &[u8], uid: &Range<usize>) -> bool {
    let climbs = path.starts_with(b"/../");
    climbs && ids(&path[..uid.start]).next().is_some()
}

fn is_user_manager(component: &[u8]) -> bool {
    component
        .strip_prefix(b"user@")
        .and_then(|rest| rest.strip_suffix(b".service"))
        .is_some_and(|uid| !uid.is_empty() && uid.iter().all(u8::is_ascii_digit))
}

/// Container ids from the left: whole words of 64 hexadecimal digits.
fn ids(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.split(|byte| !is_word(*byte)).filter(|word| word.len() == CONTAINER_ID_DIGITS && is_hex(word))
}

/// The place of the first uid that follows the word start `pod`.
fn pod_uid(path: &[u8]) -> Option<Range<usize>> {
    const PREFIX: &[u8] = b"pod";
    (0..path.len()).find_map(|at| {
        let rest = path[at..].strip_prefix(PREFIX)?;
        let starts_a_word = at == 0 || !is_word(path[at - 1]);
        let len = uid_len(rest).filter(|_| starts_a_word)?;
        let start = at + PREFIX.len();
        Some(start..start + len)
    })
}

fn uid_len(text: &[u8]) -> Option<usize> {
    let ends_a_word = |len: usize| text.get(len).is_none_or(|byte| !is_word(*byte));
    let separated = text.get(..UID_LEN).is_some_and(is_separated_uid);
    if separated && ends_a_word(UID_LEN) {
        return Some(UID_LEN);
    }
    let solid = text.get(..STATIC_POD_UID_DIGITS).is_some_and(is_hex);
    (solid && ends_a_word(STATIC_POD_UID_DIGITS)).then_some(STATIC_POD_UID_DIGITS)
}

fn is_separated_uid(text: &[u8]) -> bool {
    text.iter().enumerate().all(|(at, byte)| {
        if UID_SEPARATORS.contains(&at) { matches!(byte, b'-' | b'_') } else { byte.is_ascii_hexdigit() }
    })
}

fn is_hex(text: &[u8]) -> bool {
    text.iter().all(u8::is_ascii_hexdigit)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "9bca8d63d5fa610783847915bcff0ecac1273e5b4bed3f6fa1b07350e0135961";
    const OTHER: &str = "deadbeefdeadbeefdeadbeefdeadbeefdeadbeefdeadbeefdeadbeefdeadbeef";
    const UID: &str = "2c48913c-b29f-11e7-9350-020968147796";

    #[track_caller]
    fn assert_reads(path: &str, uid: Option<&str>, id: Option<&str>) {
        let expected = match (uid, id) {
            (Some(uid), Some(id)) => PathIds::Pod { uid: uid.as_bytes(), id: id.as_bytes() },
            (None, Some(id)) => PathIds::Container { id: id.as_bytes() },
            _ => PathIds::Nothing,
        };
        assert_eq!(read(path.as_bytes()), expected, "{path}");
    }

    #[test]
    fn an_id_is_a_whole_word_of_64_hexadecimal_digits() {
        assert_reads(&format!("/{ID}"), None, Some(ID));
        assert_reads(&format!("/a-{ID}.scope"), None, Some(ID));
        assert_reads(&format!("/{ID} (deleted)"), None, Some(ID));
        assert_reads(&format!("/{ID}0"), None, None);
        assert_reads(&format!("/0{ID}"), None, None);
        assert_reads(&format!("/{}", &ID[1..]), None, None);
        assert_reads(&format!("/foo_{ID}"), None, None);
        assert_reads(&format!("/{ID}_foo"), None, None);
        assert_reads(&format!("/g{}", &ID[1..]), None, None);
        assert_reads(&format!("/é{ID}é"), None, Some(ID));
    }

    #[test]
    fn a_uid_follows_pod_at_the_start_of_a_word_and_ends_a_word() {
        assert_reads(&format!("/pod{UID}/{ID}"), Some(UID), Some(ID));
        assert_reads(&format!("pod{UID}:{ID}"), Some(UID), Some(ID));
        assert_reads(&format!("/a-pod{UID}.slice/{ID}"), Some(UID), Some(ID));
        assert_reads(&format!("/x_pod{UID}/{ID}"), None, Some(ID));
        assert_reads(&format!("/xpod{UID}/{ID}"), None, Some(ID));
        assert_reads(&format!("/pod{UID}_/{ID}"), None, Some(ID));
        assert_reads(&format!("/pod{UID}0/{ID}"), None, Some(ID));
        assert_reads(&format!("/pod-{UID}/{ID}"), None, Some(ID));
        assert_reads(&format!("/Pod{UID}/{ID}"), None, Some(ID));
    }

    #[test]
    fn an_undashed_uid_is_exactly_32_digits() {
        let uid = "2732ca68f6358eba7703fb6f82a25c94";
        assert_reads(&format!("/pod{uid}/{ID}"), Some(uid), Some(ID));
        assert_reads(&format!("/kubepods-pod{uid}.slice/crio-{ID}.scope"), Some(uid), Some(ID));
        assert_reads(&format!("/pod{uid}0/{ID}"), None, Some(ID));
        assert_reads(&format!("/pod{}/{ID}", &uid[1..]), None, Some(ID));
        assert_reads(&format!("/pod{ID}/x"), None, None);
    }

    #[test]
    fn a_pod_without_an_id_to_its_right_is_no_container() {
        assert_reads(&format!("/kubepods/pod{UID}"), None, None);
        assert_reads(&format!("/docker/{OTHER}/kubepods/pod{UID}"), None, None);
    }

    #[test]
    fn the_leftmost_pod_and_the_first_id_to_its_right_win() {
        let forged = "podffffffff-ffff-ffff-ffff-ffffffffffff";
        assert_reads(&format!("/pod{UID}/{ID}/{forged}/{OTHER}"), Some(UID), Some(ID));
        assert_reads(&format!("/docker/{OTHER}/pod{UID}/{ID}"), Some(UID), Some(ID));
    }

    #[test]
    fn ids_without_a_pod_must_be_equal() {
        assert_reads(&format!("/docker/{ID}/docker/{ID}"), None, Some(ID));
        let path = format!("/docker/{ID}/docker/{OTHER}");
        let expected = PathIds::Ambiguous { first: ID.as_bytes(), second: OTHER.as_bytes() };
        assert_eq!(read(path.as_bytes()), expected);
    }

    #[test]
    fn a_sibling_whose_pod_is_cut_off_cannot_choose_its_pod() {
        let path = format!("/../{ID}/pod{UID}/{OTHER}");
        let expected = PathIds::Ambiguous { first: ID.as_bytes(), second: OTHER.as_bytes() };
        assert_eq!(read(path.as_bytes()), expected);
        assert_reads(&format!("/../{ID}/pod{UID}"), None, Some(ID));
        assert_reads(&format!("/../pod{UID}/{ID}"), Some(UID), Some(ID));
    }

    #[test]
    fn what_a_user_names_in_its_session_is_not_read() {
        let session = "/user.slice/user-1000.slice/user@1000.service";
        assert_reads(&format!("{session}/pod{UID}/{ID}"), None, None);
        assert_reads(&format!("{session}/{ID}"), None, None);
        assert_reads(&format!("/pod{UID}/{ID}{session}"), Some(UID), Some(ID));
        assert_reads(&format!("/{ID}{session}/{OTHER}"), None, Some(ID));
        assert_reads(&format!("/user@.service/{ID}"), None, Some(ID));
        assert_reads(&format!("/user@x.service/{ID}"), None, Some(ID));
    }

    #[test]
    fn uids_are_the_same_whatever_separates_them() {
        let underscored = UID.replace('-', "_");
        assert!(is_same_uid(UID.as_bytes(), underscored.as_bytes()));
        assert!(!is_same_uid(UID.as_bytes(), UID.to_uppercase().as_bytes()));
        assert_eq!(canonical_uid(underscored.as_bytes()), UID);
    }
}
