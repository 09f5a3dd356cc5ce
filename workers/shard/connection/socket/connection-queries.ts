import type { BinaryNode } from '@whiskeysockets/baileys'
import { SECOND } from '../../../../src/domain/clock.ts'
import { Failure } from '../../../../src/domain/failures.ts'
import type { NetworkSocket } from '../../network/network-socket.ts'
import { readMarks } from '../../wire/read-marks.ts'
import { createAsk } from '../ask.ts'
import type { Connection, ConnectionDeps } from '../contract.ts'
import type { DeviceLists } from '../device-lists.ts'
import { sendFailure } from '../failures.ts'
import { type Identity, type LidPair, learnPairs } from '../identity.ts'
import { createLoginQueries } from '../login-queries.ts'
import type { Mex } from '../mex.ts'
import { createAskPhone } from '../relay/ask-phone.ts'
import { createDeviceSessions } from '../relay/device-sessions.ts'
import { createMessageRelay, type MessageRelay } from '../relay/message-relay.ts'
import { createRecipientDevices } from '../relay/recipient-devices.ts'
import { createTrustedTokens } from '../tokens/trusted-tokens.ts'
import { ACK_DEADLINE, QUERY_DEADLINE, RELAY_DEADLINE, within } from '../within.ts'
import type { Acks } from './acks.ts'

export interface ConnectionQueriesDeps {
  owner: string
  holders: ConnectionDeps['holders']
  clock: ConnectionDeps['clock']
  log: ConnectionDeps['log']
  creds: ConnectionDeps['creds']
  save: ConnectionDeps['save']
  sock: NetworkSocket
  auth: ConnectionDeps['auth']
  identity: Identity
  devices: DeviceLists
  mex: Mex
  acks: Acks
  ended: AbortSignal
}

export type ConnectionQueries = Pick<
  Connection,
  | 'asking'
  | 'learnPairs'
  | 'fetchLids'
  | 'privacySettings'
  | 'serverProps'
  | 'markRead'
  | 'tokens'
  | 'ack'
  | 'relay'
  | 'devicesOfGroup'
  | 'renewSession'
  | 'askPhone'
>

export function connectionQueries(deps: ConnectionQueriesDeps): ConnectionQueries {
  const { owner, sock, auth, mex, acks, ended, clock } = deps
  const fetchLids = async (pns: string[]): Promise<LidPair[]> => (await sock.signalRepository.lidMapping.getLIDsForPNs(pns)) ?? []
  const learn = (pairs: readonly LidPair[]) => learnPairs(sock, auth.keys, pairs)
  const query = (node: BinaryNode) => sock.query(node, QUERY_DEADLINE)
  const login = createLoginQueries({ ...deps, query })
  const tokens = createTrustedTokens({
    ...deps,
    query,
    serverProps: login.props,
    async fetchLid(pn) {
      const [pair] = await within({ ended }, QUERY_DEADLINE, fetchLids([pn])).catch(() => [])
      return pair?.lid ?? null
    },
  })
  const repository = sock.signalRepository
  const sessions = createDeviceSessions({ query, repository, fetchLids })
  const recipients = createRecipientDevices({
    ...deps,
    query,
    tag: sock.generateMessageTag,
    lists: deps.devices,
    learnPairs: learn,
  })
  const relay = createMessageRelay({ ...deps, devices: recipients, sessions, tokens })

  return {
    asking: (options) => createAsk({ owner, sock, mex, ended }, options),
    learnPairs: learn,
    fetchLids,
    serverProps: login.props,
    privacySettings: login.privacySettings,
    async markRead(keys) {
      const type = (await login.showsReads()) ? 'read' : 'read-self'
      for (const mark of readMarks(keys, type, Math.floor(clock.now() / SECOND))) await sock.sendNode(mark)
    },
    tokens,
    ack: (messageId, to) => expectAck(acks, messageId, to),
    // The relay does not run in `runAs`, because that makes each promise slower before Node 24. The relay does not need
    // it: it leaves no promise behind that could fail unseen.
    relay: boundedRelay(relay, ended),
    devicesOfGroup: recipients.ofGroup,
    renewSession: sessions.renew,
    askPhone: createAskPhone({ sock, auth, sessions }),
  }
}

function boundedRelay(relay: MessageRelay, ended: AbortSignal): MessageRelay {
  async function bounded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await within({ ended }, RELAY_DEADLINE, work())
    } catch (error) {
      throw sendFailure(error)
    }
  }
  return {
    toPerson: (relayed) => bounded(() => relay.toPerson(relayed)),
    toGroup: (relayed, group) => bounded(() => relay.toGroup(relayed, group)),
    toAudience: (relayed, people, isFurther) => bounded(() => relay.toAudience(relayed, people, isFurther)),
  }
}

function expectAck(acks: Acks, messageId: string, to: string): ReturnType<Connection['ack']> {
  const pending = acks.expect(messageId, to)
  return {
    giveUp: pending.giveUp,
    async verdict() {
      const outcome = await pending.within(ACK_DEADLINE)
      if (outcome === 'timeout') throw new Failure('send_timeout')
      if (outcome === 'closed') throw new Failure('instance_not_connected')
      return outcome
    },
  }
}
