/**
 * A member of a cluster: one of several services that use a schema at the same time. Every member watches all others,
 * and removes the writers of those that no longer run, whose instances can then be claimed.
 *
 * A member that was removed by mistake can store nothing, and its process ends. So no record is lost.
 */
import { BRAND } from '../../../../domain/brand.ts'
import type { Takeover } from '../../../../domain/nodes.ts'
import type { ClusterOptions, Member, MemberAnswer } from '../../../members.ts'
import { momentNow } from '../../../shared-lease.ts'
import { connect, type Link } from '../link.ts'
import type { Target } from '../target.ts'
import { decideToLeave } from './decide-to-leave.ts'
import { endIdle, replaceEarlier } from './end-services.ts'
import { createEndedMembers } from './ended-members.ts'
import { type HoldOptions, holdSchema, type Rivals } from './hold-schema.ts'
import type { MemberList } from './member-list.ts'
import { IS_CONNECTED, isJoined, isJoinedSoon, SERVICES, servicesIn } from './member-lock.ts'
import { createMemberRemover, IDLE } from './member-remover.ts'
import { LOST_AFTER, MAY_RETURN_WITHIN, membersIn, type NodeRow } from './node-rows.ts'
import { createNodeWatch, type NodeLook } from './node-watch.ts'
import { SILENCE } from './schema-lock.ts'
import { PATIENCE } from './standbys.ts'
import { checkConnections, type TakeoverOptions } from './take-over-schema.ts'

export interface MemberOptions extends Omit<TakeoverOptions, 'turn'>, HoldOptions {
  cluster: ClusterOptions
  members: MemberList
}

const CONNECTION = 'member'
const OVER = 'Another member of the cluster has removed this one from the store in PostgreSQL.'
const AWAY = 'The service cannot reach PostgreSQL, and another member of its cluster may reach it.'
/**
 * SQL that is true if the writer `w` can be removed at once: it is marked as over, or its service owned the schema
 * alone, which no service can do while this member holds the lock of the schema. Any other writer may belong to a
 * member that has lost its connection for a moment.
 */
const IS_ALONE = `(w.is_over OR EXISTS (SELECT FROM svc_service n WHERE n.writer = w.id AND n.state = 'active')) AND NOT ${IS_CONNECTED}`

/** Another member, which could replace this one. If its address is known, all properties are present. */
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
  const ended = createEndedMembers(cluster.ask)
  const remover = createMemberRemover({ target, own: writer, ...cluster, onRemoved: members.tell })
  const othersIn = (column: unknown) => servicesIn(column).filter(({ id }) => id !== writer)
  const answerOf = async (rival: Rival) => (isAddressed(rival) ? cluster.ask(rival, AbortSignal.timeout(PATIENCE)) : undefined)

  const stop = await holdSchema<Rival>(link, target, options, {
    state: 'member',
    isLeaving: members.isLeaving,
    takeover,
    connection: CONNECTION,
    column: SERVICES,
    lock: (made) => isJoined(made, writer),
    // The beats of this member run on the same connection, so none of them writes its former state after the decision.
    beforeLook: (used) => members.settleLeave((staying) => decideToLeave(used, writer, staying)),
    rivalsIn: (nodes, column) => rivalsOf(nodes, writer, othersIn(column)),
    onSeen(nodes, column, { sentAt, isLocked }) {
      // This service has lost its connection. The other members may have lost theirs too, and need time to connect
      // again.
      if (!isLocked) watch.forget()
      const services = othersIn(column)
      const verdicts = watch.judge(services, sentAt.monotonic)
      const unconnected = new Set(services.filter(({ connection }) => connection === undefined).map(({ id }) => id))
      const all = membersIn(nodes, writer, Number.POSITIVE_INFINITY)
      ended.follow(all.filter(({ id }) => unconnected.has(id)))
      const isDead = ({ id }: Pick<Member, 'id'>) => {
        const verdict = verdicts.get(id)
        return verdict === 'still' || verdict === 'dead' || (verdict === 'unconnected' && ended.has(id))
      }
      members.note(all.filter((each) => !isDead(each)))
      // Without its own lock, this service may itself look dead to the other members, so it removes nobody.
      if (!isLocked) return
      const names = new Map(nodes.map(({ writer: id, name }) => [id, name]))
      remover.remove(services.filter(isDead).map((each) => ({ ...each, name: names.get(each.id) ?? each.id })))
    },
    doesNotTakeOver: async (rival) => REPLACES_NOBODY.has(await answerOf(rival)),
    isReached: async (rival) => REACHED.has(await answerOf(rival)),
    away: AWAY,
    over: OVER,
    // A new member may start while this one is alone and cannot reach the database.
    mayGetRivals: true,
  })
  return async () => {
    await Promise.all([stop(), remover.stop()])
  }
}

/**
 * Answers of members that do not replace this one. `other` is not among them, because the new process at the address
 * may be a member that could replace this one.
 */
const REPLACES_NOBODY: ReadonlySet<unknown> = new Set<MemberAnswer>(['away', 'refused'])
const REACHED: ReadonlySet<unknown> = new Set<MemberAnswer>(['reaches', 'away'])

const isAddressed = (rival: Rival): rival is Member => rival.host !== undefined

/**
 * Returns the members that could replace this one. While the disk of the database is full, only the connection of a
 * member shows that it runs.
 */
export function rivalsOf(nodes: readonly NodeRow[], own: string, services: readonly NodeLook[]): Rivals<Rival> {
  const addressed = new Map(membersIn(nodes, own, Number.POSITIVE_INFINITY).map((each) => [each.id, each]))
  const possible = new Map<string, Rival>(membersIn(nodes, own, MAY_RETURN_WITHIN).map((each) => [each.id, each]))
  for (const { id, connection } of services)
    if (connection !== undefined && id !== own) possible.set(id, addressed.get(id) ?? { id })
  return { present: membersIn(nodes, own, LOST_AFTER), possible: [...possible.values()] }
}

/**
 * Takes the locks of a member, and makes this service active. Resolves with the takeover as the list of services shows
 * it.
 */
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
