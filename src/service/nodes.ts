/** The list of the services on the store, and the planned handover from this one to a standby. */
import { randomUUID } from 'node:crypto'
import type { Config } from '../config.ts'
import { VERSION } from '../domain/brand.ts'
import { type Clock, SECOND } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'
import type { Log } from '../domain/log.ts'
import { NODE_STATES, type Nodes, type ServiceNode } from '../domain/nodes.ts'
import type { StandbyAddress } from '../domain/standby-address.ts'
import type { OpenStore, OwnNode } from '../storage/store-backend.ts'

export interface NodesDeps {
  node: OwnNode
  store: Pick<OpenStore, 'nodes' | 'waitsForTurn'>
  /** Whether this service waits as a standby after its next start, if another one is active by then. */
  isStandby: boolean
  clock: Clock
  /** Begins to stop this service, as a signal of the operator does. Undefined if it has no process of its own. */
  stopSoon: (() => void) | undefined
  log: Log
}

/** A standby shows itself each second. One that has missed more than a beat may be about to end. */
const READY_WITHIN = 3 * SECOND

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

export function createNodes({ node, store, isStandby, clock, stopSoon, log }: NodesDeps): Nodes {
  const startedAt = clock.now()
  const self = (): ServiceNode => ({
    id: node.id,
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

  /** The row of a standby stays for some seconds after it was killed, so each standby is asked itself. */
  async function readyStandby(standbys: readonly ServiceNode[]): Promise<ServiceNode> {
    const answers = await Promise.all(
      standbys.map(
        async ({ healthAddress }) => healthAddress !== undefined && ((await store.waitsForTurn?.(healthAddress)) ?? false),
      ),
    )
    const ready = standbys.find((_, index) => answers[index])
    if (ready !== undefined) return ready
    const asked = standbys.map(({ name, healthAddress }) => `${name} (${healthAddress ? shown(healthAddress) : 'no address'})`)
    throw refused(
      `No standby answers at /health/ready that it waits to take over. Asked: ${asked.join(', ')}. SVC_STANDBY_ADDRESS sets the address.`,
    )
  }

  return {
    async list() {
      const rank = ({ state }: ServiceNode) => NODE_STATES.indexOf(state)
      return (await all()).toSorted((one, other) => rank(one) - rank(other) || other.since - one.since)
    },

    async drain(id, origin) {
      const nodes = await all()
      const found = nodes.find((each) => each.id === id)
      if (found === undefined) throw new Failure('not_found')
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
      log.info({ ...origin, standby }, 'an administrator hands over to a standby')
      stopSoon()
    },
  }
}

const shown = ({ host, port }: StandbyAddress) => `${host.includes(':') ? `[${host}]` : host}:${port}`

const refused = (message: string) => new Failure('not_allowed', { message })
