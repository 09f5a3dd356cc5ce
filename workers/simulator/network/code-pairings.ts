/** Pairings that wait for a code to be typed. */
import type { Connection, Network } from './model.ts'

export interface CodePairing {
  number: string
  connection: Connection
  ref: string
  /** `salt | iv | ephemeral key`: the companion's key is encrypted with the code. */
  wrapped: Buffer
  /** Waits for the companion's answer to the phone's hello. */
  finish: { resolve: (bundle: Finish) => void } | undefined
}

export interface Finish {
  bundle: Buffer
  identity: Buffer
}

/** Pairings that wait for a code to be typed; one per connection, and a new one replaces the earlier. */
export const waiting = new WeakMap<Network, Map<Connection, CodePairing>>()

export function pairingsOf(network: Network): Map<Connection, CodePairing> {
  const known = waiting.get(network) ?? new Map<Connection, CodePairing>()
  waiting.set(network, known)
  return known
}

function forgetCodePairing(connection: Connection) {
  pairingsOf(connection.network).delete(connection)
}

/** Removes the codes of a connection that ended, or whose code a phone accepted. */
export function forgetPairing(network: Network, connection: Connection) {
  for (const [ref, owner] of network.refs) if (owner === connection) network.refs.delete(ref)
  forgetCodePairing(connection)
}
