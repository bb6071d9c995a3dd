//! A whole cgroup file: its lines, and what they agree on.

use crate::container::ContainerRef;
use crate::path::{self, PathIds};

/// How much of a malformed line an error shows.
const SHOWN_LINE_BYTES: usize = 120;
const FIELDS: usize = 3;

/// Why a cgroup file names no one container. None of these is ever resolved by a guess.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CgroupError {
    /// A line is not `hierarchy:controllers:path`; an empty line is not either. The kernel writes no such
    /// line, so the content cannot be trusted.
    #[error(
        "line {line_number} of the cgroup file has {fields} fields where `hierarchy:controllers:path` was \
         expected: \"{line}\"; check that the proc root is the kernel's own /proc"
    )]
    Malformed {
        /// Counted from 1.
        line_number: usize,
        /// How many fields there are: one, or two.
        fields: usize,
        /// The line, escaped to ASCII, cut after 120 bytes.
        line: String,
    },
    /// Lines name different pods.
    #[error(
        "the cgroup file names two pods, {first} and {second}; a process is in one pod only: check who may \
         write to the node's cgroups"
    )]
    PodUidConflict {
        /// The first uid in the file.
        first: String,
        /// The first one that differs from it.
        second: String,
    },
    /// Lines name different containers, or one path without a pod uid does.
    #[error(
        "the cgroup file names two containers, {first} and {second}, and nothing says which one the process \
         is in: for containers inside a container, run the attestor inside the outer one"
    )]
    ContainerIdConflict {
        /// The first id in the file.
        first: String,
        /// The first one that differs from it.
        second: String,
    },
}

/// What a cgroup file says.
pub(crate) struct Reading {
    pub(crate) container: Option<ContainerRef>,
    /// Some path is in a user's session.
    pub(crate) in_user_session: bool,
}

/// Finds the container in the content of a `/proc/<pid>/cgroup` file; `None` if it names none.
///
/// Every line is `hierarchy:controllers:path` (cgroups(7)); the path may contain `:` and need not be UTF-8.
/// A missing newline at the end is accepted. How a path is read is told at the top of this crate.
///
/// Lines without an id say nothing. Lines that name a pod decide, and must agree on the pod and on the
/// container. Only if no line names a pod do the others decide, and these must agree too. So a node in a
/// container, where some lines name only the node's own container, works, and the order of the lines does
/// not matter. With several faults in one file a malformed line is reported before a conflict of pods, and
/// that before a conflict of containers.
///
/// Time is linear in the input; memory is allocated for the result only.
pub fn parse_cgroup(file: &[u8]) -> Result<Option<ContainerRef>, CgroupError> {
    read(file).map(|reading| reading.container)
}

pub(crate) fn read(file: &[u8]) -> Result<Reading, CgroupError> {
    let mut tally = Tally::default();
    let mut in_user_session = false;
    for (index, line) in lines(file).enumerate() {
        let path = path_of(line).map_err(|fields| malformed(index, fields, line))?;
        in_user_session |= path::user_session(path).is_some();
        tally.count(path::read(path));
    }
    Ok(Reading { container: tally.verdict()?, in_user_session })
}

/// The lines, where a newline ends a line and does not start another.
fn lines(file: &[u8]) -> impl Iterator<Item = &[u8]> {
    let body = file.strip_suffix(b"\n").unwrap_or(file);
    let count = if file.is_empty() { 0 } else { usize::MAX };
    body.split(|byte| *byte == b'\n').take(count)
}

/// The third field, or how many fields there are instead.
fn path_of(line: &[u8]) -> Result<&[u8], usize> {
    let mut fields = line.splitn(FIELDS, |byte| *byte == b':');
    match (fields.next(), fields.next(), fields.next()) {
        (_, _, Some(path)) => Ok(path),
        (_, Some(_), None) => Err(2),
        _ => Err(1),
    }
}

fn malformed(index: usize, fields: usize, line: &[u8]) -> CgroupError {
    let shown = &line[..line.len().min(SHOWN_LINE_BYTES)];
    let cut = if shown.len() < line.len() { "..." } else { "" };
    CgroupError::Malformed { line_number: index + 1, fields, line: format!("{}{cut}", shown.escape_ascii()) }
}

/// Votes for one value: the first, and the first that differs.
#[derive(Default)]
struct Votes<'a> {
    first: Option<&'a [u8]>,
    other: Option<&'a [u8]>,
}

impl<'a> Votes<'a> {
    fn count(&mut self, value: &'a [u8], is_same: fn(&[u8], &[u8]) -> bool) {
        let first = *self.first.get_or_insert(value);
        if self.other.is_none() && !is_same(first, value) {
            self.other = Some(value);
        }
    }

    fn conflict(&self) -> Option<(&'a [u8], &'a [u8])> {
        self.first.zip(self.other)
    }
}

/// What the lines say, kept apart by whether they name a pod.
#[derive(Default)]
struct Tally<'a> {
    pod_uid: Votes<'a>,
    id_in_pod: Votes<'a>,
    id_alone: Votes<'a>,
}

impl<'a> Tally<'a> {
    fn count(&mut self, ids: PathIds<'a>) {
        match ids {
            PathIds::Nothing => {}
            PathIds::Pod { uid, id } => {
                self.pod_uid.count(uid, path::is_same_uid);
                self.id_in_pod.count(id, |left, right| left == right);
            }
            PathIds::Container { id } => self.id_alone.count(id, |left, right| left == right),
            PathIds::Ambiguous { first, second } => {
                self.id_alone.count(first, |left, right| left == right);
                self.id_alone.count(second, |left, right| left == right);
            }
        }
    }

    fn verdict(&self) -> Result<Option<ContainerRef>, CgroupError> {
        if let Some((first, second)) = self.pod_uid.conflict() {
            return Err(CgroupError::PodUidConflict {
                first: path::canonical_uid(first),
                second: path::canonical_uid(second),
            });
        }
        let pod_uid = self.pod_uid.first.map(path::canonical_uid);
        let ids = if pod_uid.is_some() { &self.id_in_pod } else { &self.id_alone };
        if let Some((first, second)) = ids.conflict() {
            return Err(CgroupError::ContainerIdConflict { first: text(first), second: text(second) });
        }
        Ok(ids.first.map(|id| ContainerRef { pod_uid, container_id: text(id) }))
    }
}

/// Ids are ASCII, so every byte is a character.
fn text(ascii: &[u8]) -> String {
    ascii.iter().copied().map(char::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_lines_names_no_container() {
        assert_eq!(parse_cgroup(b""), Ok(None));
    }

    #[test]
    fn a_line_with_fewer_than_three_fields_is_refused_with_its_number() {
        for (line, fields) in [("11:hugetlb", 2), ("11", 1), ("", 1)] {
            let file = format!("0::/\n{line}\n1:cpu:/\n");
            let expected = CgroupError::Malformed { line_number: 2, fields, line: line.to_owned() };
            assert_eq!(parse_cgroup(file.as_bytes()), Err(expected));
        }
    }

    #[test]
    fn an_empty_line_is_malformed_wherever_it_stands() {
        for file in ["\n", "\n0::/\n", "0::/\n\n", "0::/\n\n1:cpu:/"] {
            let result = parse_cgroup(file.as_bytes());
            assert!(matches!(result, Err(CgroupError::Malformed { .. })), "{file:?}");
        }
    }

    #[test]
    fn a_malformed_line_is_shown_escaped_and_cut() {
        let mut line = b"\x1b[31m\xff".to_vec();
        line.extend([b'x'; 5000]);
        let Err(CgroupError::Malformed { line, .. }) = parse_cgroup(&line) else { panic!("accepted") };
        assert!(line.starts_with(r"\x1b[31m\xffxxx") && line.ends_with("xxx..."), "{line}");
        assert!(line.len() < 200);
    }

    #[test]
    fn a_path_may_contain_colons_and_bytes_that_are_not_utf8() {
        let id = "0123456789abcdef".repeat(4);
        let mut file = b"0::/\xff\xfe:a:b/".to_vec();
        file.extend(id.as_bytes());
        let expected = ContainerRef { pod_uid: None, container_id: id };
        assert_eq!(parse_cgroup(&file), Ok(Some(expected)));
    }

    #[test]
    fn megabytes_and_thousands_of_segments_are_read_without_harm() {
        let id = "0123456789abcdef".repeat(4);
        let deep = format!("0::{}/{id}{}\n", "/pod".repeat(20_000), "/x".repeat(20_000));
        let many = deep.repeat(20);
        let expected = ContainerRef { pod_uid: None, container_id: id };
        assert_eq!(parse_cgroup(many.as_bytes()), Ok(Some(expected)));
        assert_eq!(parse_cgroup("0::/a\n".repeat(500_000).as_bytes()), Ok(None));
    }
}
