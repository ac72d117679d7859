use super::LocalStore;
use crate::error::Result;
use crate::store::{Progress, Repair, RepairOptions};
impl LocalStore {
    pub(super) fn repair_everything(
        &self,
        _o: &RepairOptions,
        _p: &mut dyn FnMut(Progress),
    ) -> Result<Repair> {
        todo!()
    }
}
