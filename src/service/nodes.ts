/**
 * The list of the services on the store, and the planned handover from this service to a standby or to other members.
 */
import { randomUUID } from 'node:crypto'
import type { Config } from '../config.ts'
import { VERSION } from '../domain/brand.ts'
import { type Clock, SECOND } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'
import type { Log } from '../domain/log.ts'
import { NODE_STATES, type NodeState, type Nodes, type ServiceNode } from '../domain/nodes.ts'
import { addressText } from '../domain/standby-address.ts'
import type { PeerLink } from '../peer/peer-link.ts'
import type { LeaveAnswer } from '../peer/reach-caller.ts'
import type { Members } from '../storage/members.ts'
import type { OpenStore, OwnNode } from '../storage/store-backend.ts'

export interface NodesDeps {
  node: OwnNode
  store: Pick<OpenStore, 'nodes' | 'waitsForTurn' | 'members'>
  /** Passes a request to leave on to another member of the cluster. Undefined without `SVC_PEER_PORT`. */
  link?: Pick<PeerLink, 'askToLeave' | 'setLeave'> | undefined
  /** Whether this service waits as a standby after its next start if another service is active then. */
  isStandby: boolean
  /**
   * Returns the number of instances of an active or leaving service. `writer` is the id by which homes name the
   * service.
   */
  instancesOf(writer: string | undefined): number
  clock: Clock
  /** Begins to stop this service, as a signal of the operator does. Undefined if it has no process of its own. */
  stopSoon: (() => void) | undefined
  log: Log
}

/**
 * Maximum age in ms of a ready standby's last sign of life. A standby shows each second that it runs, so one that is
 * silent for longer may have ended.
 */
const READY_WITHIN = 3 * SECOND
/** States of services that have instances. */
const HOSTS: ReadonlySet<NodeState> = new Set(['active', 'leaving'])
/** Milliseconds within which another member must answer. */
const ANSWER_WITHIN = 3 * SECOND
/**
 * Milliseconds within which the decision whether this member leaves must begin. A decision can begin once a second, at
 * each look at the store.
 */
const DECIDED_WITHIN = 2 * SECOND

export function ownNode({ nodeName, standbyAddress, peerPort }: Config, port: number): OwnNode {
  return {
    id: randomUUID(),
    name: nodeName,
    release: VERSION,
    host: standbyAddress?.host,
    port: standbyAddress?.port ?? port,
    peerPort: peerPort ?? undefined,
  }
}

export function createNodes(deps: NodesDeps): Nodes {
  const { node, store, isStandby, instancesOf, clock, stopSoon, log } = deps
  const drainMember = store.members && createMemberDrain(deps, store.members)
  const startedAt = clock.now()
  const self = (): ServiceNode => ({
    id: node.id,
    writer: undefined,
    name: node.name,
    release: node.release,
    address: undefined,
    healthAddress: undefined,
    state: 'active',
    since: startedAt,
    seenAt: clock.now(),
    silentMs: 0,
    takeover: undefined,
  })
  const all = async () => (await store.nodes?.()) ?? [self()]

  /**
   * Returns a standby that answers that it waits to take over, and throws if there is none. Rows are not enough,
   * because the row of a killed standby looks ready for some seconds.
   */
  async function readyStandby(standbys: readonly ServiceNode[]): Promise<ServiceNode> {
    const answers = await Promise.all(
      standbys.map(
        async ({ healthAddress }) => healthAddress !== undefined && ((await store.waitsForTurn?.(healthAddress)) ?? false),
      ),
    )
    const ready = standbys.find((_, index) => answers[index])
    if (ready !== undefined) return ready
    const asked = standbys.map(
      ({ name, healthAddress }) => `${name} (${healthAddress ? addressText(healthAddress) : 'no address'})`,
    )
    throw refused(
      `No standby answers at /health/ready that it waits to take over. Asked: ${asked.join(', ')}. SVC_STANDBY_ADDRESS sets the address.`,
    )
  }

  return {
    async list() {
      const rank = ({ state }: ServiceNode) => NODE_STATES.indexOf(state)
      return (await all())
        .toSorted((one, other) => rank(one) - rank(other) || other.since - one.since)
        .map((each) => ({ ...each, instances: HOSTS.has(each.state) ? instancesOf(each.writer) : undefined }))
    },

    async drain(id, origin) {
      const nodes = await all()
      const found = nodes.find((each) => each.id === id)
      if (found === undefined) throw new Failure('not_found')
      if (drainMember !== undefined) return drainMember(found, origin)
      if (id !== node.id)
        throw refused(
          `The service ${found.name} is not the active one (its state is ${found.state}), so it has nothing to hand over.`,
        )
      if (!isStandby)
        throw refused('This service would refuse its next start beside another active one. Start it with SVC_STANDBY=on first.')
      const isReady = ({ state, silentMs }: ServiceNode) => state === 'standby' && Math.abs(silentMs) < READY_WITHIN
      const standbys = nodes.filter(isReady)
      if (standbys.length === 0)
        throw refused('No standby is ready to take over. Start one on the same store with SVC_STANDBY=on.')
      if (stopSoon === undefined) throw refused('This service cannot end its own process. Stop it instead.')
      const { name: standby } = await readyStandby(standbys)
      log.info({ ...origin, standby }, 'an administrator makes this service hand over to a standby')
      stopSoon()
    },
  }
}

/** Returns a function that makes a member give its instances to the other members and then end. */
function createMemberDrain({ node, link, stopSoon, log }: NodesDeps, members: Pick<Members, 'others' | 'leaveIfOthersStay'>) {
  async function leave(): Promise<LeaveAnswer> {
    if (stopSoon === undefined) return 'stays'
    const leaves = await members.leaveIfOthersStay(AbortSignal.timeout(DECIDED_WITHIN)).catch((err: unknown) => {
      log.warn({ err }, 'the database has not decided whether this service may leave the cluster')
      return undefined
    })
    if (leaves === undefined) return 'undecided'
    if (!leaves) return 'alone'
    stopSoon()
    return 'leaves'
  }
  link?.setLeave(async () => {
    const answer = await leave()
    if (answer === 'leaves') log.info({}, 'an administrator asked another member to make this member leave the cluster')
    return answer
  })

  async function pass(name: string, writer: string | undefined): Promise<LeaveAnswer | undefined> {
    const member = members.others().find(({ id }) => id === writer)
    if (member === undefined)
      throw refused(
        `The service ${name} is no member that this one can ask. It may have just started or ended; see the list again in some seconds.`,
      )
    return link?.askToLeave(member, AbortSignal.timeout(ANSWER_WITHIN))
  }

  return async ({ id, writer, name, state }: ServiceNode, origin: object): Promise<void> => {
    if (state === 'leaving') throw refused(`The service ${name} already gives its accounts away, and then ends.`)
    if (state !== 'active') throw refused(`The service ${name} has no accounts to give away (its state is ${state}).`)
    const answer = id === node.id ? await leave() : await pass(name, writer)
    if (answer === 'alone') throw refused('No other member of the cluster can take the accounts. Start one first.')
    if (answer === 'stays') throw refused(`The service ${name} cannot end its own process. Stop it instead.`)
    if (answer === 'undecided')
      throw refused(`The database has not decided in time whether the service ${name} may leave, so it stays. Try again.`)
    if (answer === undefined)
      throw refused(
        `The service ${name} has not answered in three seconds. See in the list whether it leaves, or stop it instead.`,
      )
    log.info({ ...origin, member: name }, 'an administrator makes a member leave the cluster')
  }
}

const refused = (message: string) => new Failure('not_allowed', { message })
