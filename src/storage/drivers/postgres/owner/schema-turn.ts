/**
 * Waits, as a standby, until no other service owns a schema, and then takes its lock. The standby changes nothing while
 * it waits.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Owner, TurnOptions } from '../../../store-backend.ts'
import { connect, type Link } from '../link.ts'
import type { Target } from '../target.ts'
import { createOwnerWatch, type OwnerLook } from './owner-watch.ts'
import { checkConnections, isGrantedSoon, OWNING, type SchemaTurn, SILENCE } from './schema-owner.ts'
import { addressesIn, nameStandby, OWNER_ADDRESS } from './standbys.ts'

/** Interval in ms at which the standby checks the owner. Callers wait for a standby that notices the end of the owner late. */
const LOOK_EVERY = 250
/** Interval in ms while the database does not answer. */
const TRY_EVERY = 1_000

/**
 * The connection that holds the lock. Its `id` includes its start time, because process numbers are reused. `classid`
 * and `objid` are the two halves of the lock's number.
 */
const HOLDER = `SELECT l.pid, concat(l.pid, ' ', a.backend_start) AS id, ${OWNER_ADDRESS} AS address FROM pg_locks l LEFT JOIN pg_stat_activity a ON a.pid = l.pid
  WHERE l.locktype = 'advisory' AND l.granted AND l.mode = 'ExclusiveLock' AND l.objsubid = 2 AND l.classid = ${OWNING}
  AND l.objid = hashtext(current_schema())::oid AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())`
const LOOK = {
  text: `SELECT h.id, n.writer, n.beat, n.name, h.address FROM (VALUES (1)) AS one LEFT JOIN (${HOLDER}) AS h ON true LEFT JOIN svc_node n ON true`,
}
/** Ends the connection that held the lock, unless another one holds it now, or its service has raised its counter. */
const END_OWNER = `SELECT pg_terminate_backend(pid) FROM (${HOLDER}) AS h
  WHERE id = $3 AND pid <> pg_backend_pid() AND EXISTS (SELECT FROM svc_node WHERE writer = $1 AND beat = $2)`

export async function waitForTurn(
  target: Target,
  { threads, address, signal, onWaiting, onTaking, onFailed, onDead }: TurnOptions,
): Promise<SchemaTurn> {
  async function connectAgain(): Promise<Link> {
    const made = await connect(target, { name: 'standby' })
    await made.ask(nameStandby(address), SILENCE)
    return made
  }
  const watch = createOwnerWatch(() => performance.now())
  let link = await connectAgain()
  try {
    await checkConnections(link, target, { threads, isStandby: true })
  } catch (error) {
    await link.end()
    throw error
  }

  async function look(): Promise<boolean> {
    if (!link.isUp()) link = await connectAgain()
    const askedAt = performance.now()
    const { name, linkAddress, ...found } = await lookAt(link)
    if (signal.aborted) return false
    const verdict = watch.judge(found, askedAt)
    if (verdict === 'alive') {
      onWaiting({ id: found.node?.writer, name, linkAddress })
      return false
    }
    onTaking()
    if (found.holder && found.node) {
      await link.ask({ text: END_OWNER, values: [found.node.writer, found.node.beat, found.holder] }, SILENCE)
    }
    watch.forget()
    if (!(await isGrantedSoon(link))) return false
    if (verdict === 'dead') onDead(name)
    return true
  }

  // A database that does not answer must not delay the stop.
  const cut = () => link.drop()
  signal.addEventListener('abort', cut)
  for (;;) {
    const begunAt = performance.now()
    let every = LOOK_EVERY
    const hasTurn = await look().catch((cause: unknown) => {
      if (signal.aborted) return false
      every = TRY_EVERY
      // The database cannot be reached, so it is unknown whether the owner still runs.
      watch.forget()
      link.drop()
      onFailed(cause)
      return false
    })
    if (hasTurn && !signal.aborted) {
      signal.removeEventListener('abort', cut)
      return { link }
    }
    // A slow check must not add to the interval, because the watch begins again after a long gap.
    await pause(Math.max(0, begunAt + every - performance.now()), undefined, { signal }).catch(() => {})
    if (!signal.aborted) continue
    // This also releases the lock of the schema, if it was just granted.
    await link.end()
    throw signal.reason
  }
}

async function lookAt(link: Link): Promise<OwnerLook & Pick<Owner, 'name' | 'linkAddress'>> {
  const [[holder, writer, beat, name, address]] = (await link.ask(LOOK, SILENCE)).rows as [
    [string | null, string | null, number, string | null, string | null],
  ]
  return {
    holder: holder ?? undefined,
    node: writer === null ? undefined : { writer, beat },
    name: name ?? undefined,
    linkAddress: addressesIn(address)[0],
  }
}
