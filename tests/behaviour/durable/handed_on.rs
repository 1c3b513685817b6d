//! The methods that a wrapping store forwards.

/// Implements the methods of a store that wraps another, forwarding all except the named ones.
macro_rules! all_of_inner_but {
    (save) => {
        all_of_inner_but!(save, lease);

        fn lease<'a>(
            &'a self,
            run: &'a RunId,
            owner: &'a str,
            ttl: Duration,
        ) -> BoxFuture<'a, Result<Option<RunHead>>> {
            self.inner.lease(run, owner, ttl)
        }
    };
    (save, lease) => {
        all_of_inner_but!(create, save, lease);

        fn create<'a>(
            &'a self,
            run: &'a RunId,
            first: &'a RunChange,
        ) -> BoxFuture<'a, Result<bool>> {
            self.inner.create(run, first)
        }
    };
    (create, save, lease) => {
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

        fn delete<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<bool>> {
            self.inner.delete(run)
        }

        fn list<'a>(
            &'a self,
            filter: &'a genkit::durable::RunFilter,
        ) -> BoxFuture<'a, Result<Vec<genkit::durable::RunEntry>>> {
            self.inner.list(filter)
        }
    };
}
