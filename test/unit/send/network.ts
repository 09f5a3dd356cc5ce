/**
 * The real code for sending, over a simulated network that records queries and stanzas in order. `answers` has the
 * answers to the queries.
 */
import type { AuthenticationState, BinaryNode, WAMessage } from '@whiskeysockets/baileys'
import { Failure } from '../../../src/domain/failures.ts'
import { boundedCache } from '../../../src/lib/bounded-cache.ts'
import { createLog } from '../../../src/log.ts'
import { createNumberLookUp } from '../../../workers/shard/chats/number-look-up.ts'
import type { Session } from '../../../workers/shard/chats/session.ts'
import type { AskOptions } from '../../../workers/shard/connection/ask.ts'
import { sendFailure } from '../../../workers/shard/connection/failures.ts'
import { createIdentity } from '../../../workers/shard/connection/identity.ts'
import type { MessageRelay, Relayed } from '../../../workers/shard/connection/relay/message-relay.ts'
import { createGroupMetadata } from '../../../workers/shard/groups/group-metadata.ts'
import { createKnownMessages } from '../../../workers/shard/messages/known-messages.ts'
import { createRecent } from '../../../workers/shard/messages/recent.ts'
import type { SendContext } from '../../../workers/shard/send/contract.ts'
import { askOver } from '../connection/asking.ts'

export const ME = { id: '5511900000000:3@s.whatsapp.net', lid: '100000000000001:3@lid', name: 'We' }
export const ANA = '5511988880001@s.whatsapp.net'
export const ANA_LID = '200000000000001@lid'
export const BIA = '5511988880002@s.whatsapp.net'
export const BIA_LID = '200000000000002@lid'
export const TEAM = '120363019502650977@g.us'

export const node = (tag: string, attrs: Record<string, string> = {}, content?: BinaryNode['content']): BinaryNode => ({
  tag,
  attrs,
  ...(content === undefined ? {} : { content }),
})

/**
 * Builds the answer to a look-up of a number. `said` is the registered JID, or null if there is no account, or a
 * refusal with its code and the time to wait.
 */
export function usyncAnswer(said: string | null | { code: string; backoff?: string }): BinaryNode {
  const refusal = said !== null && typeof said === 'object' ? said : undefined
  const error = refusal && node('error', { code: refusal.code, ...(refusal.backoff ? { backoff: refusal.backoff } : {}) })
  const user =
    typeof said === 'string'
      ? node('user', { jid: said }, [node('contact', { type: 'in' })])
      : node('user', {}, [node('contact', { type: 'out' })])
  const result = node('result', {}, error ? [node('contact', {}, [error])] : [])
  return node('iq', { type: 'result' }, [node('usync', {}, [result, node('list', {}, error ? [] : [user])])])
}

export interface Member {
  jid: string
  phone_number?: string
  type?: string
}

export const groupAnswer = (
  members: readonly Member[],
  attrs: Record<string, string> = {},
  more: BinaryNode[] = [],
): BinaryNode =>
  node('iq', { type: 'result' }, [
    node('group', { id: '120363019502650977', subject: 'Team', creation: '1', s_t: '1', addressing_mode: 'lid', ...attrs }, [
      ...members.map((member) => node('participant', { ...member })),
      ...more,
    ]),
  ])

export const refused = (code: number) => Object.assign(new Error('refused'), { data: code })

export const silent = () => new Promise<never>(() => {})

type Answer = BinaryNode | Error | (() => Promise<never>)

export interface Left {
  id: string
  to: string
  people?: readonly string[]
}

export function playedNetwork() {
  const asked: BinaryNode[] = []
  const written: BinaryNode[] = []
  const left: Left[] = []
  const answers: Answer[] = []
  const acks: ('timeout' | 'closed' | number | 'ok')[] = []
  const pairs = new Map<string, string>()
  const ending = new AbortController()
  const time = { now: 1_700_000_000_000 }
  const clock = { now: () => time.now }

  const sock = {
    async query(query: BinaryNode) {
      asked.push(query)
      const answer = answers.shift()
      if (answer === undefined) throw new Error(`the test has no answer to <${query.tag} ${query.attrs.xmlns}>`)
      if (answer instanceof Error) throw answer
      return typeof answer === 'function' ? answer() : answer
    },
    async sendNode(stanza: BinaryNode) {
      written.push(stanza)
    },
  }
  const get = async (_: string, ids: string[]) =>
    Object.fromEntries(ids.flatMap((id) => (pairs.has(id) ? [[id, pairs.get(id)]] : [])))
  const auth = { creds: { me: ME }, keys: { get } } as unknown as AuthenticationState
  const restriction = { isOn: false, refreshed: 0 }
  const leave = async ({ id, stanza: { to } }: Relayed) => void left.push({ id, to })
  const takenBack: string[] = []
  const relay: MessageRelay = {
    toPerson: leave,
    toGroup: async (relayed) => {
      await leave(relayed)
      return async () => void takenBack.push(relayed.id)
    },
    toAudience: async ({ id, stanza: { to } }, people) => void left.push({ id, to, people }),
  }

  const session = {
    me: ME,
    identity: createIdentity(auth),
    // No contact has given a trust token to the account, and the phone has not sent the salt for stand-in tokens.
    tokens: { standIn: async () => [] },
    groups: createGroupMetadata({
      sock: sock as never,
      clock,
      learnPairs: async () => {},
      stored: { read: async () => null, keep() {}, drop() {} },
      learn() {},
    }),
    numbers: createNumberLookUp(clock),
    ended: ending.signal,
    isOpen: true,
    isRestricted: () => restriction.isOn,
    refreshRestriction: async () => void restriction.refreshed++,
    relay,
    devicesOfGroup: async () => ({ jids: [], hash: null }),
    asking: (options: AskOptions) => askOver(sock, ending.signal, options),
    ack() {
      let isGivenUp = false
      return {
        giveUp() {
          isGivenUp = true
        },
        async verdict() {
          const ack = acks.shift() ?? 'ok'
          if (isGivenUp || ack === 'closed') throw new Failure('instance_not_connected')
          if (ack === 'timeout') throw new Failure('send_timeout')
          return ack === 'ok' ? { ok: true } : { ok: false, code: ack }
        },
      }
    },
  } as unknown as Session

  const stored: { id: string; to: string }[] = []
  const recent = createRecent()
  const sent = {
    put: async (id: string, _: unknown, { to }: { to: string }) => void stored.push({ id, to }),
    putEncrypted:
      (id: string, _: unknown, { to }: { to: string }) =>
      async () =>
        void stored.push({ id, to }),
    stored: async () => undefined,
    change: async () => {},
    remove: async (removed: string) => void stored.splice(0, stored.length, ...stored.filter(({ id }) => id !== removed)),
  }
  const context = {
    session,
    ask: askOver(sock, ending.signal, { toFailure: sendFailure }),
    messages: { ...createKnownMessages({ recent, sent }), sent },
    contacts: {},
    disappearing: { of: async () => ({}) },
    audiences: boundedCache(50),
    log: createLog({ level: 'silent' }, 'test'),
    now: clock.now,
    leaving: async () => {},
    item: { messageId: '3EB0A', operation: 'send.sendText', delayTyping: 0 },
  } as unknown as SendContext

  return {
    session,
    context,
    relay,
    asked,
    written,
    left,
    answers,
    acks,
    stored,
    /** Ids of group messages that failed. The sender keys of these messages then count as not distributed. */
    takenBack,
    time,
    clock,
    restriction,
    meet(pn: string, lid: string) {
      const [user, lidUser] = [pn.split('@')[0]!, lid.split('@')[0]!]
      pairs.set(user, lidUser).set(`${lidUser}_reverse`, user)
    },
    end: () => ending.abort(),
  }
}

export const received = (id: string, key: WAMessage['key'], text = 'hello'): WAMessage =>
  ({ key: { ...key, id }, message: { conversation: text }, messageTimestamp: 1_700_000_000 }) as WAMessage
