//! Filters where something is sealed: what the index does not know of it is
//! looked at in the memory itself.

use rusqlite::Connection;

use super::{Conditions, load};
use crate::error::{Error, Result};
use crate::memory::Memory;
use crate::store::local::files::LogFiles;
use crate::store::local::index::read::Pointer;
use crate::store::{Filter, Selection, Sort};

/// Whether a filter asks for something that the index does not know of what is sealed.
pub(super) fn must_be_opened_for(
    connection: &Connection,
    filter: &Filter,
) -> rusqlite::Result<bool> {
    let asks = filter.sort == Sort::Priority
        || !filter.tags.is_empty()
        || !filter.any_tags.is_empty()
        || !filter.not_tags.is_empty()
        || !filter.metadata.is_empty()
        || filter.preference_key.is_some()
        || filter.min_confidence.is_some()
        || filter.min_priority.is_some()
        || filter.status.is_some()
        || filter.contains.is_some();
    if !asks {
        return Ok(false);
    }
    connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM memories WHERE sealed)")?
        .query_row([], |row| row.get(0))
}

/// The memories that fit, one page of them, and how many fit in all.
pub(super) fn select(
    connection: &Connection,
    files: &LogFiles,
    filter: &Filter,
) -> Result<Selection> {
    let mut fitting = Vec::new();
    each(connection, files, filter, &mut |_, memory| {
        fitting.push(memory);
    })?;
    fitting.sort_by(|a, b| filter.compare(a, b));
    let total = fitting.len() as u64;
    let page = fitting.into_iter().skip(filter.offset).take(filter.limit);
    Ok(Selection {
        memories: page.collect(),
        total,
    })
}

/// The numbers of all that fit.
pub(super) fn numbers(
    connection: &Connection,
    files: &LogFiles,
    filter: &Filter,
) -> Result<Vec<u32>> {
    let mut numbers = Vec::new();
    each(connection, files, filter, &mut |n, _| {
        numbers.extend(u32::try_from(n));
    })?;
    numbers.sort_unstable();
    Ok(numbers)
}

fn each(
    connection: &Connection,
    files: &LogFiles,
    filter: &Filter,
    take: &mut dyn FnMut(i64, Memory),
) -> Result<()> {
    let clear = Conditions::of(filter).with("NOT m.sealed");
    let sealed = Conditions::of(&without_content(filter)).with("m.sealed");
    for conditions in [clear, sealed] {
        let everything = Filter {
            limit: usize::MAX,
            offset: 0,
            sort: Sort::Newest,
            ..filter.clone()
        };
        let candidates: Vec<Pointer> = conditions
            .page(connection, &everything)
            .map_err(Error::index("index"))?;
        for pointer in candidates {
            let memory = load(&pointer, files)?;
            if filter.fits(&memory) {
                take(pointer.n, memory);
            }
        }
    }
    Ok(())
}

/// What of a filter the index can answer for something sealed.
fn without_content(filter: &Filter) -> Filter {
    Filter {
        tags: Vec::new(),
        any_tags: Vec::new(),
        not_tags: Vec::new(),
        metadata: Vec::new(),
        preference_key: None,
        min_confidence: None,
        min_priority: None,
        status: None,
        contains: None,
        ..filter.clone()
    }
}
