/** Pairings in which a device shows a code that must be typed on the phone. */
import type { Connection, Network } from './model.ts'

export interface CodePairing {
  number: string
  connection: Connection
  ref: string
  wrapped: Buffer
  /** Set when a code was typed: the phone then waits for the device's bundle of keys. */
  finish: { resolve: (bundle: Finish) => void } | undefined
}

export interface Finish {
  bundle: Buffer
  identity: Buffer
}

export const waiting = new WeakMap<Network, Map<Connection, CodePairing>>()

export function pairingsOf(network: Network): Map<Connection, CodePairing> {
  const known = waiting.get(network) ?? new Map<Connection, CodePairing>()
  waiting.set(network, known)
  return known
}

function forgetCodePairing(connection: Connection) {
  pairingsOf(connection.network).delete(connection)
}

export function forgetPairing(network: Network, connection: Connection) {
  for (const [ref, owner] of network.refs) if (owner === connection) network.refs.delete(ref)
  forgetCodePairing(connection)
}
