/**
 * A member of a cluster: one of several services that use a schema at the same time. Every member watches all others, and
 * removes the writers of those that no longer run, whose instances can then be claimed.
 *
 * A member that was removed by mistake can store nothing, and its process ends. So a mistake costs some connections, and
 * no record.
 */
import { BRAND } from '../../../../domain/brand.ts'
import type { Takeover } from '../../../../domain/nodes.ts'
import type { ClusterOptions, Member, Members } from '../../../members.ts'
import { momentNow } from '../../../shared-lease.ts'
import { connect, type Link } from '../link.ts'
import type { Target } from '../target.ts'
import { endIdle, replaceEarlier } from './end-services.ts'
import { type HoldOptions, holdSchema, type Rivals } from './hold-schema.ts'
import { IS_CONNECTED, isJoined, isJoinedSoon, SERVICES, servicesIn } from './member-lock.ts'
import { LOST_AFTER, MAY_RETURN_WITHIN, membersIn, type NodeRow } from './node-rows.ts'
import { createNodeWatch, LONGEST_GAP, type NodeLook } from './node-watch.ts'
import { removeMembers } from './remove-members.ts'
import { SILENCE } from './schema-lock.ts'
import { PATIENCE } from './standbys.ts'
import { checkConnections, type TakeoverOptions } from './take-over-schema.ts'

export interface MemberOptions extends Omit<TakeoverOptions, 'turn'>, HoldOptions {
  cluster: ClusterOptions
  members: MemberList
}

export interface MemberList extends Members {
  /** Notes the members that are alive, runs the rest of the look, and then tells the listeners. */
  note(others: readonly Member[], rest: () => Promise<void>): Promise<void>
}

export function createMemberList(now = () => momentNow().monotonic): MemberList {
  let others: readonly Member[] = []
  const listeners: (() => void)[] = []
  let lookedAt = Number.NEGATIVE_INFINITY
  return {
    others: () => others,
    onLook: (listener) => void listeners.push(listener),
    reachesStore: () => now() - lookedAt <= LONGEST_GAP,
    async note(found, rest) {
      others = found
      // The rest may remove members, and take longer than the time between two looks.
      lookedAt = Number.POSITIVE_INFINITY
      try {
        await rest()
      } finally {
        lookedAt = now()
      }
      for (const listener of listeners) listener()
    },
  }
}

const CONNECTION = 'member'
const AWAY = 'The service cannot reach PostgreSQL, and another member of its cluster may reach it.'
/**
 * SQL that is true if the writer `w` does not belong to a member: a service that owned the schema alone has no lock now.
 * A member without its lock may only be connecting again.
 */
const IS_ALONE = `NOT EXISTS (SELECT FROM svc_service n WHERE n.writer = w.id AND n.state = 'member') AND NOT ${IS_CONNECTED}`
/** Milliseconds for which a connection stands still in the middle of a transaction of a service that no longer runs. */
const IDLE = 2_000

/** The members whose addresses are known have all properties. */
type Rival = Pick<Member, 'id'> & Partial<Member>

export async function joinSchema(target: Target, options: MemberOptions): Promise<() => Promise<void>> {
  const { writer, cluster, members } = options
  const link = await connect(target, { name: CONNECTION })
  let takeover: Takeover | undefined
  try {
    takeover = await join(link, target, options)
  } catch (error) {
    await link.end()
    throw error
  }
  const watch = createNodeWatch(() => momentNow().monotonic)
  const othersIn = (column: unknown) => servicesIn(column).filter(({ id }) => id !== writer)
  const answerOf = async (rival: Rival) => (isAddressed(rival) ? cluster.ask(rival, AbortSignal.timeout(PATIENCE)) : undefined)

  return holdSchema<Rival>(link, target, options, {
    state: 'member',
    takeover,
    connection: CONNECTION,
    column: SERVICES,
    lock: (made) => isJoined(made, writer),
    rivalsIn: (nodes, column) => rivalsOf(nodes, writer, othersIn(column)),
    async onSeen(nodes, column, { sentAt, link: own, isLocked }) {
      const services = othersIn(column)
      const verdicts = watch.judge(services, sentAt.monotonic)
      const isAlive = ({ id }: Pick<Member, 'id'>) => (verdicts.get(id) ?? 'alive') === 'alive'
      const dead = services.filter((each) => !isAlive(each))
      await members.note(membersIn(nodes, writer, Number.POSITIVE_INFINITY).filter(isAlive), async () => {
        // Without its own lock this service may look dead to the others.
        if (dead.length === 0 || own === undefined || !isLocked) return
        for (const name of await removeMembers(own, writer, dead)) cluster.onLost(name)
      })
    },
    doesNotTakeOver: async (rival) => (await answerOf(rival)) === 'away',
    isReached: async (rival) => (await answerOf(rival)) !== undefined,
    away: AWAY,
  })
}

const isAddressed = (rival: Rival): rival is Member => rival.host !== undefined

/** A member whose row the server has refused to store has no address, so it cannot be asked. */
function rivalsOf(nodes: readonly NodeRow[], own: string, services: readonly NodeLook[]): Rivals<Rival> {
  const rows = new Set(nodes.map(({ writer }) => writer))
  const hidden = services.filter(({ id, connection }) => connection !== undefined && !rows.has(id))
  return {
    present: membersIn(nodes, own, LOST_AFTER),
    possible: [...membersIn(nodes, own, MAY_RETURN_WITHIN), ...hidden.map(({ id }) => ({ id }))],
  }
}

/** Resolves with what the list of services says of this start. */
async function join(link: Link, target: Target, { writer, threads, node, onTakenOver }: MemberOptions) {
  if (!(await isJoinedSoon(link, writer)))
    throw new Error(
      `Another ${BRAND}, or one of its commands, uses the store in ${target.shown} without SVC_CLUSTER=on; stop that one first, and then start it with SVC_CLUSTER=on, too.`,
    )
  const [[text]] = (await link.ask({ text: `SELECT ${SERVICES}` }, SILENCE)).rows as [[unknown]]
  const count = servicesIn(text).filter(({ connection }) => connection !== undefined).length
  const names = count === 1 ? 'the other member of the cluster' : `the other ${count} members of the cluster`
  await checkConnections(link, target, { threads, beside: { count, names } })
  await link.ask(endIdle(IDLE), SILENCE)
  return replaceEarlier(link, { writer, node, state: 'member', replaced: IS_ALONE, onTakenOver })
}
