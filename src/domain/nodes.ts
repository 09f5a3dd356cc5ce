/** The services that use one store (nodes), as an operator sees them. */
import type { StandbyAddress } from './standby-address.ts'

/**
 * `active`: has the accounts. `standby`: waits, and can take over. `lost`: gave no sign of life for some seconds, and did
 * not stop in order.
 */
export const NODE_STATES = ['active', 'standby', 'lost'] as const
export type NodeState = (typeof NODE_STATES)[number]

/** Why a service became active in the place of another one: that one stopped in order, or no longer ran. */
export const TAKEOVER_CAUSES = ['planned', 'failure'] as const
export type TakeoverCause = (typeof TAKEOVER_CAUSES)[number]

export interface Takeover {
  /** Name of the former active service; undefined if it is not known. */
  from: string | undefined
  cause: TakeoverCause
}

export interface ServiceNode {
  /** Differs for each run of a service. */
  id: string
  name: string
  release: string
  /** Where other services pass requests on to it; undefined if it has no such port. */
  address: StandbyAddress | undefined
  /** Where it answers `/health/ready` while it is a standby; undefined if it is not known. */
  healthAddress: StandbyAddress | undefined
  state: NodeState
  /** Time in epoch ms since which it has this state. */
  since: number
  /** Time in epoch ms of its last sign of life. */
  seenAt: number
  /** Milliseconds since then, by the clock of the store; negative if that clock was set back. */
  silentMs: number
  takeover: Takeover | undefined
}

/** The caller that asks for a handover, for the log. */
export interface HandoverOrigin {
  workspace: string
  /** Address from which the request came. */
  address: string
}

export interface Nodes {
  /** The active services first, then the others by the time of their state. */
  list(): Promise<ServiceNode[]>
  /** Begins to hand over to a standby, and then ends this process. Rejects with `Failure` if it cannot. */
  drain(id: string, origin: HandoverOrigin): Promise<void>
}

export function countNodes(nodes: readonly Pick<ServiceNode, 'state'>[]): Record<NodeState, number> {
  const counts = { active: 0, standby: 0, lost: 0 }
  for (const { state } of nodes) counts[state]++
  return counts
}
