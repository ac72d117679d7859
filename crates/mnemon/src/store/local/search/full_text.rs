//! The full-text table: which memories have a term, and how often.
//!
//! Words are cut and stemmed by us; FTS5 sees tokens of plain letters and
//! digits. Others are written as `_` and their bytes, so that its own
//! tokenizer has nothing to decide.

use rusqlite::{Connection, ffi, params};

use crate::recall::document::fits_pattern;
use crate::recall::probe::Term;

/// Made by the first fill: most stores that are opened for a moment never get there.
const TABLES: &str = "
CREATE VIRTUAL TABLE text USING fts5(
    stems, forms, content='', contentless_delete=1, tokenize=\"ascii tokenchars '_'\"
);
CREATE VIRTUAL TABLE text_terms USING fts5vocab('text', 'row');
";

/// Makes the table.
pub(super) fn create(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(TABLES)
}

/// Merges some of the segments that fills left; false if there is nothing more to merge.
pub(in crate::store::local) fn merge(
    connection: &Connection,
    pages: u32,
) -> rusqlite::Result<bool> {
    let is_there: bool = connection.query_row(
        "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'text')",
        [],
        |row| row.get(0),
    )?;
    if !is_there {
        return Ok(false);
    }
    let before = connection.total_changes();
    // Negative: all segments into one, in the end.
    connection.execute(
        "INSERT INTO text (text, rank) VALUES ('merge', ?1)",
        [-i64::from(pages)],
    )?;
    // One change is the command itself.
    Ok(connection.total_changes() - before > 1)
}

/// A memory that has a term, and how often.
pub(super) type Posting = (u32, u32);

/// Puts a memory's words into the table.
pub(super) fn insert(
    connection: &Connection,
    n: u32,
    stems: impl Iterator<Item = impl AsRef<str>>,
    forms: impl Iterator<Item = impl AsRef<str>>,
) -> rusqlite::Result<()> {
    let join = |text: &mut String, word: &str| {
        if !text.is_empty() {
            text.push(' ');
        }
        encode(word, text);
    };
    let (mut all_stems, mut all_forms) = (String::new(), String::new());
    for stem in stems {
        join(&mut all_stems, stem.as_ref());
    }
    for form in forms {
        join(&mut all_forms, form.as_ref());
    }
    connection
        .prepare_cached("INSERT INTO text (rowid, stems, forms) VALUES (?1, ?2, ?3)")?
        .execute(params![n, all_stems, all_forms])?;
    Ok(())
}

/// Takes a memory's words out of the table.
pub(super) fn remove(connection: &Connection, n: u32) -> rusqlite::Result<()> {
    connection
        .prepare_cached("DELETE FROM text WHERE rowid = ?1")?
        .execute([n])?;
    Ok(())
}

/// Hands over every memory in the table that has this term; of names only those that say it.
pub(super) fn each_posting(
    connection: &Connection,
    term: &Term,
    each: &mut dyn FnMut(Posting),
) -> rusqlite::Result<()> {
    match term {
        Term::Stem(stem) => each_match(connection, &format!("stems : {}", quoted(&[stem])), each),
        Term::Phrase(stems) => {
            let stems: Vec<&str> = stems.iter().map(String::as_str).collect();
            each_match(connection, &format!("stems : {}", quoted(&stems)), each)
        }
        Term::Name { stem, .. } => {
            let expression = format!("stems : {}", quoted(&[stem]));
            each_match(connection, &expression, &mut |(n, _)| each((n, 1)))
        }
        Term::Pattern(pattern) => {
            let mut once = std::collections::BTreeSet::new();
            for word in matching_words(connection, pattern)? {
                each_match(connection, &quoted_token(&word), &mut |(n, _)| {
                    once.insert(n);
                })?;
            }
            for n in once {
                each((n, 1));
            }
            Ok(())
        }
    }
}

fn each_match(
    connection: &Connection,
    expression: &str,
    each: &mut dyn FnMut(Posting),
) -> rusqlite::Result<()> {
    let mut statement = connection
        .prepare_cached("SELECT rowid, occurrences(text) FROM text WHERE text MATCH ?1")?;
    let mut rows = statement.query([expression])?;
    while let Some(row) = rows.next()? {
        each((row.get(0)?, row.get(1)?));
    }
    Ok(())
}

/// The tokens of the table that fit a pattern.
fn matching_words(connection: &Connection, pattern: &str) -> rusqlite::Result<Vec<String>> {
    let literal = pattern.split('*').next().unwrap_or_default();
    let mut found = Vec::new();
    // Words with other letters behind a plain beginning are written as bytes.
    let mut beginnings = vec![hex(literal)];
    if literal.is_ascii() {
        beginnings.push(literal.to_owned());
    }
    let mut statement =
        connection.prepare_cached("SELECT term FROM text_terms WHERE term >= ?1 AND term < ?2")?;
    for begin in beginnings {
        // `~` sorts behind every letter and digit.
        let rows = statement.query_map([begin.clone(), format!("{begin}~")], |row| {
            row.get::<_, String>(0)
        })?;
        for token in rows {
            let token = token?;
            if decode(&token).is_some_and(|word| fits_pattern(&word, pattern)) {
                found.push(token);
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

fn quoted(stems: &[&str]) -> String {
    let mut text = String::from("\"");
    for (place, stem) in stems.iter().enumerate() {
        if place > 0 {
            text.push(' ');
        }
        encode(stem, &mut text);
    }
    text.push('"');
    text
}

fn quoted_token(token: &str) -> String {
    format!("\"{token}\"")
}

fn encode(word: &str, text: &mut String) {
    if word.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        text.push_str(word);
    } else {
        text.push_str(&hex(word));
    }
}

fn hex(word: &str) -> String {
    use std::fmt::Write;
    word.bytes().fold(String::from("_"), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn decode(token: &str) -> Option<String> {
    let Some(digits) = token.strip_prefix('_') else {
        return Some(token.to_owned());
    };
    let bytes = (0..digits.len())
        .step_by(2)
        .map(|place| u8::from_str_radix(digits.get(place..place + 2)?, 16).ok())
        .collect::<Option<Vec<u8>>>()?;
    String::from_utf8(bytes).ok()
}

/// `occurrences(text)`: how often the phrase that was asked for is in the row.
#[expect(
    unsafe_code,
    reason = "FTS5 hands out its interface only as a C pointer"
)]
pub(in crate::store::local) fn add_functions(connection: &Connection) -> rusqlite::Result<()> {
    let mut api: *mut ffi::fts5_api = std::ptr::null_mut();
    let mut statement = std::ptr::null_mut();
    // SAFETY: the connection is open while we have it; the statement is made,
    // used and finalized here; FTS5 writes a pointer to its interface, which
    // lives as long as the connection, into `api`.
    let code = unsafe {
        let database = connection.handle();
        let sql = c"SELECT fts5(?1)";
        let code = ffi::sqlite3_prepare_v2(
            database,
            sql.as_ptr(),
            -1,
            &raw mut statement,
            std::ptr::null_mut(),
        );
        if code == ffi::SQLITE_OK {
            let place = (&raw mut api).cast();
            ffi::sqlite3_bind_pointer(statement, 1, place, c"fts5_api_ptr".as_ptr(), None);
            ffi::sqlite3_step(statement);
            ffi::sqlite3_finalize(statement);
        }
        code
    };
    if code != ffi::SQLITE_OK || api.is_null() {
        return Err(rusqlite::Error::SqliteFailure(
            ffi::Error::new(ffi::SQLITE_ERROR),
            None,
        ));
    }
    // SAFETY: `api` was just filled in by FTS5; the name is a constant and the
    // function keeps nothing of what it is given.
    let code = unsafe {
        (*api).xCreateFunction.map_or(ffi::SQLITE_ERROR, |create| {
            let name = c"occurrences";
            create(
                api,
                name.as_ptr(),
                std::ptr::null_mut(),
                Some(occurrences),
                None,
            )
        })
    };
    if code != ffi::SQLITE_OK {
        return Err(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None));
    }
    Ok(())
}

#[expect(unsafe_code, reason = "called by FTS5, in C")]
unsafe extern "C" fn occurrences(
    api: *const ffi::Fts5ExtensionApi,
    context: *mut ffi::Fts5Context,
    answer: *mut ffi::sqlite3_context,
    _count: std::os::raw::c_int,
    _values: *mut *mut ffi::sqlite3_value,
) {
    // SAFETY: FTS5 calls this with its own interface and a context that is
    // good for this call; the iterator is only used with both.
    unsafe {
        let (Some(first), Some(next)) = ((*api).xPhraseFirst, (*api).xPhraseNext) else {
            ffi::sqlite3_result_int(answer, 1);
            return;
        };
        let mut iterator: ffi::Fts5PhraseIter = std::mem::zeroed();
        let (mut column, mut offset) = (0, 0);
        let mut count = 0;
        let code = first(
            context,
            0,
            &raw mut iterator,
            &raw mut column,
            &raw mut offset,
        );
        if code != ffi::SQLITE_OK {
            ffi::sqlite3_result_error_code(answer, code);
            return;
        }
        while column >= 0 {
            count += 1;
            next(context, &raw mut iterator, &raw mut column, &raw mut offset);
        }
        ffi::sqlite3_result_int(answer, count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_survives_the_way_into_the_table_and_back() {
        for word in ["auth", "x86", "привет", "東京", "a_b", "é", ""] {
            let mut token = String::new();
            encode(word, &mut token);
            assert!(
                token
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            );
            assert_eq!(decode(&token).as_deref(), Some(word));
        }
    }
}
