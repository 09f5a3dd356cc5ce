/**
 * Creates the context that the translation of messages needs, from plain data: identities, stored messages and links.
 * The translation itself is the real code.
 */
import type { proto, WAMessageKey } from '@whiskeysockets/baileys'
import { createIdentity } from '../../../../workers/shard/connection/identity.ts'
import type { Roles } from '../../../../workers/shard/translate/inbound/context.ts'
import type { InboundContext, KnownMessage } from '../../../../workers/shard/translate/inbound/family.ts'

export const ME = '5511999990000@s.whatsapp.net'
export const ME_LID = '81896604190000@lid'
export const ANA = '5511988880001@s.whatsapp.net'
export const ANA_LID = '81896604190001@lid'

const PAIRS: Record<string, string> = {
  '5511988880001': '81896604190001',
  '81896604190001_reverse': '5511988880001',
}

type Auth = Parameters<typeof createIdentity>[0]

export interface TestContext extends InboundContext {
  problems: unknown[]
  remember(key: WAMessageKey, message: proto.IMessage): void
  known: Map<string, Roles>
}

export function testContext(): TestContext {
  const known = new Map<string, KnownMessage>()
  const problems: unknown[] = []
  const roles = new Map<string, Roles>()
  const auth = {
    creds: { me: { id: ME, lid: ME_LID } },
    keys: { get: async (_: string, ids: string[]) => Object.fromEntries(ids.map((id) => [id, PAIRS[id]])) },
  } as unknown as Auth
  return {
    identity: createIdentity(auth),
    connectedPhone: () => '5511999990000',
    now: () => 1_767_225_600_000,
    chatName: () => null,
    photo: () => null,
    original: async (id) => known.get(id) ?? null,
    async claim(id, chat, sender) {
      const found = known.get(id)
      if (!found) return { place: 'unknown' }
      const names = new Set(chat)
      const { remoteJid, remoteJidAlt, fromMe, participant } = found.key
      if (![remoteJid, remoteJidAlt].some((jid) => jid && names.has(jid))) return { place: 'elsewhere' }
      const isSpeakers = sender === 'account' ? fromMe === true : !fromMe && [...sender].includes(participant ?? remoteJid ?? '')
      return { place: 'here', isSpeakers }
    },
    roles: async (group) => roles.get(group) ?? null,
    post: async (newsletter, serverId) =>
      [...known.values()].find(({ key }) => key.remoteJid === newsletter && key.server_id === serverId)?.key ?? null,
    mediaUrl: () => 'https://api.example/media/link',
    onProblem: (error) => problems.push(error),
    problems,
    known: roles,
    remember: (key, message) => known.set(key.id ?? '', { key, message }),
  }
}
