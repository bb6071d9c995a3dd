//! One pod of the index as one exactly sized string.

use std::borrow::Cow;

use coracle_podlist::{ContainerKind, ContainerStatus, Owner, Pod};

/// A pod's fields, each as its length and then its text, in one allocation that is exactly as long as they are.
///
/// Lengths are digits to the base 64, least significant first, with bit 6 set on all but the last. Every such byte
/// is ASCII, so that a record is valid UTF-8 as a whole and its fields are sliced without being checked again.
#[derive(Debug)]
pub(crate) struct Record(Box<str>);

/// The lowest bits of a length byte carry a digit.
const DIGIT_BITS: u32 = 6;
/// Set on every byte of a length but the last.
const MORE: u8 = 1 << DIGIT_BITS;

impl Record {
    /// Writes `pod` into `scratch` and keeps a copy that fits.
    pub(crate) fn new(pod: &Pod<'_>, scratch: &mut String) -> Self {
        scratch.clear();
        for field in [&pod.uid, &pod.namespace, &pod.name, &pod.service_account, &pod.node_name, &pod.phase] {
            write_text(scratch, field);
        }
        write_len(scratch, usize::from(pod.host_network));
        write_len(scratch, pod.containers.len());
        for status in &pod.containers {
            write_len(scratch, kind_to_number(status.kind));
            for field in [&status.container_id, &status.name, &status.image, &status.image_id] {
                write_text(scratch, field);
            }
        }
        write_len(scratch, pod.labels.len());
        for (key, value) in &pod.labels {
            write_text(scratch, key);
            write_text(scratch, value);
        }
        write_len(scratch, pod.owners.len());
        for owner in &pod.owners {
            for field in [&owner.kind, &owner.name, &owner.uid] {
                write_text(scratch, field);
            }
        }
        Self(Box::from(scratch.as_str()))
    }

    /// Bytes on the heap.
    pub(crate) fn len_bytes(&self) -> usize {
        self.0.len()
    }

    /// The pod's uid: the first field, so that a table keyed by it need not skip any.
    pub(crate) fn uid(&self) -> &str {
        Fields::at(&self.0, 0).text()
    }

    /// Where the fields stand.
    pub(crate) fn view(&self) -> View<'_> {
        View::of(&self.0)
    }

    /// The `containerID` that starts at `offset`, as [`ContainerIds`] gave it.
    pub(crate) fn container_id_at(&self, offset: usize) -> &str {
        Fields::at(&self.0, offset).text()
    }
}

/// A record's scalar fields, and where its lists begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct View<'a> {
    pub(crate) uid: &'a str,
    pub(crate) namespace: &'a str,
    pub(crate) name: &'a str,
    pub(crate) service_account: &'a str,
    pub(crate) node_name: &'a str,
    pub(crate) phase: &'a str,
    pub(crate) host_network: bool,
    containers: Fields<'a>,
}

impl<'a> View<'a> {
    fn of(record: &'a str) -> Self {
        let mut fields = Fields::at(record, 0);
        Self {
            uid: fields.text(),
            namespace: fields.text(),
            name: fields.text(),
            service_account: fields.text(),
            node_name: fields.text(),
            phase: fields.text(),
            host_network: fields.number() != 0,
            containers: fields,
        }
    }

    pub(crate) fn containers(&self) -> impl Iterator<Item = ContainerStatus<'a>> + use<'a> {
        List::new(self.containers, container)
    }

    /// The `containerID` of every container, each with the offset of its field in the record.
    pub(crate) fn container_ids(&self) -> impl Iterator<Item = (usize, ContainerStatus<'a>)> + use<'a> {
        List::new(self.containers, |fields: &mut Fields<'a>| {
            let mut after_kind = *fields;
            after_kind.number();
            (after_kind.position, container(fields))
        })
    }

    pub(crate) fn labels(&self) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
        List::new(self.labels_start(), label)
    }

    pub(crate) fn owners(&self) -> impl Iterator<Item = Owner<'a>> + use<'a> {
        let mut labels = List::new(self.labels_start(), label);
        labels.by_ref().for_each(drop);
        List::new(labels.fields, |fields: &mut Fields<'a>| Owner {
            kind: Cow::Borrowed(fields.text()),
            name: Cow::Borrowed(fields.text()),
            uid: Cow::Borrowed(fields.text()),
        })
    }

    fn labels_start(&self) -> Fields<'a> {
        let mut containers = List::new(self.containers, container);
        containers.by_ref().for_each(drop);
        containers.fields
    }
}

fn label<'a>(fields: &mut Fields<'a>) -> (&'a str, &'a str) {
    (fields.text(), fields.text())
}

fn container<'a>(fields: &mut Fields<'a>) -> ContainerStatus<'a> {
    ContainerStatus {
        kind: kind_from_number(fields.number()),
        container_id: Cow::Borrowed(fields.text()),
        name: Cow::Borrowed(fields.text()),
        image: Cow::Borrowed(fields.text()),
        image_id: Cow::Borrowed(fields.text()),
    }
}

/// A list of the record: its length, then its entries.
struct List<'a, F> {
    fields: Fields<'a>,
    left: usize,
    entry: F,
}

impl<'a, T, F: FnMut(&mut Fields<'a>) -> T> List<'a, F> {
    fn new(mut fields: Fields<'a>, entry: F) -> Self {
        let left = fields.number();
        Self { fields, left, entry }
    }
}

impl<'a, T, F: FnMut(&mut Fields<'a>) -> T> Iterator for List<'a, F> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.left = self.left.checked_sub(1)?;
        Some((self.entry)(&mut self.fields))
    }
}

/// A position in a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fields<'a> {
    record: &'a str,
    position: usize,
}

impl<'a> Fields<'a> {
    fn at(record: &'a str, position: usize) -> Self {
        Self { record, position }
    }

    fn number(&mut self) -> usize {
        let mut number = 0;
        for (place, &byte) in self.record.as_bytes()[self.position..].iter().enumerate() {
            number |= usize::from(byte & (MORE - 1)) << (DIGIT_BITS as usize * place);
            if byte & MORE == 0 {
                self.position += place + 1;
                break;
            }
        }
        number
    }

    fn text(&mut self) -> &'a str {
        let len = self.number();
        let start = self.position;
        self.position += len;
        &self.record[start..self.position]
    }
}

fn write_text(record: &mut String, text: &str) {
    write_len(record, text.len());
    record.push_str(text);
}

fn write_len(record: &mut String, mut len: usize) {
    loop {
        let digit = u8::try_from(len & usize::from(MORE - 1)).unwrap_or_default();
        len >>= DIGIT_BITS;
        if len == 0 {
            record.push(char::from(digit));
            return;
        }
        record.push(char::from(digit | MORE));
    }
}

fn kind_to_number(kind: ContainerKind) -> usize {
    match kind {
        ContainerKind::Container => 0,
        ContainerKind::Init => 1,
        ContainerKind::Ephemeral => 2,
    }
}

fn kind_from_number(number: usize) -> ContainerKind {
    match number {
        0 => ContainerKind::Container,
        1 => ContainerKind::Init,
        _ => ContainerKind::Ephemeral,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_length_is_read_back_and_stays_ascii(len in prop_oneof![0_usize..5_000, any::<usize>()]) {
            let mut text = String::new();
            write_len(&mut text, len);
            prop_assert!(text.is_ascii());
            let mut fields = Fields::at(&text, 0);
            prop_assert_eq!(fields.number(), len);
            prop_assert_eq!(fields.position, text.len());
        }

        #[test]
        fn every_pod_is_read_back_as_it_was(pod in crate::samples::any_pod()) {
            let record = Record::new(&pod, &mut String::new());
            let view = record.view();
            prop_assert_eq!(view.uid, &*pod.uid);
            prop_assert_eq!(record.uid(), &*pod.uid);
            prop_assert_eq!(view.namespace, &*pod.namespace);
            prop_assert_eq!(view.name, &*pod.name);
            prop_assert_eq!(view.service_account, &*pod.service_account);
            prop_assert_eq!(view.node_name, &*pod.node_name);
            prop_assert_eq!(view.phase, &*pod.phase);
            prop_assert_eq!(view.host_network, pod.host_network);
            prop_assert_eq!(view.containers().collect::<Vec<_>>(), pod.containers.clone());
            prop_assert_eq!(view.owners().collect::<Vec<_>>(), pod.owners.clone());
            let labels: Vec<_> = pod.labels.iter().map(|(key, value)| (&**key, &**value)).collect();
            prop_assert_eq!(view.labels().collect::<Vec<_>>(), labels);
            for (offset, status) in view.container_ids() {
                prop_assert_eq!(record.container_id_at(offset), &*status.container_id);
            }
        }
    }
}
