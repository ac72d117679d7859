//! What would betray a memory in a file: its words, wherever they stand.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;

use aho_corasick::AhoCorasick;
use serde_json::Value;

use super::held;
use crate::memory::{Memory, MemoryId};
use crate::recall::aggregate;

/// Shorter words are in too many places to mean anything.
const TRACE_BYTES_MIN: usize = 8;

/// Shorter sentences are what anybody says.
const SENTENCE_BYTES_MIN: usize = 24;

/// The beginning of a long text is enough to know it again.
const TRACE_BYTES_MAX: usize = 64;

/// The words of some memories.
#[derive(Clone, Debug, Default)]
pub(super) struct Traces {
    words: Vec<Vec<u8>>,
    /// Too common to remove anything for, but worth looking for.
    sentences: Vec<Vec<u8>>,
    /// Of the words and of the sentences.
    finder: Option<AhoCorasick>,
    /// Of the words and of the ids.
    finder_with_ids: Option<AhoCorasick>,
}

/// What a search of a file found.
pub(super) struct Searched {
    pub(super) any: bool,
    pub(super) bytes: u64,
}

impl Traces {
    /// Takes in everything that a memory says.
    pub(super) fn take(&mut self, memory: &Memory) {
        self.take_text(memory.text.as_str());
        // A summary quotes single sentences.
        for sentence in aggregate::sentences(memory.text.as_str()) {
            if sentence.len() >= SENTENCE_BYTES_MIN {
                take_forms(sentence, &mut self.sentences);
            }
        }
        for tag in &memory.tags {
            self.take_text(tag.as_str());
        }
        for value in memory
            .body
            .to_map()
            .values()
            .chain(memory.metadata.values())
        {
            self.take_value(value);
        }
    }

    /// With the ids too, and ready to search.
    pub(super) fn with_ids(&self, ids: &[MemoryId]) -> Self {
        let mut words = self.words.clone();
        words.sort_unstable();
        words.dedup();
        let ids = ids.iter().map(|id| id.as_str().as_bytes().to_vec());
        let both: Vec<Vec<u8>> = words.iter().cloned().chain(ids).collect();
        let sought: Vec<&Vec<u8>> = words.iter().chain(&self.sentences).collect();
        // Only patterns too large for its tables are refused, and these are short.
        Self {
            finder: AhoCorasick::new(&sought)
                .ok()
                .filter(|_| !sought.is_empty()),
            finder_with_ids: AhoCorasick::new(&both).ok(),
            sentences: self.sentences.clone(),
            words,
        }
    }

    /// Whether bytes say anything of it, or name it.
    pub(super) fn are_in(&self, bytes: &[u8]) -> bool {
        let finder = self.finder_with_ids.as_ref();
        finder.is_some_and(|finder| finder.is_match(bytes))
    }

    /// Whether a file says anything of it.
    pub(super) fn search(&self, path: &Path) -> io::Result<Searched> {
        let mut searched = Searched {
            any: false,
            bytes: 0,
        };
        let Some(finder) = &self.finder else {
            return Ok(searched);
        };
        if held::is_of_sqlite(path) {
            let found = held::read(path, |file| Self::search_in(finder, At { file, offset: 0 }));
            return match found {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(searched),
                found => found,
            };
        }
        let file = match File::open(path) {
            // Others go on working: a file may be gone by now.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(searched),
            opened => opened?,
        };
        // What is compressed is looked for where it can be read; what can't be
        // unpacked is looked at as it is.
        let is_packed = path.extension().is_some_and(|ending| ending == "zst");
        if is_packed
            && let Ok(unpacked) = zstd::stream::read::Decoder::new(File::open(path)?)
            && let Ok(found) = Self::search_in(finder, unpacked)
        {
            return Ok(found);
        }
        searched = Self::search_in(finder, file)?;
        Ok(searched)
    }

    fn search_in(finder: &AhoCorasick, mut file: impl Read) -> io::Result<Searched> {
        let mut searched = Searched {
            any: false,
            bytes: 0,
        };
        let mut buffer = vec![0; 1 << 20];
        let mut kept = 0;
        loop {
            let count = file.read(&mut buffer[kept..])?;
            if count == 0 {
                return Ok(searched);
            }
            searched.bytes += count as u64;
            let filled = kept + count;
            searched.any |= finder.is_match(&buffer[..filled]);
            // Words may lie across two pieces.
            let begin = filled.saturating_sub(TRACE_BYTES_MAX);
            buffer.copy_within(begin..filled, 0);
            kept = filled - begin;
        }
    }

    fn take_value(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.take_text(text),
            Value::Array(list) => list.iter().for_each(|value| self.take_value(value)),
            Value::Object(map) => map.values().for_each(|value| self.take_value(value)),
            _ => {}
        }
    }

    /// As it is, and as it is written in JSON.
    fn take_text(&mut self, text: &str) {
        if text.len() < TRACE_BYTES_MIN {
            return;
        }
        take_forms(text, &mut self.words);
    }
}

fn take_forms(text: &str, traces: &mut Vec<Vec<u8>>) {
    let quoted = serde_json::to_string(text).expect("a text always has a JSON form");
    for form in [text, quoted.trim_matches('"')] {
        let bytes = form.as_bytes();
        traces.push(bytes[..bytes.len().min(TRACE_BYTES_MAX)].to_vec());
    }
}

/// A file from its beginning, wherever others are in it.
struct At<'a> {
    file: &'a File,
    offset: u64,
}

impl Read for At<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read_at(buffer, self.offset)?;
        self.offset += count as u64;
        Ok(count)
    }
}
