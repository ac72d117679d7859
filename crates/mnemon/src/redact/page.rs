//! A text and what was found in it so far.

use std::borrow::Cow;
use std::ops::Range;

use super::Report;
use super::gap::Gap;

/// The longest name of a class.
pub(super) const CLASS_CHARS_MAX: usize = 32;

const OPEN: &str = "[REDACTED:";

/// A text, and the places in it that are taken, in order and apart from each other.
pub(super) struct Page<'t, 'c> {
    text: &'t str,
    taken: Vec<Taken<'c>>,
}

#[derive(Clone)]
struct Taken<'c> {
    range: Range<usize>,
    /// Nothing for a placeholder that was there before.
    class: Option<&'c str>,
}

impl<'t, 'c> Page<'t, 'c> {
    /// A text in which only the placeholders of an earlier redaction are taken.
    pub(super) fn new(text: &'t str) -> Self {
        let mut taken = Vec::new();
        let mut from = 0;
        // By its first sign: nearly always there is none, and looking for one takes no preparation.
        while let Some(found) = text[from..].find('[') {
            let start = from + found;
            from = start + 1;
            if !text[start..].starts_with(OPEN) {
                continue;
            }
            from = start + OPEN.len();
            if let Some(end) = placeholder_end(text, from) {
                taken.push(Taken {
                    range: start..end,
                    class: None,
                });
                from = end;
            }
        }
        Self { text, taken }
    }

    /// Lets a pattern look at the whole text; what is taken already stays as it is.
    pub(super) fn look_at_all(
        &mut self,
        pattern: impl Fn(&str, &mut dyn FnMut(Range<usize>, &'c str)),
    ) {
        let mut found = Vec::new();
        pattern(self.text, &mut |range, class| {
            found.push(Taken {
                range,
                class: Some(class),
            });
        });
        merge_overlaps(&mut found, 0);
        let mut taken = std::mem::take(&mut self.taken).into_iter().peekable();
        for Taken { mut range, class } in found {
            while let Some(old) = taken.next_if(|old| old.range.start < range.end) {
                let free = range.start..old.range.start;
                range.start = range.start.max(old.range.end);
                self.take(free, class);
                self.taken.push(old);
            }
            self.take(range, class);
        }
        self.taken.extend(taken);
    }

    fn take(&mut self, range: Range<usize>, class: Option<&'c str>) {
        if !range.is_empty() {
            self.taken.push(Taken { range, class });
        }
    }

    /// Lets a detector look through every gap; what overlaps counts as its first.
    pub(super) fn look(
        &mut self,
        detector: impl Fn(&Gap<'_>, &mut dyn FnMut(Range<usize>, &'c str)),
    ) {
        let mut all = Vec::new();
        let mut from = 0;
        let end = self.text.len();
        let taken = self.taken.iter().map(|taken| taken.range.clone());
        for next in taken.chain(std::iter::once(end..end)) {
            if from < next.start {
                let gap = Gap::new(self.text, from..next.start);
                let first = all.len();
                detector(&gap, &mut |range, class| {
                    all.push(Taken {
                        range: from + range.start..from + range.end,
                        class: Some(class),
                    });
                });
                merge_overlaps(&mut all, first);
            }
            from = next.end;
        }
        // Nearly always there is nothing.
        if !all.is_empty() {
            self.taken.append(&mut all);
            self.taken.sort_by_key(|taken| taken.range.start);
        }
    }

    /// How many places are taken.
    pub(super) fn taken(&self) -> usize {
        self.taken.len()
    }

    /// What was found that is no placeholder of an earlier redaction.
    pub(super) fn into_found(self) -> Vec<(Range<usize>, String)> {
        let new = self.taken.into_iter();
        new.filter_map(|Taken { range, class }| Some((range, class?.to_owned())))
            .collect()
    }

    /// The text with placeholders; what is new is counted.
    pub(super) fn render(self, report: &mut Report) -> Cow<'t, str> {
        if self.taken.iter().all(|taken| taken.class.is_none()) {
            return Cow::Borrowed(self.text);
        }
        let mut out = String::with_capacity(self.text.len());
        let mut from = 0;
        for Taken { range, class } in self.taken {
            let Some(class) = class else {
                continue;
            };
            report.count(class);
            out.push_str(&self.text[from..range.start]);
            out.push_str(&placeholder(class));
            from = range.end;
        }
        out.push_str(&self.text[from..]);
        Cow::Owned(out)
    }
}

/// What stands for something that was taken out.
pub(super) fn placeholder(class: &str) -> String {
    format!("{OPEN}{class}]")
}

/// Whether this can be the name of a class.
pub(super) fn is_class(name: &str) -> bool {
    (1..=CLASS_CHARS_MAX).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

/// Where the placeholder ends whose class begins at `from`, if it is one.
fn placeholder_end(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes().get(from..)?;
    let length = bytes
        .iter()
        .take(CLASS_CHARS_MAX + 1)
        .position(|byte| *byte == b']')?;
    is_class(&text[from..from + length]).then_some(from + length + 1)
}

/// Puts what was found since `first` into order and makes one of what overlaps.
fn merge_overlaps(all: &mut Vec<Taken<'_>>, first: usize) {
    if all.len() == first {
        return;
    }
    let mut found = all.split_off(first);
    found.retain(|taken| !taken.range.is_empty());
    found.sort_by_key(|taken| taken.range.start);
    for taken in found {
        match all[first..].last_mut() {
            Some(last) if taken.range.start < last.range.end => {
                last.range.end = last.range.end.max(taken.range.end);
            }
            _ => all.push(taken),
        }
    }
}
