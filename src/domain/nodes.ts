/** The services that use one store (nodes), as an operator sees them. */
import type { StandbyAddress } from './standby-address.ts'

/**
 * State of a service. `active`: it hosts accounts. `leaving`: it gives its accounts to the other members of its
 * cluster, and then ends. `standby`: it waits, and can take over. `lost`: it gave no sign of life for some seconds, and
 * did not stop in order.
 */
export const NODE_STATES = ['active', 'leaving', 'standby', 'lost'] as const
export type NodeState = (typeof NODE_STATES)[number]

/**
 * Why a service became active: the former active service stopped in order (`planned`), or no longer ran (`failure`).
 */
export const TAKEOVER_CAUSES = ['planned', 'failure'] as const
export type TakeoverCause = (typeof TAKEOVER_CAUSES)[number]

export interface Takeover {
  /** Name of the former active service; undefined if it is not known. */
  from: string | undefined
  cause: TakeoverCause
}

export interface ServiceNode {
  /** Id of this run of the service. */
  id: string
  /** Id that names this service in the homes of instances; undefined if it has none. */
  writer: string | undefined
  name: string
  release: string
  /** Address at which this service takes requests that others pass on; undefined if it has no such port. */
  address: StandbyAddress | undefined
  /** Address at which this service answers `/health/ready` while it is a standby; undefined if this is not known. */
  healthAddress: StandbyAddress | undefined
  state: NodeState
  /** Time in epoch ms since which the service has this state. */
  since: number
  /** Time in epoch ms of the service's last sign of life. */
  seenAt: number
  /** Milliseconds since the last sign of life, by the clock of the store. Negative if that clock was set back. */
  silentMs: number
  takeover: Takeover | undefined
}

export interface ListedNode extends ServiceNode {
  /** Number of instances that the service has; undefined for a service that can have none. */
  instances: number | undefined
}

/**
 * Place of the home of an instance, as a member of the cluster sees it. `nowhere`: no member has it, or it is being
 * moved.
 */
export type HomePlace = 'here' | 'elsewhere' | 'nowhere'

/**
 * Why a member gives an instance to another member. `balance`: the receiver has fewer instances. `drain`: the giver
 * leaves. `start_failed`: the giver cannot start the instance.
 */
export const MOVE_REASONS = ['balance', 'drain', 'start_failed'] as const
export type MoveReason = (typeof MOVE_REASONS)[number]

/** Result of a move: the member has given the instance away, or still has it because the move failed. */
export const MOVE_RESULTS = ['given', 'failed'] as const

/**
 * Event after which a member claims an instance. `move`: the former home gave it to this member. `stop`: the service
 * that had it released it, and to nobody. `failure`: that service ended without releasing it.
 */
export const CLAIMED_AFTER = ['move', 'stop', 'failure'] as const
export type ClaimedAfter = (typeof CLAIMED_AFTER)[number]

/** The caller that asks for a handover. It is written to the log. */
export interface HandoverOrigin {
  workspace: string
  /** Address from which the request came. */
  address: string
}

export interface Nodes {
  /** Lists the services in the order of `NODE_STATES`, and within a state those with the latest change first. */
  list(): Promise<ListedNode[]>
  /**
   * Makes the service with this id hand its accounts over to a standby or to other members, and end. Rejects with
   * `Failure` if this is not possible.
   */
  drain(id: string, origin: HandoverOrigin): Promise<void>
}

export function countNodes(nodes: readonly Pick<ServiceNode, 'state'>[]): Record<NodeState, number> {
  const counts = { active: 0, leaving: 0, standby: 0, lost: 0 }
  for (const { state } of nodes) counts[state]++
  return counts
}
