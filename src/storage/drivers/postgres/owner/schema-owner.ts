/**
 * Ensures that only one service uses a schema: two would log in with the same accounts and send the same queued
 * messages.
 *
 * The owner holds an advisory lock on a separate connection. The server releases it when the connection ends, even
 * after a kill. Another service may then take the schema. The earlier owner cannot write, because its writers are
 * removed, and its process ends.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { BRAND } from '../../../../domain/brand.ts'
import type { Takeover } from '../../../../domain/nodes.ts'
import { orLate } from '../../../../lib/deadline.ts'
import { momentNow } from '../../../shared-lease.ts'
import type { OpenOptions, OwnNode, Turn } from '../../../store-backend.ts'
import { uuids } from '../arrays.ts'
import { codeOf, connect, type Link, type Question, UnfitServer } from '../link.ts'
import type { Target } from '../target.ts'
import { Fenced, REMOVE, TERMINATE } from '../writer.ts'
import {
  BEAT,
  BEAT_EVERY,
  createSilenceWatch,
  HAS_ROW,
  LOSE,
  NODES,
  nodeOf,
  nodesIn,
  showOwner,
  showOwnerAgain,
  standbysOf,
} from './node-rows.ts'
import { CHECK_EVERY, createOwnerLease } from './owner-lease.ts'
import { createReconnect } from './reconnect.ts'
import { createRowWriter, isRefusal } from './row-writer.ts'
import { createStandbyReach } from './standby-reach.ts'
import { addressesIn, CONNECTED, standbyQuestions } from './standbys.ts'

/** The right to own the schema, with the connection that holds the lock. */
export interface SchemaTurn extends Turn {
  link: Link
}

export interface OwnerOptions {
  writer: string
  threads: number
  /** The right that a standby has received, with the connection that already holds the lock. */
  turn?: SchemaTurn | undefined
  node: OwnNode
  /** Asks on another connection of this process. */
  ask(question: Question): Promise<unknown[][]>
  /** True while the service closes the store and removes its writer, whose absence is then no error. */
  isClosing(): boolean
  onVisit(): void
  /** Called if an earlier service did not shut down properly. */
  onTakenOver(): void
  onOver: NonNullable<OpenOptions['onOver']>
  onUnreached: NonNullable<OpenOptions['onUnreached']>
  onUnlisted: NonNullable<OpenOptions['onUnlisted']>
  onNodes: NonNullable<OpenOptions['onNodes']>
  onHeld: NonNullable<OpenOptions['onHeld']>
}

/** First half of the number of the advisory lock; it is arbitrary. The second half identifies the schema. */
export const OWNING = 7_632_142
const TAKE = { text: `SELECT pg_try_advisory_lock(${OWNING}, hashtext(current_schema()))` }
/** Keeps others from the lock until the end of the transaction. */
const RESERVE = { text: `SELECT pg_try_advisory_xact_lock(${OWNING}, hashtext(current_schema()))` }
/** This query takes a shared lock, which is released at the end of the statement. */
const IS_FREE = { text: `SELECT pg_try_advisory_xact_lock_shared(${OWNING}, hashtext(current_schema()))` }

const VISIT = {
  text: "INSERT INTO svc_meta AS m VALUES ('visits', '1') ON CONFLICT (key) DO UPDATE SET value = (m.value::bigint + 1)::text",
}
/** Columns that show the entry of the owner, and the entries of commands and other services. */
const SEEN = `EXISTS (SELECT FROM svc_writer WHERE id = $1), (SELECT value FROM svc_meta WHERE key = 'visits'), ${NODES}, ${CONNECTED}`
const LOOK_ONLY = `SELECT ${SEEN}, true`
/** Raises the counter of the owner first. */
const LOOK = `WITH ${BEAT} SELECT ${SEEN}, ${HAS_ROW}`
const NAME = { text: "SET application_name = 'svc owner'" }
const MARK = 'UPDATE svc_writer SET is_service = true WHERE id = $1'
/** The rows of earlier runs of the service. Rows of commands are removed after a day: those commands were killed. */
const EARLIER = "id <> $1 AND (is_service OR (service IS NULL AND made_at < now() - interval '1 day'))"
/** Locks the rows in the same order as a service that ends: its writer, and then its row in `svc_service`. */
const LOCK_EARLIER = `SELECT id FROM svc_writer WHERE ${EARLIER} FOR UPDATE`
/**
 * Ends connections that stand still in the middle of a transaction, and would hold their locks. A process that runs
 * notices the broken connection and checks whether its commit was stored. Programs that only read, such as `pg_dump`,
 * are not ended.
 */
const END_IDLE = {
  text: `SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a JOIN pg_locks l ON l.pid = a.pid AND l.relation = 'svc_writer'::regclass
  WHERE l.granted AND l.mode IN ('RowShareLock', 'RowExclusiveLock') AND a.state LIKE 'idle in transaction%'
  AND a.usename = current_user AND a.datname = current_database() AND a.pid <> pg_backend_pid()`,
}
/** Smallest of the connection limits of the server, the role and the database. */
const CONNECTIONS = {
  text: `SELECT least(current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
  nullif(rolconnlimit, -1), nullif(datconnlimit, -1)) FROM pg_roles, pg_database WHERE rolname = current_user AND datname = current_database()`,
}

/**
 * Number of connections in addition to the two connections of each thread: for the owner, the log, archives, and one
 * more during the start.
 */
const OTHER_CONNECTIONS = 4
/** Milliseconds within which the server should detect that the former owner was killed. */
const PATIENCE = 2_000
export const SILENCE = 3_000
/**
 * Milliseconds without an answer after which the owner asks again almost at once. One lost connection stops the owner's
 * counter for three seconds, and a standby takes over after five.
 */
const LOOK_SILENCE = 2_000
const LOOK_AGAIN = 50

const DEADLOCK = '40P01'

const OVER = 'Another service has taken over the store in PostgreSQL.'
const AWAY = 'The service cannot reach PostgreSQL, and its standby may take over.'

export async function ownSchema(target: Target, options: OwnerOptions): Promise<() => Promise<void>> {
  const { writer, turn, node, isClosing, onVisit, onOver } = options
  let link = turn?.link.isUp() ? turn.link : await connect(target, { name: 'owner' })
  let takeover: Takeover | undefined
  try {
    takeover = await takeOver(link, target, options)
  } catch (error) {
    await link.end()
    throw error
  }

  let former: Link['backend'] | undefined
  let visits: unknown
  let isFirst = true
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<unknown> = Promise.resolve()

  const { doesNotTakeOver, isReached } = standbyQuestions(writer)
  const lease = createOwnerLease({
    now: momentNow,
    doesNotTakeOver,
    onHeld: options.onHeld,
    onEnded() {
      if (!isClosing()) onOver(new Fenced('The database cannot be reached from here, and its standby may take over.'), AWAY)
    },
  })

  const noteStandbys = createStandbyReach({ isReached, onUnreached: options.onUnreached })

  const reconnect = createReconnect(() => connect(target, { name: 'owner' }), BEAT_EVERY)
  const question = { text: LOOK, values: [writer, node.host ?? null] }
  const rowWriter = createRowWriter(options.onUnlisted)

  async function askOn(used: Link): Promise<unknown[][]> {
    try {
      const { rows } = await used.ask(question, LOOK_SILENCE)
      if (rows[0]!.at(-1)) rowWriter.note(undefined)
      return rows
    } catch (error) {
      if (!isRefusal(error)) throw error
      // Only the counter is refused. The lease rests on the answer, and not on the counter.
      if (!isClosing()) rowWriter.note(error)
      return (await used.ask({ text: LOOK_ONLY, values: [writer] }, LOOK_SILENCE)).rows
    }
  }

  /** While the owner connects again, another connection shows its standby that it runs. */
  async function lookAgain(): Promise<unknown[][]> {
    former ??= link.backend
    const onNew = reconnect.next().then((made) => {
      link = made
      return askOn(made)
    })
    const onOther = orLate(options.ask(question), LOOK_SILENCE, () => {
      throw new Error('The other connections get no answer either.')
    })
    return Promise.any([onNew, onOther])
  }

  const watched = createSilenceWatch(() => momentNow().monotonic)
  /** Somebody has changed or removed the row. Without it, no standby would notice that this service stands still. */
  const showAgain = () => rowWriter.write(link, showOwnerAgain(node, writer, takeover), LOOK_SILENCE)

  async function look(): Promise<void> {
    const sentAt = momentNow()
    const rows = await (link.isUp() ? askOn(link) : lookAgain())
    const [isThere, found, text, connected, hasRow] = rows[0] as [boolean, unknown, unknown, unknown, boolean]
    if (!isThere) {
      if (!isClosing()) onOver(new Fenced('The database has no entry of this service as its writer: somebody removed it.'), OVER)
      return
    }
    const nodes = watched(nodesIn(text), sentAt.monotonic)
    const { present, possible } = standbysOf(nodes, addressesIn(connected))
    lease.renew(sentAt, possible)
    noteStandbys(present)
    options.onNodes(nodes.map((each) => nodeOf(each, node.id)))
    if (!hasRow && link.isUp()) await showAgain()
    if (former && link.isUp()) {
      // The server process of the broken connection may still run and hold the lock.
      await link.ask({ text: TERMINATE, values: [[former[0]], [former[1]]] }, SILENCE)
      if (!(await isGranted(link))) return link.drop()
      former = undefined
    }
    if (!isFirst && found !== visits) onVisit()
    isFirst = false
    visits = found
  }

  const later = (pauseMs: number) => {
    timer = setTimeout(() => {
      const beganAt = performance.now()
      // An error of `look` is not reported, because commits and reads report that the database cannot be reached.
      looking = look()
        .then(
          () => BEAT_EVERY,
          () => {
            link.drop()
            // An attempt that took long enough is followed by the next one almost at once.
            const tookMs = performance.now() - beganAt
            return pauseMs === BEAT_EVERY ? LOOK_AGAIN : Math.max(LOOK_AGAIN, BEAT_EVERY - tookMs)
          },
        )
        .then((nextMs) => timer && later(nextMs))
    }, pauseMs)
    timer.unref()
  }
  try {
    await look()
  } catch (error) {
    await link.end()
    throw error
  }
  later(BEAT_EVERY)
  const checking = setInterval(() => void lease.check(), CHECK_EVERY)
  checking.unref()

  return async () => {
    clearInterval(checking)
    clearTimeout(timer)
    timer = undefined
    reconnect.stop()
    await looking
    await link.end()
  }
}

async function takeOver(link: Link, target: Target, options: OwnerOptions): Promise<Takeover | undefined> {
  await checkConnections(link, target, { threads: options.threads })
  await take(link, target)
  await link.ask(NAME, SILENCE)
  await link.ask(END_IDLE, SILENCE)
  return replaceEarlier(link, options).catch(async (error) => {
    if (codeOf(error) !== DEADLOCK) throw error
    // A thread of the former owner was starting again, and locked the same rows in another order.
    await link.ask({ text: 'ROLLBACK' }, SILENCE)
    return replaceEarlier(link, options)
  })
}

/**
 * One transaction, because this service may be killed at any step. The former owner would then go on with its writer but
 * without its row. If this rejects, the transaction must be undone.
 *
 * If the machine of this service fails within the transaction, the server holds the locks until it notices that (eleven
 * seconds). The former owner cannot raise its counter meanwhile, and its lease ends.
 */
async function replaceEarlier(link: Link, { writer, turn, node, onTakenOver }: OwnerOptions): Promise<Takeover | undefined> {
  const ask = async (text: string, values?: unknown[]) => (await link.ask({ text, ...(values && { values }) }, SILENCE)).rows
  await ask('BEGIN')
  await ask(MARK, [writer])
  const ended = uuids((await ask(LOCK_EARLIER, [writer])).flat() as string[])
  /** Without the row, the service takes over all the same. The beat stores it when the server takes it again. */
  async function show(question: Question): Promise<unknown[]> {
    await ask('SAVEPOINT shown')
    return link.ask(question, SILENCE).then(
      ({ rows }) => rows.flat(),
      async (error) => {
        if (!isRefusal(error)) throw error
        await ask('ROLLBACK TO SAVEPOINT shown')
        return []
      },
    )
  }
  // If this is refused, the next statement removes the rows of the services with their writers.
  const [lost] = (await show({ text: LOSE, values: [ended] })) as string[]
  const hasFailed = (await ask(REMOVE, [ended])).some(([isService]) => isService)
  const takeover = takeoverOf(hasFailed, lost ?? turn?.former)
  await show(showOwner(node, writer, takeover))
  await ask('COMMIT')
  if (hasFailed) onTakenOver()
  return takeover
}

function takeoverOf(hasFailed: boolean, from: string | undefined): Takeover | undefined {
  if (hasFailed) return { from, cause: 'failure' }
  return from === undefined ? undefined : { from, cause: 'planned' }
}

/** Whether a service owns the schema. The owner is also notified that a command has written something to the store. */
export async function isOwned(target: Target): Promise<boolean> {
  const link = await connect(target, { name: 'visitor' })
  try {
    await link.ask(VISIT, SILENCE)
    return !(await isFree(link))
  } finally {
    await link.end()
  }
}

const isGranted = async (link: Link): Promise<boolean> => (await link.ask(TAKE, SILENCE)).rows[0]![0] as boolean

const isFree = async (link: Link): Promise<boolean> => (await link.ask(IS_FREE, SILENCE)).rows[0]![0] as boolean

/** Resolves with false if another process keeps the lock. Otherwise nobody gets it until the end of the transaction. */
export const isReservedSoon = (link: Link): Promise<boolean> =>
  isSoon(async () => (await link.ask(RESERVE, SILENCE)).rows[0]![0] as boolean)

/** Resolves with false if another process keeps the lock. */
export const isGrantedSoon = (link: Link): Promise<boolean> => isSoon(() => isGranted(link))

/**
 * Repeats a query until its answer is true, for as long as the server needs to release the lock of an ended process.
 */
async function isSoon(isTrue: () => Promise<boolean>): Promise<boolean> {
  const until = performance.now() + PATIENCE
  while (!(await isTrue())) {
    if (performance.now() > until) return false
    await pause(50)
  }
  return true
}

async function take(link: Link, { shown }: Target): Promise<void> {
  if (await isGrantedSoon(link)) return
  throw new Error(
    `Another ${BRAND} runs on the store in ${shown}; stop that one, or give this one a schema of its own (?schema= in the URL of the store).`,
  )
}

/**
 * Throws a sentence for the operator if the server allows too few connections. A standby needs its own in addition to
 * those of the service that it replaces.
 */
export async function checkConnections(
  link: Link,
  { shown }: Target,
  { threads, isStandby = false }: { threads: number; isStandby?: boolean },
): Promise<void> {
  const allowed = (await link.ask(CONNECTIONS, SILENCE)).rows[0]![0] as number
  const own = 2 * threads + OTHER_CONNECTIONS
  const needed = isStandby ? 2 * own : own
  if (allowed >= needed) return
  const whose = isStandby ? 'this service and the one whose standby it is need' : 'this service needs'
  throw new UnfitServer(
    `The PostgreSQL server of the store (${shown}) allows ${allowed} connections, and ${whose} ${needed}; raise max_connections or the limit of the role or database, or lower SVC_SHARDS.`,
  )
}
