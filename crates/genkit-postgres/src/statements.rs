//! The tables and the statements. Each statement is a separate transaction.

/// The version of the tables below.
pub(crate) const VERSION: i32 = 1;

/// Creates the tables. A lock serializes processes that create them at the same time.
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
    DO $$ BEGIN
        -- Only if needed, since it waits for all readers of the table.
        IF NOT EXISTS (
            SELECT FROM pg_attribute WHERE attrelid = 'genkit_runs'::regclass AND attname = 'updated_at'
        ) THEN
            ALTER TABLE genkit_runs
                ADD COLUMN incarnation bigint NOT NULL DEFAULT 0,
                ADD COLUMN name text NOT NULL DEFAULT '',
                ADD COLUMN tags text[] NOT NULL DEFAULT '{}',
                ADD COLUMN error text,
                ADD COLUMN created_at bigint NOT NULL DEFAULT 0,
                ADD COLUMN updated_at bigint NOT NULL DEFAULT 0;
        END IF;
    END $$;
    CREATE INDEX IF NOT EXISTS genkit_runs_status ON genkit_runs (status, updated_at);
    -- Runs without tags are left out, so that their saves cost nothing more.
    CREATE INDEX IF NOT EXISTS genkit_runs_tags ON genkit_runs USING gin (tags) WITH (fastupdate = off)
        WHERE tags <> '{}';
    COMMIT;
";

/// The current time of the server, in milliseconds since the Unix epoch.
macro_rules! now {
    () => {
        "(EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint"
    };
}

pub(crate) const CREATE: &str = concat!(
    "WITH made AS (
        INSERT INTO genkit_runs (id, revision, status, wake_at, head, incarnation, name, tags, error, created_at,
            updated_at)
        VALUES ($1, 1, $2, $3, $4, $6, $7, $8, $9, ",
    now!(),
    ", ",
    now!(),
    ") ON CONFLICT (id) DO NOTHING RETURNING number
    ), logged AS (
        INSERT INTO genkit_run_log (run, revision, at, line)
        SELECT number, 1, at, line FROM made, unnest($5::text[]) WITH ORDINALITY AS new (line, at)
    )
    SELECT count(*) FROM made"
);

pub(crate) const SAVE: &str = concat!(
    "WITH changed AS (
        UPDATE genkit_runs SET revision = revision + 1, status = $3, wake_at = $4, head = $5,
            name = COALESCE($9, name), tags = COALESCE($10::text[], tags), error = $11, updated_at = ",
    now!(),
    " WHERE id = $1 AND revision = $2 AND ($7::text IS NULL OR lease_owner = $7)
            AND ($8::bigint IS NULL OR incarnation = $8)
        RETURNING number, revision
    ), logged AS (
        INSERT INTO genkit_run_log (run, revision, at, line)
        SELECT number, revision, at, line
        FROM changed, unnest($6::text[]) WITH ORDINALITY AS new (line, at)
    )
    SELECT revision FROM changed"
);

pub(crate) const PEEK: &str =
    "SELECT revision, status, wake_at, incarnation FROM genkit_runs WHERE id = $1";

/// Loads a run. A single statement reads a consistent snapshot of the head and the log.
pub(crate) const LOAD: &str = "
    SELECT revision, status, wake_at, incarnation, head, ARRAY(
        SELECT line FROM genkit_run_log WHERE run = number
        ORDER BY genkit_run_log.revision, genkit_run_log.at
    ) FROM genkit_runs WHERE id = $1
";

pub(crate) const LEASE: &str = concat!(
    "WITH before AS (SELECT number, lease_owner FROM genkit_runs WHERE id = $1 FOR UPDATE)
    UPDATE genkit_runs SET lease_owner = $2, lease_until = ",
    now!(),
    " + $3 FROM before WHERE genkit_runs.number = before.number AND (genkit_runs.lease_owner IS NULL
        OR genkit_runs.lease_owner = $2 OR lease_until <= ",
    now!(),
    ") RETURNING revision, status, wake_at, incarnation, COALESCE(before.lease_owner <> $2, false)"
);

pub(crate) const RELEASE: &str = "
    UPDATE genkit_runs SET lease_owner = NULL, lease_until = NULL WHERE id = $1 AND lease_owner = $2
";

/// The condition that the id is valid, which is false only for rows that another program wrote. They are excluded here,
/// because a page without any valid row would look like the end of the list.
macro_rules! is_run {
    () => {
        "(length(id) <= 128 AND id ~ '^[A-Za-z0-9_][A-Za-z0-9_.-]*$')"
    };
}

/// The time of the statement does not change while it runs, so the index of due runs ends the search at the first
/// run that is not due. With the current time, each sleeping run would be read.
pub(crate) const DUE: &str = concat!(
    "SELECT id FROM genkit_runs WHERE status = 'working' AND COALESCE(wake_at, 0)
        <= (EXTRACT(EPOCH FROM statement_timestamp()) * 1000)::bigint AND ",
    is_run!(),
    " AND (lease_owner IS NULL OR lease_until <= ",
    now!(),
    ") ORDER BY COALESCE(wake_at, 0), number LIMIT $1"
);

pub(crate) const REMOVE: &str = "DELETE FROM genkit_runs WHERE id = $1 RETURNING number";

/// Lists a page of runs. A parameter that is null does not restrict the list.
pub(crate) const LIST: &str = concat!(
    "SELECT id, status, wake_at, name, tags, error, created_at, updated_at FROM genkit_runs
    WHERE ",
    is_run!(),
    " AND id > $1 AND ($2 OR id !~ '^mcp-[ts]') AND ($3::text[] IS NULL OR status = ANY ($3))
        AND ($4::text IS NULL OR name = $4) AND ($5::text IS NULL OR tags <> '{}' AND tags @> ARRAY[$5])
        AND ($6::text IS NULL OR position($6 IN error) > 0)
        AND ($7::bigint IS NULL OR updated_at < $7) AND ($8::bigint IS NULL OR created_at < $8)
    ORDER BY id LIMIT $9"
);
