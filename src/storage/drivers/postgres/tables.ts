import { NO_INSTANCE } from './places.ts'

/**
 * Format of the tables. It must also be raised with the version of a kind of record (`repository.ts`): members of two
 * releases use a store of one format at the same time, and the older ones cannot read newer records. The test
 * `format.test.ts` fails when a kind, a version or a column changes.
 */
export const FORMAT = 6

/** Number of the advisory lock that lets only one of several threads create the tables. The number is arbitrary. */
const MAKING = 7_632_141

/** Columns that stores of the present format may lack. A release that does not know them leaves their values alone. */
const ADDED = [
  { table: 'svc_home', column: 'taken_over_at', type: 'timestamptz' },
  { table: 'svc_service', column: 'leaving', type: 'boolean NOT NULL DEFAULT false' },
] as const

/** SQL that is true if the store has all columns of `ADDED`. */
const hasAdded = (schema: string) =>
  ADDED.map(
    ({ table, column }) =>
      `EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass('"${schema}".${table}') AND attname = '${column}')`,
  ).join(' AND ')

/**
 * Query that tells whether the schema, its first table and the columns that were added later exist. The schema name
 * needs no escaping, but it needs quotes, because it may be a reserved word of SQL.
 */
export const tablesExist = (schema: string) => ({
  text: `SELECT to_regnamespace('"${schema}"') IS NOT NULL, to_regclass('"${schema}".svc_meta') IS NOT NULL, ${hasAdded(schema)}`,
})

/**
 * Returns the SQL that creates missing tables in one transaction, and adds the missing columns of `ADDED`.
 *
 * - Most values are encrypted, so PostgreSQL cannot compress them, and `EXTERNAL` prevents the attempt.
 * - Rows of queue, outbox and media are inserted and deleted, so the vacuum begins early and makes no pauses.
 * - `svc_writer` has a row for each run of a thread, which changes with every commit. Pages are mostly empty, so that
 *   the index need not change with the row. Ids are random, because a sequence could give a number again after a
 *   failover. The removal of a main thread's row removes the rows of its other threads.
 * - `svc_service` has a row for each service. Its counter `beat` grows every second. Only rows of active services have
 *   a `writer`. `leaving` is true while a member gives its instances to the others.
 * - `svc_home` has a row for each instance. `writer` is the main thread's writer of the service that may write the
 *   records of the instance. `writer` is no foreign key, so that a takeover changes no row per instance. `epoch` is the
 *   number of claims.
 * - `svc_cluster` has one row with the version of the records that every service has in memory.
 * - `svc_change` lists which keys changed in which version.
 */
export const makeTables = (schema: string, hasSchema: boolean) => ({
  text: `
SELECT pg_advisory_xact_lock(${MAKING});
${hasSchema ? '' : `CREATE SCHEMA IF NOT EXISTS "${schema}";`}
CREATE TABLE IF NOT EXISTS "${schema}".svc_state (
  scope uuid NOT NULL DEFAULT '${NO_INSTANCE}',
  key text COLLATE "C" NOT NULL,
  value bytea NOT NULL,
  PRIMARY KEY (scope, key)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0, toast.autovacuum_vacuum_cost_delay = 0);
${storeAsIs(schema, 'svc_state', 'value')};
CREATE TABLE IF NOT EXISTS "${schema}".svc_writer (
  id uuid PRIMARY KEY,
  service uuid REFERENCES "${schema}".svc_writer ON DELETE CASCADE,
  thread int,
  is_service boolean NOT NULL DEFAULT false,
  made_at timestamptz NOT NULL DEFAULT now(),
  seq bigint NOT NULL DEFAULT 0,
  generation int NOT NULL DEFAULT 0,
  is_over boolean NOT NULL DEFAULT false
) WITH (fillfactor = 20);
CREATE TABLE IF NOT EXISTS "${schema}".svc_service (
  id uuid PRIMARY KEY,
  writer uuid REFERENCES "${schema}".svc_writer ON DELETE CASCADE,
  name text NOT NULL,
  release text NOT NULL,
  state text NOT NULL,
  host text NOT NULL,
  port int,
  peer_port int,
  leaving boolean NOT NULL DEFAULT false,
  since timestamptz NOT NULL DEFAULT now(),
  beat bigint NOT NULL DEFAULT 0,
  seen_at timestamptz NOT NULL DEFAULT now(),
  former text,
  takeover text
) WITH (fillfactor = 20);
CREATE TABLE IF NOT EXISTS "${schema}".svc_home (
  instance uuid PRIMARY KEY,
  writer uuid,
  wanted uuid,
  epoch bigint NOT NULL,
  taken_over_at timestamptz
) WITH (fillfactor = 50);
${addColumns(schema)};
CREATE TABLE IF NOT EXISTS "${schema}".svc_cluster (one boolean PRIMARY KEY DEFAULT true CHECK (one), version bigint NOT NULL DEFAULT 0) WITH (fillfactor = 20);
INSERT INTO "${schema}".svc_cluster DEFAULT VALUES ON CONFLICT DO NOTHING;
CREATE TABLE IF NOT EXISTS "${schema}".svc_change (
  version bigint NOT NULL,
  key text COLLATE "C" NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (version, key)
);
CREATE INDEX IF NOT EXISTS svc_change_at ON "${schema}".svc_change (at);
CREATE TABLE IF NOT EXISTS "${schema}".svc_key (name text PRIMARY KEY, first bytea, second bytea);
CREATE TABLE IF NOT EXISTS "${schema}".svc_blob (
  owner text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  size bigint NOT NULL,
  piece int NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (owner, name, size, piece)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0, toast.autovacuum_vacuum_cost_delay = 0);
${storeAsIs(schema, 'svc_blob', 'bytes')};
CREATE TABLE IF NOT EXISTS "${schema}".svc_meta (key text PRIMARY KEY, value text NOT NULL);
INSERT INTO "${schema}".svc_meta AS m VALUES ('format', '${FORMAT}')
  ON CONFLICT (key) DO UPDATE SET value = greatest(m.value::int, EXCLUDED.value::int)::text`,
})

/**
 * Returns the SQL that prevents compression of a column. The statement that changes the column waits for all users of
 * the table, so it is left out if it would change nothing.
 */
const storeAsIs = (schema: string, table: string, column: string) => `DO $$ BEGIN
  IF EXISTS (SELECT FROM pg_attribute WHERE attrelid = '"${schema}".${table}'::regclass AND attname = '${column}' AND attstorage <> 'e') THEN
    ALTER TABLE "${schema}".${table} ALTER COLUMN ${column} SET STORAGE EXTERNAL;
  END IF;
END $$`

/**
 * Statement that adds the missing columns of `ADDED`. While it waits for the users of a table, later users wait for it.
 * So each attempt waits for 200 ms only, and the last one fails after about four seconds.
 */
const addColumns = (schema: string) => `DO $$ BEGIN
  IF NOT (${hasAdded(schema)}) THEN
    SET LOCAL lock_timeout = '200ms';
    FOR attempt IN 1..6 LOOP
      BEGIN
        ${ADDED.map(({ table, column, type }) => `ALTER TABLE "${schema}".${table} ADD COLUMN IF NOT EXISTS ${column} ${type};`).join('\n        ')}
        EXIT;
      EXCEPTION WHEN lock_not_available THEN
        IF attempt = 6 THEN RAISE; END IF;
      END;
      PERFORM pg_sleep(0.5);
    END LOOP;
    SET LOCAL lock_timeout = 0;
  END IF;
END $$`
