/** Pairings in which a device shows a code that must be typed on the phone. */
import type { Connection, Network } from './model.ts'

export interface CodePairing {
  number: string
  connection: Connection
  ref: string
  /** `salt | iv | ephemeral key`. The key of the companion device is encrypted with the code. */
  wrapped: Buffer
  /** Set while the phone waits for the companion's answer to its hello. */
  finish: { resolve: (bundle: Finish) => void } | undefined
}

export interface Finish {
  bundle: Buffer
  identity: Buffer
}

/** The pairings that wait until their code is typed. A connection has only one, and a new one replaces it. */
export const waiting = new WeakMap<Network, Map<Connection, CodePairing>>()

export function pairingsOf(network: Network): Map<Connection, CodePairing> {
  const known = waiting.get(network) ?? new Map<Connection, CodePairing>()
  waiting.set(network, known)
  return known
}

function forgetCodePairing(connection: Connection) {
  pairingsOf(connection.network).delete(connection)
}

/** Removes the code of a connection, after the connection has ended or a phone has accepted its code. */
export function forgetPairing(network: Network, connection: Connection) {
  for (const [ref, owner] of network.refs) if (owner === connection) network.refs.delete(ref)
  forgetCodePairing(connection)
}
