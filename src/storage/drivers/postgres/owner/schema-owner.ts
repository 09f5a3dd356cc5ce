/**
 * Ensures that only one service uses a schema: two would log in with the same accounts and send the same queued
 * messages.
 *
 * The owner holds an advisory lock on a separate connection. The server releases it when the connection ends, even
 * after a kill. Another service may then take the schema. The earlier owner cannot write, because its writers are
 * removed, and its process ends.
 */
import type { Takeover } from '../../../../domain/nodes.ts'
import { orLate } from '../../../../lib/deadline.ts'
import { momentNow } from '../../../shared-lease.ts'
import type { OpenOptions } from '../../../store-backend.ts'
import { connect, type Link, type Question } from '../link.ts'
import type { Target } from '../target.ts'
import { Fenced, TERMINATE } from '../writer.ts'
import { BEAT, BEAT_EVERY, HAS_ROW, NODES, nodeOf, nodesIn, showOwnerAgain, standbysOf } from './node-rows.ts'
import { CHECK_EVERY, createOwnerLease } from './owner-lease.ts'
import { createReconnect } from './reconnect.ts'
import { createRowWriter, isRefusal, type RowWriter } from './row-writer.ts'
import { isFree, isGranted, SILENCE } from './schema-lock.ts'
import { createSilenceWatch } from './silence-watch.ts'
import { createStandbyReach } from './standby-reach.ts'
import { addressesIn, CONNECTED, standbyQuestions } from './standbys.ts'
import { type TakeoverOptions, takeOverSchema } from './take-over-schema.ts'

export interface OwnerOptions extends TakeoverOptions {
  /** Asks on another connection of this process. */
  ask(question: Question): Promise<unknown[][]>
  /** True while the service closes the store and removes its writer, whose absence is then no error. */
  isClosing(): boolean
  onVisit(): void
  onOver: NonNullable<OpenOptions['onOver']>
  onUnreached: NonNullable<OpenOptions['onUnreached']>
  onUnlisted: NonNullable<OpenOptions['onUnlisted']>
  onNodes: NonNullable<OpenOptions['onNodes']>
  onHeld: NonNullable<OpenOptions['onHeld']>
}

const VISIT = {
  text: "INSERT INTO svc_meta AS m VALUES ('visits', '1') ON CONFLICT (key) DO UPDATE SET value = (m.value::bigint + 1)::text",
}
/** Columns that show the entry of the owner, and the entries of commands and other services. */
const SEEN = `EXISTS (SELECT FROM svc_writer WHERE id = $1), (SELECT value FROM svc_meta WHERE key = 'visits'), ${NODES}, ${CONNECTED}`
const LOOK_ONLY = `SELECT ${SEEN}, true`
/** Raises the counter of the owner first. */
const LOOK = `WITH ${BEAT} SELECT ${SEEN}, ${HAS_ROW}`
/**
 * Milliseconds without an answer after which the owner asks again almost at once. One lost connection stops the owner's
 * counter for three seconds, and a standby takes over after five.
 */
const LOOK_SILENCE = 2_000
const LOOK_AGAIN = 50

const OVER = 'Another service has taken over the store in PostgreSQL.'
const AWAY = 'The service cannot reach PostgreSQL, and its standby may take over.'

export async function ownSchema(target: Target, options: OwnerOptions): Promise<() => Promise<void>> {
  const { writer, turn, node, isClosing, onVisit, onOver } = options
  let link = turn?.link.isUp() ? turn.link : await connect(target, { name: 'owner' })
  let takeover: Takeover | undefined
  try {
    takeover = await takeOverSchema(link, target, options)
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
  const rowWriter = createRowWriter(options.onUnlisted)
  const askOn = lookOf(options, rowWriter)

  /** While the owner connects again, another connection shows its standby that it runs. */
  async function lookAgain(): Promise<unknown[][]> {
    former ??= link.backend
    const onNew = reconnect.next().then((made) => {
      link = made
      return askOn(made)
    })
    const onOther = orLate(options.ask({ text: LOOK, values: [writer, node.host ?? null] }), LOOK_SILENCE, () => {
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

/**
 * The returned function raises the counter of the owner, and reads the other entries. If the server refuses the counter,
 * it only reads, because the lease rests on the answer and not on the counter.
 */
const lookOf =
  ({ writer, node, isClosing }: OwnerOptions, rowWriter: RowWriter) =>
  async (link: Link): Promise<unknown[][]> => {
    try {
      const { rows } = await link.ask({ text: LOOK, values: [writer, node.host ?? null] }, LOOK_SILENCE)
      if (rows[0]!.at(-1)) rowWriter.note(undefined)
      return rows
    } catch (error) {
      if (!isRefusal(error)) throw error
      if (!isClosing()) rowWriter.note(error)
      return (await link.ask({ text: LOOK_ONLY, values: [writer] }, LOOK_SILENCE)).rows
    }
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
