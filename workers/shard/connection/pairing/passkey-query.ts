import type { BinaryNode } from '@whiskeysockets/baileys'
import type { NetworkSocket } from '../../network/network-socket.ts'
import { actionFailure } from '../failures.ts'
import { QUERY_DEADLINE } from '../within.ts'

export type PasskeyQuery = (node: BinaryNode) => Promise<BinaryNode>

/** Thrown when the socket has ended. The caller need not report it, because the connection does. */
export class ConnectionLost extends Error {}

/** The meaning of the network's codes is not known, so each code fails the attempt. */
const ANY_CODE = { otherwise: 'action_failed' } as const

/**
 * Returns a function that sends a query. It rejects with `ConnectionLost`, or with a `Failure` for the
 * network's error.
 */
export const passkeyQuery =
  (sock: Pick<NetworkSocket, 'query'>): PasskeyQuery =>
  async (node) => {
    try {
      return await sock.query(node, QUERY_DEADLINE)
    } catch (error) {
      const failure = actionFailure(error, ANY_CODE)
      throw failure.code === 'instance_not_connected' ? new ConnectionLost() : failure
    }
  }
