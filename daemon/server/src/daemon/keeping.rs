//! What is done to recordings that have ended: taken out and in as files, sealed, and deleted when
//! they are more than is to be kept.

use std::io::{Read, Write};
use std::path::Path;

use jhyde_store::archive::Progress;
use jhyde_store::{Error as StoreError, Keep, Removal, RetentionPlan, RetentionReport};

use super::attended::{LETS_GO, once_let_go_of};
use super::live::lock;
use super::{Daemon, Description};
use crate::error::Error;

impl Daemon {
    /// The id of a recording that is not being made.
    fn ended(&self, id_or_name: &str) -> Result<String, Error> {
        let meta = self.catalogue.find(id_or_name)?;
        if self.live_of(&meta.id).is_some() {
            return Err(Error::Live(meta.name));
        }
        Ok(meta.id)
    }

    /// Writes a recording that has ended as one file. What was written when this fails is worth nothing.
    ///
    /// # Errors
    /// [`Error::Live`] while it is being made; the store's.
    pub fn export(
        &self,
        id_or_name: &str,
        out: impl Write,
        progress: Progress<'_>,
    ) -> Result<(), Error> {
        let id = self.ended(id_or_name)?;
        Ok(self.catalogue.export_to(&id, out, progress)?)
    }

    /// Brings in what [`Daemon::export`] wrote; `origin` is what errors call it.
    ///
    /// # Errors
    /// The store's: it is no whole recording, the name is taken.
    pub fn import(
        &self,
        input: impl Read,
        origin: &Path,
        name: Option<&str>,
    ) -> Result<Description, Error> {
        let meta = self
            .catalogue
            .import_from(input, origin, name, &mut |_, _| true)?;
        Ok(self.describe_meta(meta))
    }

    /// Brings a recording that has ended to its smallest form, for ever.
    ///
    /// # Errors
    /// [`Error::Live`] while it is being made; the store's while somebody reads it.
    pub fn seal(&self, id_or_name: &str) -> Result<Description, Error> {
        let id = self.ended(id_or_name)?;
        self.attended.leave(&id);
        once_let_go_of(LETS_GO, || self.catalogue.seal(&id))?;
        // It is smaller now.
        lock(&self.stats).remove(&id);
        self.describe(&id)
    }

    /// Is the recording sealed?
    ///
    /// # Errors
    /// The store's: no such recording.
    pub fn is_sealed(&self, id_or_name: &str) -> Result<bool, Error> {
        let meta = self.catalogue.find(id_or_name)?;
        Ok(self.catalogue.is_sealed(&meta.id)?)
    }

    /// Which recordings would have to go so that the rest is within these limits.
    pub fn plan_keep(&self, keep: &Keep) -> RetentionPlan {
        self.attended.leave_idle();
        self.catalogue.plan_retention(keep)
    }

    /// Deletes what a plan says must go, and logs every deletion.
    pub fn apply_keep(&self, plan: &RetentionPlan) -> RetentionReport {
        let report = self.catalogue.apply_retention(plan);
        for removal in &report.deleted {
            lock(&self.stats).remove(&removal.id);
            let Removal { id, name, .. } = removal;
            // Data that goes away by itself is said wherever anything is.
            tracing::warn!(
                id,
                bytes = removal.bytes,
                "deleted '{name}': {}",
                removal.reason
            );
        }
        for (removal, error) in &report.failed {
            // Somebody began to read it meanwhile: the next turn takes it.
            if !matches!(error, StoreError::InUse(_) | StoreError::Busy { .. }) {
                tracing::warn!(recording = removal.name, %error, "should be deleted and cannot be");
            }
        }
        report
    }

    /// Deletes what is more than the configuration keeps.
    pub fn keep_within_limits(&self) {
        let keep = self.options().keep;
        if keep != Keep::default() {
            self.apply_keep(&self.plan_keep(&keep));
        }
    }
}
