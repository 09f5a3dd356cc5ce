/**
 * A trigger in the database of a test. It notes each write to a record of an instance by a service that has not claimed
 * the instance.
 */
type Sql = (text: string, values?: unknown[]) => Promise<Record<string, unknown>[]>

/**
 * The trigger finds the writer of a commit by `xmin`: the transaction of the commit has changed the writer's row, so
 * the row has the number of the transaction.
 */
const TRIGGER = `
  CREATE TABLE audit (scope uuid, key text, home uuid, service uuid, at timestamptz DEFAULT now());
  CREATE FUNCTION audit_home() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE row record; found uuid; home uuid;
  BEGIN
    row := coalesce(NEW, OLD);
    IF row.scope = '00000000-0000-0000-0000-000000000000' THEN RETURN NULL; END IF;
    SELECT coalesce(service, id) INTO found FROM svc_writer WHERE xmin::text::bigint = pg_current_xact_id()::text::bigint % (2^32)::bigint;
    SELECT writer INTO home FROM svc_home WHERE instance = row.scope;
    IF found IS DISTINCT FROM home THEN INSERT INTO audit (scope, key, home, service) VALUES (row.scope, row.key, home, found); END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER audit_home AFTER INSERT OR UPDATE OR DELETE ON svc_state FOR EACH ROW EXECUTE FUNCTION audit_home();
`

export interface HomeAudit {
  /** Resolves with at most 20 of the noted writes. */
  violations(): Promise<Record<string, unknown>[]>
}

export async function auditHomes(sql: Sql): Promise<HomeAudit> {
  await sql(TRIGGER)
  return { violations: () => sql('SELECT * FROM audit ORDER BY at LIMIT 20') }
}
