//! What recall is measured against: SQLite as people use it for this.
//!
//! FTS5 with its own stems and ranks, sqlite-vec with the same vectors as
//! ours, the two hundred best of each fused by their ranks, filters by join.
//! It gets what helps it: a cache for all of it, indexes for the filters,
//! prepared statements, and questions without the words that say nothing.

use std::collections::HashMap;
use std::path::Path;

use mnemon::embed::{BuiltIn, Embedder};
use mnemon::recall::Question;
use rusqlite::types::Value;
use rusqlite::{Connection, params, params_from_iter};

use crate::Result;
use crate::corpus::natural::{Among, Asked, Natural};

const TABLES: &str = "
CREATE TABLE memories (
    id INTEGER PRIMARY KEY, session INTEGER NOT NULL, kind TEXT NOT NULL,
    author TEXT NOT NULL, created INTEGER NOT NULL, text TEXT NOT NULL
);
CREATE TABLE tags (tag TEXT NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (tag, id)) WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5(
    text, content='memories', content_rowid='id', tokenize='porter unicode61'
);
CREATE VIRTUAL TABLE vectors USING vec0(v int8[256] distance_metric=cosine);
";

const INDEXES: &str = "
CREATE INDEX by_session ON memories (session);
CREATE INDEX by_kind ON memories (kind, created);
INSERT INTO words (words) VALUES ('optimize');
ANALYZE;
";

/// As many of each kind of search are fused, and as many memories are loaded.
const BEST: usize = 200;
const PAGE: usize = 10;

/// The usual constant of reciprocal ranks.
const RANK_OFFSET: f64 = 60.0;

/// A corpus in plain SQLite.
pub(crate) struct Plain(Connection);

impl Plain {
    /// The database of a corpus, made if there is none.
    pub(crate) fn open(path: &Path, natural: &Natural) -> Result<Self> {
        register_vectors();
        let is_new = !path.exists();
        let connection = Connection::open(path)?;
        connection.execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;
             PRAGMA cache_size = -1000000; PRAGMA mmap_size = 8000000000;",
        )?;
        let plain = Self(connection);
        if is_new {
            plain.fill(natural)?;
        }
        Ok(plain)
    }

    fn fill(&self, natural: &Natural) -> Result<()> {
        let Self(connection) = self;
        connection.execute_batch(TABLES)?;
        connection.execute_batch("BEGIN")?;
        let mut memory =
            connection.prepare("INSERT INTO memories VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?;
        let mut words = connection.prepare("INSERT INTO words (rowid, text) VALUES (?1, ?2)")?;
        let mut vector =
            connection.prepare("INSERT INTO vectors (rowid, v) VALUES (?1, vec_int8(?2))")?;
        let mut tag = connection.prepare("INSERT OR IGNORE INTO tags VALUES (?1, ?2)")?;
        let told = (0..natural.sessions()).flat_map(|session| natural.session(session));
        for (id, told) in (1_i64..).zip(told) {
            memory.execute(params![
                id,
                i64::try_from(told.session)?,
                told.kind.as_str(),
                told.author,
                told.created_micros,
                told.text
            ])?;
            words.execute(params![id, told.text])?;
            if let Some(bytes) = vector_of(&told.text)? {
                vector.execute(params![id, bytes])?;
            }
            for name in &told.tags {
                tag.execute(params![name, id])?;
            }
        }
        connection.execute_batch("COMMIT")?;
        Ok(connection.execute_batch(INDEXES)?)
    }

    /// The best ten by words and meaning.
    pub(crate) fn recall(&self, asked: &Asked) -> Result<Vec<String>> {
        let question = Question::parse(&asked.text)?;
        let mut fused: HashMap<i64, f64> = HashMap::new();
        let mut fuse = |ids: Vec<i64>| {
            for (rank, id) in (1_u32..).zip(ids) {
                *fused.entry(id).or_default() += 1.0 / (RANK_OFFSET + f64::from(rank));
            }
        };
        fuse(self.by_words(&question, &asked.among)?);
        if let Some(vector) = vector_of(&asked.text)? {
            fuse(self.by_meaning(vector, &asked.among)?);
        }
        let mut best: Vec<(i64, f64)> = fused.into_iter().collect();
        best.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        best.truncate(PAGE);
        let mut load = self
            .0
            .prepare_cached("SELECT text FROM memories WHERE id = ?1")?;
        let texts = best
            .iter()
            .map(|(id, _)| load.query_row([id], |row| row.get(0)));
        Ok(texts.collect::<rusqlite::Result<_>>()?)
    }

    fn by_words(&self, question: &Question, among: &Among) -> Result<Vec<i64>> {
        let quoted: Vec<String> = question
            .words()
            .map(|(word, _)| format!("\"{word}\""))
            .collect();
        let (join, condition, mut values) = filter(among);
        let sql = format!(
            "SELECT words.rowid FROM words {join} WHERE words MATCH ? {condition} ORDER BY rank LIMIT {BEST}"
        );
        values.insert(0, quoted.join(" OR ").into());
        self.ids(&sql, values)
    }

    fn by_meaning(&self, vector: Vec<u8>, among: &Among) -> Result<Vec<i64>> {
        let within = match among {
            Among::All => "",
            Among::KindSince(..) => {
                "AND rowid IN (SELECT id FROM memories WHERE kind = ? AND created >= ?)"
            }
            Among::Session(_) => "AND rowid IN (SELECT id FROM memories WHERE session = ?)",
            Among::Tag(_) => "AND rowid IN (SELECT id FROM tags WHERE tag = ?)",
        };
        let sql = format!(
            "SELECT rowid FROM vectors WHERE v MATCH vec_int8(?) AND k = {BEST} {within} ORDER BY distance"
        );
        let (_, _, mut values) = filter(among);
        values.insert(0, vector.into());
        self.ids(&sql, values)
    }

    fn ids(&self, sql: &str, values: Vec<Value>) -> Result<Vec<i64>> {
        let mut statement = self.0.prepare_cached(sql)?;
        let rows = statement.query_map(params_from_iter(values), |row| row.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

/// What is joined to the words, under which condition, with which values.
fn filter(among: &Among) -> (&'static str, &'static str, Vec<Value>) {
    // Left to itself, the planner looks up each row of the filter in the full text.
    let memories = "CROSS JOIN memories m ON m.id = words.rowid";
    match among {
        Among::All => ("", "", vec![]),
        Among::KindSince(kind, since) => (
            memories,
            "AND m.kind = ? AND m.created >= ?",
            vec![kind.as_str().to_owned().into(), (*since).into()],
        ),
        Among::Session(session) => (
            memories,
            "AND m.session = ?",
            vec![i64::try_from(*session).unwrap_or(-1).into()],
        ),
        Among::Tag(tag) => (
            "CROSS JOIN tags t ON t.id = words.rowid",
            "AND t.tag = ?",
            vec![tag.clone().into()],
        ),
    }
}

/// The same vectors as ours, byte by byte.
fn vector_of(text: &str) -> Result<Option<Vec<u8>>> {
    let found = BuiltIn::new().embed(&[text])?.into_iter().next().flatten();
    let bytes = |component: &i8| component.cast_unsigned();
    Ok(found.map(|vector| vector.components().iter().map(bytes).collect()))
}

#[expect(
    unsafe_code,
    reason = "SQLite takes extensions that are linked in only as C functions"
)]
fn register_vectors() {
    type Entry = unsafe extern "C" fn(
        *mut rusqlite::ffi::sqlite3,
        *mut *mut std::os::raw::c_char,
        *const rusqlite::ffi::sqlite3_api_routines,
    ) -> std::os::raw::c_int;
    // SAFETY: this is the entry point of an extension, declared without its
    // parameters; SQLite calls it with those that it has.
    unsafe {
        let entry =
            std::mem::transmute::<*const (), Entry>(sqlite_vec::sqlite3_vec_init as *const ());
        rusqlite::ffi::sqlite3_auto_extension(Some(entry));
    }
}
