//! From a filter to SQL. Values are always bound, never written into the text.

mod sealed;

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use super::in_force::IN_FORCE;
use super::position::unsigned;
use super::read::{POINTER_COLUMNS, Pointer};
use super::schema::{PRIORITY, kind_number};
use super::sight;
use crate::error::{Error, Result};
use crate::memory::{Memory, Tag};
use crate::store::local::files::LogFiles;
use crate::store::local::search::check_deadline;
use crate::store::{Filter, Forgottenness, Selection, Sort, Status};

/// The memories that fit, one page of them, and how many fit in all.
pub(crate) fn select(
    connection: &Connection,
    files: &LogFiles,
    filter: &Filter,
) -> Result<Selection> {
    if sealed::must_be_opened_for(connection, filter).map_err(Error::index("index"))? {
        return sealed::select(connection, files, filter);
    }
    let conditions = Conditions::of(filter);
    match &filter.contains {
        None => {
            let page = conditions
                .page(connection, filter)
                .map_err(Error::index("index"))?;
            let is_all = filter.limit == usize::MAX && filter.offset == 0;
            let total = if is_all {
                page.len() as u64
            } else {
                conditions
                    .count(connection)
                    .map_err(Error::index("index"))?
            };
            let memories = page
                .iter()
                .map(|pointer| load(pointer, files))
                .collect::<Result<_>>()?;
            Ok(Selection { memories, total })
        }
        // The index holds no text, so the logs have to be read.
        Some(_) => {
            let everything = Filter {
                limit: usize::MAX,
                offset: 0,
                ..filter.clone()
            };
            let candidates = conditions
                .page(connection, &everything)
                .map_err(Error::index("index"))?;
            let mut selection = Selection {
                memories: Vec::new(),
                total: 0,
            };
            for pointer in candidates {
                let memory = load(&pointer, files)?;
                if filter.fits(&memory) {
                    selection.total += 1;
                    let place = usize::try_from(selection.total).unwrap_or(usize::MAX) - 1;
                    if place >= filter.offset && selection.memories.len() < filter.limit {
                        selection.memories.push(memory);
                    }
                }
            }
            Ok(selection)
        }
    }
}

/// The numbers of all memories that fit, whatever the order and the page.
pub(crate) fn numbers(
    connection: &Connection,
    files: &LogFiles,
    filter: &Filter,
) -> Result<Vec<u32>> {
    if sealed::must_be_opened_for(connection, filter).map_err(Error::index("index"))? {
        return sealed::numbers(connection, files, filter);
    }
    let conditions = Conditions::of(filter);
    if filter.contains.is_none() {
        return conditions
            .numbers(connection)
            .map_err(Error::index("index"));
    }
    let everything = Filter {
        limit: usize::MAX,
        offset: 0,
        ..filter.clone()
    };
    let candidates = conditions
        .page(connection, &everything)
        .map_err(Error::index("index"))?;
    let mut numbers = Vec::new();
    for pointer in candidates {
        if filter.fits(&load(&pointer, files)?) {
            numbers.extend(u32::try_from(pointer.n));
        }
    }
    Ok(numbers)
}

/// The numbers of all memories with a tag or one below it, whatever else a
/// filter asks: no row of the memories themselves has to be read.
///
/// What is sealed has to be opened, and then also fits the rest of the filter.
pub(crate) fn tagged(
    connection: &Connection,
    files: &LogFiles,
    filter: &Filter,
    tag: &Tag,
) -> Result<Vec<u32>> {
    if sealed::must_be_opened_for(connection, filter).map_err(Error::index("index"))? {
        return sealed::numbers(connection, files, filter);
    }
    let read = || -> rusqlite::Result<Vec<u32>> {
        // Not all_tags with an OR: that would be looked up row by row.
        connection
            .prepare_cached(
                "SELECT n FROM tags WHERE tag = ?1
                 UNION ALL SELECT n FROM tags WHERE tag >= ?2 AND tag < ?3
                 UNION ALL SELECT m.n FROM unfiled m, json_each(m.terms, '$.tags') t
                 WHERE t.value = ?1 OR (t.value >= ?2 AND t.value < ?3)",
            )?
            .query_map(tag_range(tag), |row| row.get(0))?
            .collect()
    };
    read().map_err(Error::index("index"))
}

/// A tag, and between what all below it lie: `a`, or `a.` and what follows.
fn tag_range(tag: &Tag) -> [String; 3] {
    // The character after the dot is the slash.
    [tag.to_string(), format!("{tag}."), format!("{tag}/")]
}

/// Many memories take long to read, so the time is looked at in between.
fn load(pointer: &Pointer, files: &LogFiles) -> Result<Memory> {
    check_deadline()?;
    pointer.load(files)
}

/// What [`PRIORITY`] is to be bound with.
fn moment(filter: &Filter) -> [Value; 2] {
    let rules = serde_json::to_string(&*filter.decay).expect("rules have text keys");
    [filter.now_micros.into(), rules.into()]
}

#[derive(Default)]
struct Conditions {
    sql: String,
    values: Vec<Value>,
}

impl Conditions {
    fn of(filter: &Filter) -> Self {
        let mut all = Self::default();
        all.any_of(
            "l.space",
            filter
                .spaces
                .iter()
                .map(|space| space.to_string().into())
                .collect(),
        );
        all.any_of(
            "m.kind",
            filter
                .kinds
                .iter()
                .map(|kind| kind_number(*kind).into())
                .collect(),
        );
        all.any_of(
            "m.author",
            filter
                .authors
                .iter()
                .map(|author| author.clone().into())
                .collect(),
        );
        for tag in &filter.tags {
            all.tagged("IN", std::slice::from_ref(tag));
        }
        if !filter.any_tags.is_empty() {
            all.tagged("IN", &filter.any_tags);
        }
        if !filter.not_tags.is_empty() {
            all.tagged("NOT IN", &filter.not_tags);
        }
        for (key, value) in &filter.metadata {
            all.and(
                "m.n IN (SELECT n FROM all_metadata WHERE key = ? AND value = ?)",
                [key.clone().into(), value.clone().into()],
            );
        }
        let bounds: [(&str, Option<Value>); 5] = [
            (IN_FORCE, filter.preference_key.clone().map(Into::into)),
            ("m.created >= ?", filter.since_micros.map(Into::into)),
            ("m.created <= ?", filter.until_micros.map(Into::into)),
            (
                "m.importance >= ?",
                filter.min_importance.map(|least| least.get().into()),
            ),
            (
                "m.confidence >= ?",
                filter.min_confidence.map(|least| least.get().into()),
            ),
        ];
        for (condition, value) in bounds {
            if let Some(value) = value {
                all.and(condition, [value]);
            }
        }
        if let Some(least) = filter.min_priority {
            let [now, rules] = moment(filter);
            all.and(&format!("{PRIORITY} >= ?"), [now, rules, least.into()]);
        }
        if let Some(status) = filter.status {
            all.and("m.open = ?", [i64::from(status == Status::Open).into()]);
        }
        match filter.forgotten {
            Forgottenness::Without => all.and("m.forgotten IS NULL", []),
            Forgottenness::With => {}
            Forgottenness::Only => all.and("m.forgotten IS NOT NULL", []),
        }
        if let Some((condition, values)) = sight::condition(&filter.sight) {
            all.and(&condition, values);
        }
        all
    }

    /// The same, and one more.
    fn with(mut self, condition: &str) -> Self {
        self.and(condition, []);
        self
    }

    fn and<const N: usize>(&mut self, condition: &str, values: [Value; N]) {
        self.sql.push_str(if self.sql.is_empty() {
            "WHERE "
        } else {
            " AND "
        });
        self.sql.push_str(condition);
        self.values.extend(values);
    }

    fn any_of(&mut self, column: &str, values: Vec<Value>) {
        if values.is_empty() {
            return;
        }
        self.and(
            &format!("{column} IN ({})", vec!["?"; values.len()].join(", ")),
            [],
        );
        self.values.extend(values);
    }

    /// With (or without) any of these tags, or a tag below one.
    fn tagged(&mut self, within: &str, tags: &[Tag]) {
        let one = "tag = ? OR (tag >= ? AND tag < ?)";
        let any = vec![one; tags.len()].join(" OR ");
        self.and(
            &format!("m.n {within} (SELECT n FROM all_tags WHERE {any})"),
            [],
        );
        for tag in tags {
            self.values.extend(tag_range(tag).map(Value::from));
        }
    }

    fn numbers(&self, connection: &Connection) -> rusqlite::Result<Vec<u32>> {
        let sql = format!(
            "SELECT m.n FROM memories m JOIN logs l ON l.n = m.log {}",
            self.sql
        );
        let mut statement = connection.prepare_cached(&sql)?;
        let rows = statement.query_map(params_from_iter(&self.values), |row| row.get(0))?;
        rows.collect()
    }

    fn count(&self, connection: &Connection) -> rusqlite::Result<u64> {
        let sql = format!(
            "SELECT count(*) FROM memories m JOIN logs l ON l.n = m.log {}",
            self.sql
        );
        connection
            .prepare_cached(&sql)?
            .query_row(params_from_iter(&self.values), |row| {
                Ok(unsigned(row.get(0)?))
            })
    }

    fn page(&self, connection: &Connection, filter: &Filter) -> rusqlite::Result<Vec<Pointer>> {
        // Few memories set the same thing: to go through all by their time, as SQLite would
        // for the order's sake, costs more than to sort those few (the plus forbids it).
        let created = match filter.preference_key {
            Some(_) => "+m.created",
            None => "m.created",
        };
        let newest = format!("{created} DESC, m.id");
        let mut values = self.values.clone();
        let order = match filter.sort {
            Sort::Newest => newest,
            Sort::Oldest => format!("{created}, m.id"),
            Sort::Importance => format!("m.importance DESC, {newest}"),
            Sort::LastAccess => format!("m.last_access DESC NULLS LAST, {newest}"),
            // Counts beyond what SQLite's integers hold are stored as negative ones.
            Sort::AccessCount => format!("m.access_count < 0 DESC, m.access_count DESC, {newest}"),
            Sort::Priority => {
                values.extend(moment(filter));
                format!("{PRIORITY} DESC, {newest}")
            }
        };
        let sql = format!(
            "SELECT {POINTER_COLUMNS} FROM memories m JOIN logs l ON l.n = m.log {} ORDER BY {order} LIMIT ? OFFSET ?",
            self.sql
        );
        values.push(i64::try_from(filter.limit).unwrap_or(i64::MAX).into());
        values.push(i64::try_from(filter.offset).unwrap_or(i64::MAX).into());
        let mut statement = connection.prepare_cached(&sql)?;
        let rows = statement.query_map(params_from_iter(&values), Pointer::from_row)?;
        rows.collect()
    }
}
