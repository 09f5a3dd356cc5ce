/**
 * The work of a service while it uses a schema, as its owner or as a member of a cluster: the service raises its
 * counter, looks for the other services, and renews its lease.
 */
import type { StandbyAddress } from '../../../../domain/standby-address.ts'
import { momentNow } from '../../../shared-lease.ts'
import type { OpenOptions, OwnNode } from '../../../store-backend.ts'
import { connect, type Link, type Question } from '../link.ts'
import type { Target } from '../target.ts'
import { Fenced } from '../writer.ts'
import { LOOK_SILENCE, type Seen, startLooks } from './looks.ts'
import { type ActiveNode, BEAT, HAS_ROW, NODES, type NodeRow, nodeOf, nodesIn, showActiveAgain } from './node-rows.ts'
import { CHECK_EVERY, createOwnerLease } from './owner-lease.ts'
import { createRowWriter, isRefusal, type RowWriter } from './row-writer.ts'
import { createSilenceWatch } from './silence-watch.ts'
import { createStandbyReach } from './standby-reach.ts'

type Listeners = Pick<OpenOptions, 'onOver' | 'onUnreached' | 'onUnlisted' | 'onNodes' | 'onHeld'>

export interface HoldOptions extends Required<{ [K in keyof Listeners]: NonNullable<Listeners[K]> }> {
  writer: string
  node: OwnNode
  /** Sends a query on another connection of this process. */
  ask(question: Question): Promise<unknown[][]>
  /** True while the service closes the store and removes its writer, whose absence is then no error. */
  isClosing(): boolean
  onVisit(): void
}

/** Services that could replace this one, with the addresses at which they are asked whether they reach the database. */
export interface Rivals<Rival> {
  /** Services that run at the moment. */
  present: (Rival & StandbyAddress)[]
  /** Services that may replace this one, including services that are silent now and may return. */
  possible: Rival[]
}

/** How a service uses a schema: alone, or with others. */
export interface Holding<Rival> extends Pick<ActiveNode, 'state' | 'takeover'> {
  isLeaving?(): boolean
  /** Name of the connection that holds the locks. */
  connection: string
  /** SQL of a column that each look reads. `rivalsIn` and `onSeen` get its value. */
  column: string
  lock(link: Link): Promise<boolean>
  /** Runs before each look on the connection that holds the locks, while no look is under way. Must not reject. */
  beforeLook?(link: Link): Promise<void>
  rivalsIn(nodes: readonly NodeRow[], column: unknown): Rivals<Rival>
  onSeen?(nodes: readonly NodeRow[], column: unknown, seen: Seen): void
  doesNotTakeOver(rival: Rival): Promise<boolean>
  isReached(rival: Rival & StandbyAddress): Promise<boolean>
  /** True if a service that this one does not know yet may replace it while this one cannot reach the database. */
  mayGetRivals?: boolean
  /** The sentence with which this service ends when it cannot reach the database and a rival can. */
  away: string
  /** The sentence with which this service ends when its writer was removed. */
  over: string
}

/** Columns: whether the writer of this service exists, a counter that commands raise, and the rows of all services. */
const SEEN = `EXISTS (SELECT FROM svc_writer WHERE id = $1), (SELECT value FROM svc_meta WHERE key = 'visits'), ${NODES}`

/**
 * Begins the work of a service that uses a schema, and resolves with a function that ends this work. `link` must
 * already hold the locks.
 */
export async function holdSchema<Rival>(
  link: Link,
  target: Target,
  options: HoldOptions,
  holding: Holding<Rival>,
): Promise<() => Promise<void>> {
  const { writer, node, isClosing, onVisit, onOver } = options
  const { state, isLeaving = () => false, takeover, connection, away, over } = holding
  let visits: unknown
  let isFirst = true

  const lease = createOwnerLease<Rival>({
    now: momentNow,
    doesNotTakeOver: holding.doesNotTakeOver,
    mayGetRivals: holding.mayGetRivals,
    onHeld: options.onHeld,
    onEnded() {
      if (!isClosing()) onOver(new Fenced('The database cannot be reached from here, and another service may reach it.'), away)
    },
  })
  const noteRivals = createStandbyReach<Rival & StandbyAddress>({
    isReached: holding.isReached,
    onUnreached: options.onUnreached,
  })
  const watched = createSilenceWatch(() => momentNow().monotonic)
  const rowWriter = createRowWriter(options.onUnlisted)
  const looks = looksOf(options, holding, rowWriter)

  async function onSeen(seen: Seen): Promise<boolean> {
    const [isThere, found, text, others, hasRow] = seen.row as [boolean, unknown, unknown, unknown, boolean]
    if (!isThere) {
      if (!isClosing()) onOver(new Fenced('The database has no entry of this service as its writer: somebody removed it.'), over)
      return false
    }
    const nodes = watched(nodesIn(text), seen.sentAt.monotonic)
    const { present, possible } = holding.rivalsIn(nodes, others)
    lease.renew(seen.sentAt, possible)
    noteRivals(present)
    options.onNodes(nodes.map((each) => nodeOf(each, node.id)))
    // If somebody has changed or removed the row, it is written again. Without it, nobody would notice that this
    // service hangs.
    if (!hasRow && seen.link)
      await rowWriter.write(seen.link, showActiveAgain({ node, writer, state, isLeaving: isLeaving(), takeover }), LOOK_SILENCE)
    if (!isFirst && found !== visits) onVisit()
    isFirst = false
    visits = found
    holding.onSeen?.(nodes, others, seen)
    return true
  }

  const stopLooks = await startLooks({
    link,
    connect: () => connect(target, { name: connection }),
    ...looks,
    beforeLook: holding.beforeLook,
    lock: holding.lock,
    onSeen,
  })
  const checking = setInterval(() => void lease.check(), CHECK_EVERY)
  checking.unref()
  return () => {
    clearInterval(checking)
    return stopLooks()
  }
}

/**
 * Returns the queries of a look, which raises the counter of this service and reads the rows. If the server refuses the
 * counter, the look only reads, because the lease depends on the answer and not on the counter.
 */
function looksOf(
  { writer, node, ask, isClosing }: HoldOptions,
  { column, isLeaving = () => false }: Pick<Holding<never>, 'column' | 'isLeaving'>,
  rowWriter: RowWriter,
) {
  const look = (): Question => ({
    text: `WITH ${BEAT} SELECT ${SEEN}, ${column}, ${HAS_ROW}`,
    values: [writer, node.host ?? null, isLeaving()],
  })
  const readOnly: Question = { text: `SELECT ${SEEN}, ${column}, true`, values: [writer] }
  return {
    askElsewhere: async () => (await ask(look()))[0]!,
    async ask(link: Link): Promise<unknown[]> {
      try {
        const [row] = (await link.ask(look(), LOOK_SILENCE)).rows
        if (row!.at(-1)) rowWriter.note(undefined)
        return row!
      } catch (error) {
        if (!isRefusal(error)) throw error
        if (!isClosing()) rowWriter.note(error)
        return (await link.ask(readOnly, LOOK_SILENCE)).rows[0]!
      }
    },
  }
}
