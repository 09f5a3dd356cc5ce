/** Pairings in which a device shows a code that must be typed on the phone. */
import type { Connection, Network } from './model.ts'

export interface CodePairing {
  number: string
  connection: Connection
  ref: string
  /** `salt | iv | ephemeral key`. The key of the companion device is encrypted with the code. */
  wrapped: Buffer
  /** Passes the device's answer to the phone's hello; undefined while the phone does not wait for it. */
  finish: { resolve: (bundle: Finish) => void } | undefined
}

export interface Finish {
  bundle: Buffer
  identity: Buffer
}

/** Pairings whose code was not typed yet, by connection. A new pairing of a connection replaces its earlier one. */
export const waiting = new WeakMap<Network, Map<Connection, CodePairing>>()

export function pairingsOf(network: Network): Map<Connection, CodePairing> {
  const known = waiting.get(network) ?? new Map<Connection, CodePairing>()
  waiting.set(network, known)
  return known
}

function forgetCodePairing(connection: Connection) {
  pairingsOf(connection.network).delete(connection)
}

/** Removes the pairing of a connection, because the connection has ended or a phone has accepted the code. */
export function forgetPairing(network: Network, connection: Connection) {
  for (const [ref, owner] of network.refs) if (owner === connection) network.refs.delete(ref)
  forgetCodePairing(connection)
}
