/** The queries and sends of one connection, all of which end with it. */
import type { WASocket } from '@whiskeysockets/baileys'
import { Failure } from '../../../../src/domain/failures.ts'
import { createAsk } from '../ask.ts'
import type { Connection, ConnectionDeps } from '../contract.ts'
import type { DeviceLists } from '../device-lists.ts'
import { sendFailure } from '../failures.ts'
import { type Identity, type LidPair, learnPairs } from '../identity.ts'
import type { Mex } from '../mex.ts'
import { createTrustedTokens } from '../trusted-tokens.ts'
import { ACK_DEADLINE, QUERY_DEADLINE, RELAY_DEADLINE, within } from '../within.ts'
import type { Acks } from './acks.ts'
import { createPersonRelay } from './person-relay.ts'

export interface ConnectionQueriesDeps {
  /** Id of the instance. */
  owner: string
  sock: WASocket
  auth: ConnectionDeps['auth']
  identity: Identity
  devices: DeviceLists
  mex: Mex
  acks: Acks
  /** Aborted at the end of the connection. */
  ended: AbortSignal
}

export type ConnectionQueries = Pick<Connection, 'asking' | 'learnPairs' | 'fetchLids' | 'tokens' | 'ack' | 'toPerson'>

export function connectionQueries(deps: ConnectionQueriesDeps): ConnectionQueries {
  const { owner, sock, auth, identity, devices, mex, acks, ended } = deps
  const fetchLids = async (pns: string[]): Promise<LidPair[]> => (await sock.signalRepository.lidMapping.getLIDsForPNs(pns)) ?? []
  const toPerson = createPersonRelay({ sock, auth, identity, devices })

  return {
    asking: (options) => createAsk({ owner, sock, mex, ended }, options),
    learnPairs: (pairs) => learnPairs(sock, auth.keys, pairs),
    fetchLids,
    tokens: createTrustedTokens({
      authState: sock.authState,
      identity,
      async fetchLid(pn) {
        const [pair] = await within({ ended }, QUERY_DEADLINE, fetchLids([pn])).catch(() => [])
        return pair?.lid ?? null
      },
    }),
    ack: (messageId, to) => expectAck(acks, messageId, to),
    async toPerson(...message) {
      try {
        return await within({ ended }, RELAY_DEADLINE, toPerson(...message))
      } catch (error) {
        throw sendFailure(error)
      }
    },
  }
}

/** Expects the network's ack of a message; rejects without one. */
function expectAck(acks: Acks, messageId: string, to: string): ReturnType<Connection['ack']> {
  const pending = acks.expect(messageId, to)
  return {
    giveUp: pending.giveUp,
    async verdict() {
      // At the end of the connection the outcome is `closed`.
      const outcome = await pending.within(ACK_DEADLINE)
      if (outcome === 'timeout') throw new Failure('send_timeout')
      if (outcome === 'closed') throw new Failure('instance_not_connected')
      return outcome
    },
  }
}
