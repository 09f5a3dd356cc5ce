/**
 * Waits, as a standby, until no other service owns a schema, and then takes its lock. While it waits, the standby
 * changes only its own row in `svc_service`.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { orLate } from '../../../../lib/deadline.ts'
import { orAborted } from '../../../../lib/or-aborted.ts'
import type { Owner, TurnOptions } from '../../../store-backend.ts'
import { connect, type Link } from '../link.ts'
import type { Target } from '../target.ts'
import { HAS_MEMBERS } from './member-lock.ts'
import { BEAT_EVERY, removeNode, showStandby } from './node-rows.ts'
import { createOwnerWatch, type OwnerLook } from './owner-watch.ts'
import { createRowWriter } from './row-writer.ts'
import { isGrantedSoon, isLock, OF_SCHEMA, OWNING, type SchemaTurn, SILENCE } from './schema-lock.ts'
import { nameStandby } from './standbys.ts'
import { checkConnections } from './take-over-schema.ts'

/**
 * Interval in ms at which the standby checks the owner. It is short, because callers wait until the standby has noticed
 * the end of the owner.
 */
const LOOK_EVERY = 250
/** Interval in ms of the checks while the database does not answer. */
const TRY_EVERY = 1_000
/** The service that needs connections at the same time as the standby: the one that the standby replaces. */
const OWNER = { count: 1, names: 'the one whose standby it is' }
/** Milliseconds within which the row of a standby that stops must be removed. */
const REMOVED_WITHIN = 1_000

/**
 * SQL that returns the connection that holds the lock. The `id` includes the start time, because process numbers are
 * reused.
 */
const HOLDER = `SELECT l.pid, concat(l.pid, ' ', a.backend_start) AS id FROM pg_locks l LEFT JOIN pg_stat_activity a ON a.pid = l.pid
  WHERE ${isLock('l', OWNING)} AND l.mode = 'ExclusiveLock' AND ${OF_SCHEMA}`
const LOOK = {
  text: `SELECT ${HAS_MEMBERS}, h.id, n.writer, n.beat, n.name, n.host, n.peer_port FROM (VALUES (1)) AS one LEFT JOIN (${HOLDER}) AS h ON true LEFT JOIN svc_service n ON n.writer IS NOT NULL`,
}
/**
 * Ends the connection that held the lock, unless another connection holds the lock now, or the service of the
 * connection has raised its counter.
 */
const END_OWNER = `SELECT pg_terminate_backend(pid) FROM (${HOLDER}) AS h
  WHERE id = $3 AND pid <> pg_backend_pid() AND EXISTS (SELECT FROM svc_service WHERE writer = $1 AND beat = $2)`

/**
 * Error for a schema that members of a cluster use, so that there is no owner that a standby could replace. The message
 * is a sentence for the operator.
 */
class UsedByMembers extends Error {}

/**
 * Manages the connection of a standby. If the signal is aborted, the connection is dropped, or the attempt to connect
 * ends.
 */
function createStandbyLink(target: Target, { node, signal }: Pick<TurnOptions, 'node' | 'signal'>) {
  let link: Link | undefined
  const drop = () => link?.drop()
  signal.addEventListener('abort', drop)
  return {
    /** Connects if there is no connection. */
    async use(): Promise<Link> {
      if (link?.isUp()) return link
      link = await orAborted(connect(target, { name: 'standby' }), signal, (late) => late.drop())
      await link.ask(nameStandby(node), SILENCE)
      return link
    },
    drop,
    end: async () => link?.end(),
    /** Must be called when the signal must no longer drop the connection. */
    detach: () => signal.removeEventListener('abort', drop),
  }
}

export async function waitForTurn(
  target: Target,
  { threads, node, signal, isReady = () => true, onWaiting, onUnlisted, onTaking, onFailed, onDead }: TurnOptions,
): Promise<SchemaTurn> {
  // The signal drops the connection, because a database that does not answer must not delay the stop.
  const connection = createStandbyLink(target, { node, signal })
  const watch = createOwnerWatch(() => performance.now())
  let shownAt = Number.NEGATIVE_INFINITY
  let former: string | undefined
  let isReached = false
  const rowWriter = createRowWriter((cause) => onUnlisted?.(cause))

  async function show(link: Link): Promise<void> {
    if (!isReady() || performance.now() - shownAt < BEAT_EVERY) return
    shownAt = performance.now()
    // The server may refuse the row. That does no harm, because the owner also finds this standby by the name of its
    // connection.
    await rowWriter.write(link, showStandby(node), SILENCE)
  }

  /** Resolves with the connection that holds the lock; undefined if another service may still run. */
  async function look(): Promise<Link | undefined> {
    const link = await connection.use()
    await show(link)
    const askedAt = performance.now()
    const { name, linkAddress, ...found } = await lookAt(link, target)
    if (signal.aborted) return undefined
    isReached = true
    const verdict = watch.judge(found, askedAt)
    if (verdict === 'alive') {
      if (found.node) former = name
      onWaiting({ id: found.node?.writer, name, linkAddress })
      return undefined
    }
    onTaking()
    if (verdict === 'still' && found.node) {
      await link.ask({ text: END_OWNER, values: [found.node.writer, found.node.beat, found.holder] }, SILENCE)
    }
    watch.forget()
    if (!(await isGrantedSoon(link))) return undefined
    if (verdict !== 'free') onDead(name)
    return link
  }

  async function untilGranted(): Promise<Link> {
    await checkConnections(await connection.use(), target, { threads, beside: OWNER })
    for (;;) {
      const begunAt = performance.now()
      let every = LOOK_EVERY
      const link = await look().catch((cause: unknown) => {
        signal.throwIfAborted()
        if (cause instanceof UsedByMembers) throw cause
        every = TRY_EVERY
        // The database cannot be reached, so it is unknown whether the owner still runs.
        watch.forget()
        connection.drop()
        isReached = false
        onFailed(cause)
        return undefined
      })
      signal.throwIfAborted()
      if (link !== undefined) return link
      // A slow check must not add to the interval, because the watch begins again after a long gap.
      await pause(Math.max(0, begunAt + every - performance.now()), undefined, { signal })
    }
  }

  try {
    return { link: await untilGranted(), former }
  } catch (error) {
    // This also releases the lock of the schema, if it was just granted.
    await connection.end()
    // The time is limited, because a database that does not answer must not delay the stop.
    if (isReached) await orLate(remove(target, node), REMOVED_WITHIN, () => {})
    throw signal.aborted ? signal.reason : error
  } finally {
    connection.detach()
  }
}

/** Removes the row of this standby. Never rejects: a row that remains is shown as a lost service for an hour. */
async function remove(target: Target, node: TurnOptions['node']): Promise<void> {
  const link = await connect(target, { name: 'standby' }).catch(() => undefined)
  await link?.ask(removeNode(node), SILENCE).catch(() => {})
  await link?.end()
}

async function lookAt(link: Link, { shown }: Target): Promise<OwnerLook & Pick<Owner, 'name' | 'linkAddress'>> {
  const [[isShared, holder, writer, beat, name, host, peerPort]] = (await link.ask(LOOK, SILENCE)).rows as [
    [boolean, string | null, string | null, number, string | null, string | null, number | null],
  ]
  if (isShared)
    throw new UsedByMembers(
      `Services with SVC_CLUSTER=on use the store in ${shown}, and none of them needs a standby; start this one with SVC_CLUSTER=on instead of SVC_STANDBY=on.`,
    )
  return {
    holder: holder ?? undefined,
    node: writer === null ? undefined : { writer, beat },
    name: name ?? undefined,
    linkAddress: host === null || peerPort === null ? undefined : { host, port: peerPort },
  }
}
