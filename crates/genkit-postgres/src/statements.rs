//! The tables and the statements. Each statement is a separate transaction.

/// The version of the tables below.
pub(crate) const VERSION: i32 = 1;

/// Several processes may create the tables at the same time, so a lock serializes them.
pub(crate) const TABLES: &str = "
    BEGIN;
    SELECT pg_advisory_xact_lock(7306934127);
    CREATE TABLE IF NOT EXISTS genkit_schema (version integer NOT NULL);
    INSERT INTO genkit_schema SELECT 1 WHERE NOT EXISTS (SELECT FROM genkit_schema);
    CREATE TABLE IF NOT EXISTS genkit_runs (
        number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        id text COLLATE \"C\" NOT NULL UNIQUE,
        revision bigint NOT NULL,
        status text NOT NULL,
        wake_at bigint,
        head text NOT NULL,
        lease_owner text,
        lease_until bigint
    );
    CREATE INDEX IF NOT EXISTS genkit_runs_due ON genkit_runs (COALESCE(wake_at, 0), number)
        WHERE status = 'working';
    CREATE TABLE IF NOT EXISTS genkit_run_log (
        run bigint NOT NULL REFERENCES genkit_runs (number) ON DELETE CASCADE,
        revision bigint NOT NULL,
        at bigint NOT NULL,
        line text NOT NULL,
        PRIMARY KEY (run, revision, at)
    );
    COMMIT;
";

/// The time of the server, in milliseconds since 1970.
macro_rules! now {
    () => {
        "(EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint"
    };
}

pub(crate) const CREATE: &str = "
    WITH made AS (
        INSERT INTO genkit_runs (id, revision, status, wake_at, head) VALUES ($1, 1, $2, $3, $4)
        ON CONFLICT (id) DO NOTHING RETURNING number
    ), logged AS (
        INSERT INTO genkit_run_log (run, revision, at, line)
        SELECT number, 1, at, line FROM made, unnest($5::text[]) WITH ORDINALITY AS new (line, at)
    )
    SELECT count(*) FROM made
";

pub(crate) const SAVE: &str = "
    WITH changed AS (
        UPDATE genkit_runs SET revision = revision + 1, status = $3, wake_at = $4, head = $5
        WHERE id = $1 AND revision = $2 RETURNING number, revision
    ), logged AS (
        INSERT INTO genkit_run_log (run, revision, at, line)
        SELECT number, revision, at, line
        FROM changed, unnest($6::text[]) WITH ORDINALITY AS new (line, at)
    )
    SELECT revision FROM changed
";

pub(crate) const PEEK: &str = "SELECT revision, status, wake_at FROM genkit_runs WHERE id = $1";

/// A single statement reads a consistent snapshot of head and log.
pub(crate) const LOAD: &str = "
    SELECT revision, status, wake_at, head, ARRAY(
        SELECT line FROM genkit_run_log WHERE run = number
        ORDER BY genkit_run_log.revision, genkit_run_log.at
    ) FROM genkit_runs WHERE id = $1
";

pub(crate) const LEASE: &str = concat!(
    "UPDATE genkit_runs SET lease_owner = $2, lease_until = ",
    now!(),
    " + $3 WHERE id = $1 AND (lease_owner IS NULL OR lease_owner = $2 OR lease_until <= ",
    now!(),
    ") RETURNING revision, status, wake_at"
);

pub(crate) const RELEASE: &str = "
    UPDATE genkit_runs SET lease_owner = NULL, lease_until = NULL WHERE id = $1 AND lease_owner = $2
";

pub(crate) const DUE: &str = concat!(
    "SELECT id FROM genkit_runs WHERE status = 'working' AND COALESCE(wake_at, 0) <= ",
    now!(),
    " AND (lease_owner IS NULL OR lease_until <= ",
    now!(),
    ") ORDER BY COALESCE(wake_at, 0), number LIMIT $1"
);

pub(crate) const REMOVE: &str = "DELETE FROM genkit_runs WHERE id = $1 RETURNING number";
