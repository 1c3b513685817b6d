//! What a store that stands around another hands on to it.

/// The methods of a store that stands around another, which it asks for all but saves and leases.
macro_rules! all_but_save_and_lease_of_inner {
    () => {
        fn create<'a>(
            &'a self,
            run: &'a RunId,
            first: &'a RunChange,
        ) -> BoxFuture<'a, Result<bool>> {
            self.inner.create(run, first)
        }

        fn load<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<Option<StoredRun>>> {
            self.inner.load(run)
        }

        fn peek<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<Option<RunHead>>> {
            self.inner.peek(run)
        }

        fn release<'a>(&'a self, run: &'a RunId, owner: &'a str) -> BoxFuture<'a, Result<()>> {
            self.inner.release(run, owner)
        }

        fn due(&self, limit: usize) -> BoxFuture<'_, Result<Vec<RunId>>> {
            self.inner.due(limit)
        }

        fn remove<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<bool>> {
            self.inner.remove(run)
        }
    };
}
