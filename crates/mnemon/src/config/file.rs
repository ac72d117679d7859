//! Settings from a TOML file, each with its line.

use std::path::{Path, PathBuf};

use toml::de::{DeTable, DeValue};

use super::NEXT_STEP;
use super::keys::{KEYS, Key, is_table, tables};
use super::setting::{Assignment, Origin, refuse_value};
use crate::error::{Error, Result, shorten};
use crate::nearest::nearest;

/// What the file sets, top to bottom; the first mistake in it is the error.
pub(super) fn parse(
    text: &str,
    path: &Path,
    origin: impl Fn(PathBuf, usize) -> Origin,
) -> Result<Vec<Assignment>> {
    let document = DeTable::parse(text).map_err(|error| {
        let offset = error.span().map_or(text.len(), |span| span.start);
        refuse_file(path, line_of(text.as_bytes(), offset), error.message())
    })?;
    let mut entries = Vec::new();
    collect(document.get_ref(), "", text, &mut entries);
    // The parser sorts by key, and people look for the first line that is wrong.
    entries.sort_by_key(|entry| entry.offset);
    entries
        .iter()
        .map(|entry| {
            let line = line_of(text.as_bytes(), entry.offset);
            entry.check(&origin(path.to_owned(), line))
        })
        .collect()
}

/// As [`parse`], for a file whose bytes may not even be text.
pub(super) fn parse_bytes(
    bytes: &[u8],
    path: &Path,
    origin: impl Fn(PathBuf, usize) -> Origin,
) -> Result<Vec<Assignment>> {
    match std::str::from_utf8(bytes) {
        Ok(text) => parse(text, path, origin),
        Err(error) => {
            let line = line_of(bytes, error.valid_up_to());
            Err(refuse_file(path, line, "invalid UTF-8"))
        }
    }
}

/// A name in the file with its value: a setting, or something that should not be there.
struct Entry<'a> {
    /// The dotted name, quoted where TOML would need it.
    name: String,
    /// Where the name stands in the file.
    offset: usize,
    /// The value as it is written.
    written: &'a str,
    value: &'a DeValue<'a>,
}

/// Goes down into known tables only, so the depth of the file does not matter.
fn collect<'a>(table: &'a DeTable<'a>, prefix: &str, text: &'a str, entries: &mut Vec<Entry<'a>>) {
    for (key, value) in table {
        let name = format!("{prefix}{}", as_key(key.get_ref()));
        match value.get_ref() {
            DeValue::Table(inner) if is_table(&name) => {
                collect(inner, &format!("{name}."), text, entries);
            }
            other => entries.push(Entry {
                name,
                offset: key.span().start,
                written: text.get(value.span()).unwrap_or_default(),
                value: other,
            }),
        }
    }
}

impl Entry<'_> {
    fn check(&self, origin: &Origin) -> Result<Assignment> {
        let Some(key) = Key::find(&self.name) else {
            return Err(self.refuse_name(origin));
        };
        match key.rule.check_toml(self.value) {
            Some(value) => Ok(Assignment {
                key,
                value,
                origin: origin.clone(),
            }),
            None => Err(refuse_value(key, self.written, origin)),
        }
    }

    fn refuse_name(&self, origin: &Origin) -> Error {
        let (problem, near) = if is_table(&self.name) {
            let problem = format!("is a table, and its settings follow a line [{}]", self.name);
            (problem, None)
        } else if matches!(self.value, DeValue::Table(_)) {
            let near = nearest(&self.name, tables()).map(|table| format!("[{table}]"));
            ("is not a known table".to_owned(), near)
        } else {
            let near = nearest(&self.name, KEYS.iter().map(|key| key.name));
            ("is not a known setting".to_owned(), near.map(str::to_owned))
        };
        Error::Setting {
            place: origin.to_string(),
            key: shorten(&self.name),
            problem,
            suggestion: near.map_or_else(
                || NEXT_STEP.to_owned(),
                |near| format!("Did you mean {near}?"),
            ),
        }
    }
}

fn refuse_file(path: &Path, line: usize, problem: &str) -> Error {
    Error::Setting {
        place: format!("{}:{line}", path.display()),
        key: "the file".to_owned(),
        problem: format!("is not TOML: {problem}"),
        suggestion: "Correct that line; `mnemon config check` reads the file again.".to_owned(),
    }
}

/// The part of a name as TOML writes it: a quoted "a.b" is not the b of a.
fn as_key(part: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !part.is_empty() && part.chars().all(bare) {
        part.to_owned()
    } else {
        format!("{part:?}")
    }
}

fn line_of(text: &[u8], offset: usize) -> usize {
    let before = text.get(..offset).unwrap_or(text);
    before.split(|byte| *byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::super::template::template;
    use super::*;

    fn check(text: &[u8]) -> Result<Vec<(String, String)>, String> {
        parse_bytes(text, Path::new("m.toml"), |path, line| Origin::RootFile {
            path,
            line,
        })
        .map(|found| {
            found
                .into_iter()
                .map(|a| (format!("{} {}", a.origin, a.key.name), a.value))
                .collect()
        })
        .map_err(|error| format!("{error}. {}", error.hint()))
    }

    #[test]
    fn values_come_with_their_line() {
        let text = "\u{feff}# mine\r\nlock.timeout_ms = 0x10\r\n\
            [storage]\r\ndurability = \"\"\"\\\n os\"\"\"\nwrite_attempts = 1_0\n\
            [defaults]\n\"user\" = 'x'";
        let found: Vec<_> = [
            ("m.toml:2 lock.timeout_ms", "16"),
            ("m.toml:4 storage.durability", "\"os\""),
            ("m.toml:6 storage.write_attempts", "10"),
            ("m.toml:8 defaults.user", "\"x\""),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
        assert_eq!(check(text.as_bytes()), Ok(found));
        assert_eq!(check(b""), Ok(vec![]));
        assert_eq!(check(b"storage = { }\n[lock]"), Ok(vec![]));
    }

    #[test]
    fn refusals_name_the_line_and_the_next_step() {
        let init = "`mnemon config init --print` shows every setting.";
        for (text, refusal) in [
            (
                "[storage]\n\ndurablity = 'os'",
                "m.toml:3: storage.durablity is not a known setting. Did you mean \
                 storage.durability?",
            ),
            (
                "timeout_ms = 1",
                "m.toml:1: timeout_ms is not a known setting. Did you mean lock.timeout_ms?",
            ),
            (
                "'storage.durability' = 'os'",
                "m.toml:1: \"storage.durability\" is not a known setting. Did you mean \
                 storage.durability?",
            ),
            (
                "# mine\n[colour.rates]\nfact = 1",
                &format!("m.toml:2: colour is not a known table. {init}"),
            ),
            (
                "[lock]\n[storge]\n",
                "m.toml:2: storge is not a known table. Did you mean [storage]?",
            ),
            (
                "\nstorage = 5",
                &format!(
                    "m.toml:2: storage is a table, and its settings follow a line [storage]. {init}"
                ),
            ),
            (
                "[[lock]]",
                &format!(
                    "m.toml:1: lock is a table, and its settings follow a line [lock]. {init}"
                ),
            ),
            (
                "[storage.durability]",
                "m.toml:1: storage.durability must be one of \"always\", \"interval\", \"os\" \
                 (given: [storage.durability]). The default is \"always\".",
            ),
            (
                "[storage]\nwrite_attempts = 11",
                "m.toml:2: storage.write_attempts must be a whole number from 1 to 10 (given: \
                 11). The default is 3.",
            ),
            (
                "storage.durability = 'allways'",
                "m.toml:1: storage.durability must be one of \"always\", \"interval\", \"os\" \
                 (given: 'allways'). Did you mean \"always\"?",
            ),
            // The first wrong line, although the parser sorts by name.
            (
                "[storage]\nx = 1\n[lock]\na = 1",
                &format!("m.toml:2: storage.x is not a known setting. {init}"),
            ),
        ] {
            assert_eq!(check(text.as_bytes()), Err(refusal.to_owned()), "{text}");
        }
    }

    #[test]
    fn what_is_not_toml_is_refused_with_its_line() {
        for (text, line) in [
            ("x", 1),
            ("[storage]\ndurability =\n", 2),
            ("[storage]\ndurability = 'os\n", 2),
            ("[storage]\n\n[storage]\n", 3),
            ("lock.timeout_ms = 1\nlock.timeout_ms = 2\n", 2),
            ("\n\n]", 3),
            ("a = 1\n\u{0}", 2),
        ] {
            let refusal = check(text.as_bytes()).unwrap_err();
            let expected = format!("m.toml:{line}: the file is not TOML: ");
            assert!(refusal.starts_with(&expected), "{text:?}: {refusal}");
        }
    }

    #[test]
    fn deep_nesting_is_an_error_and_no_overflow() {
        for (open, close) in [("[", "]"), ("{a=", "}"), ("[", ""), ("{a=", "")] {
            let text = format!("x = {}1{}", open.repeat(100_000), close.repeat(100_000));
            check(text.as_bytes()).unwrap_err();
        }
        check(format!("[{}a]", "a.".repeat(10_000)).as_bytes()).unwrap_err();
        check(format!("{} = 1", "a".repeat(1_000_000)).as_bytes()).unwrap_err();
    }

    /// A small generator, so that a failure can be run again.
    struct Random(u64);

    impl Random {
        fn below(&mut self, end: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            usize::try_from(self.0 % end as u64).unwrap()
        }
    }

    #[test]
    fn generated_mistakes_are_refused() {
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let letters: Vec<char> = "abcxyzé._- \"'[]{}=#\\\n\t0159日\u{1f600}\u{0}"
            .chars()
            .collect();
        let values = [
            "-1",
            "1e400",
            "nan",
            "\"\\u0001\"",
            "[1, [2]]",
            "{ a = { b = 1 } }",
            "1979-05-27T07:32:00Z",
            "' '",
            "-9223372036854775808",
        ];
        for _ in 0..2_000 {
            let key = KEYS[random.below(KEYS.len())].name;
            // One setting is in no table.
            let (table, name) = key.rsplit_once('.').unwrap_or(("storage", key));
            let letter = letters[random.below(letters.len())];
            let bad = match random.below(5) {
                0 => format!("{key} = {}", values[random.below(values.len())]),
                1 => format!("[{table}]\n{name}x{} = 1", random.below(100)),
                2 => format!("[{table}{}]\n{name} = 1", random.below(100)),
                3 => format!("{key} = {letter}"),
                _ => format!("{}[{table}\n{letter}", template()),
            };
            // A lone digit may well be right.
            if !letter.is_ascii_digit() || !bad.ends_with(letter) {
                assert!(check(bad.as_bytes()).is_err(), "{bad}");
            }
        }
    }

    #[test]
    fn damaged_files_never_panic() {
        let mut random = Random(7);
        let whole = template().replace("\n# ", "\n").into_bytes();
        for _ in 0..500 {
            let mut bytes = whole.clone();
            for _ in 0..=random.below(4) {
                let at = random.below(bytes.len());
                match random.below(3) {
                    0 => bytes.truncate(at.max(1)),
                    1 => bytes[at] = u8::try_from(random.below(256)).unwrap(),
                    _ => drop(bytes.remove(at.min(bytes.len() - 1))),
                }
                bytes.push(b'\n');
            }
            let _ = check(&bytes);
        }
    }
}
