//! How many bytes of a session's log are about what.

use std::collections::BTreeMap;

use super::LocalStore;
use super::log::scan::{self, Found, Placed, Start, Stopped};
use crate::error::{Error, Result};
use crate::memory::{MemoryId, SessionId, Space};
use crate::store::{Measure, Weight};
use crate::time::{DAY_MICROS, Time};

impl LocalStore {
    /// Reads the log once, that of an archived session too; writers go on meanwhile.
    pub(super) fn measure_session(&self, session: &SessionId) -> Result<Measure> {
        let path = self.layout.log(&Space::Session(session.clone()));
        // If the archive can't be read, what stands for it can.
        let disk = self
            .disk_with_log_of(session)
            .unwrap_or_else(|_| self.disk.clone());
        let file = disk.open_read(&path).map_err(Error::io("open", &path))?;
        let mut weights: BTreeMap<MemoryId, Weight> = BTreeMap::new();
        let mut measure = Measure::default();
        let end = scan::scan(&*file, Start::BEGINNING, |found| -> Result<(), Error> {
            if let Found::Record(placed) = found {
                weigh(&placed, &mut measure, &mut weights);
            }
            Ok(())
        });
        let end = end.map_err(|stopped| match stopped {
            Stopped::Reading(error) => Error::io("read", &path)(error),
            Stopped::ByCaller(error) => error,
        })?;
        // As a quota counts: what a crash left behind is cut before the next write.
        measure.log_bytes = end.start.offset;
        measure.weights = weights.into_values().collect();
        for source in self.sources_of(session)? {
            if source.packed && !source.trashed {
                measure.archive_bytes += source.stat.size;
            }
        }
        Ok(measure)
    }
}

fn weigh(placed: &Placed, measure: &mut Measure, weights: &mut BTreeMap<MemoryId, Weight>) {
    let bytes = placed.length + 1;
    let line = &placed.line;
    if let Some(at) = line.recorded_at {
        let day = at.micros().div_euclid(DAY_MICROS);
        *measure.by_day.entry(day).or_default() += bytes;
        if line.op.as_deref() == Some("compact") {
            measure.compacted_at = measure
                .compacted_at
                .max(Some(Time::nearest_to_micros(at.micros())));
        }
    }
    let Some(id) = line.id.as_ref().and_then(|id| id.parse::<MemoryId>().ok()) else {
        return;
    };
    let weight = weights.entry(id.clone()).or_insert(Weight {
        id,
        kept: 0,
        versions: 0,
        accesses: 0,
        forgetting: 0,
    });
    match line.op.as_deref() {
        None => weight.kept += bytes,
        Some("access") => weight.accesses += bytes,
        Some("delete" | "restore") => weight.forgetting += bytes,
        Some(_) => weight.versions += bytes,
    }
}
