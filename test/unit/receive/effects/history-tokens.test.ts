import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuthenticationState, SignalDataTypeMap, SignalKeyStoreWithTransaction } from '@whiskeysockets/baileys'
import { readTcTokenIndex } from '@whiskeysockets/baileys/lib/Utils/tc-token-utils.js'
import { createTrustedTokens } from '../../../../workers/shard/connection/tokens/trusted-tokens.ts'
import { historyTokens } from '../../../../workers/shard/receive/effects/privacy-tokens.ts'
import type { HistoryChat, HistoryPiece } from '../../../../workers/shard/wire/history.ts'

type Token = SignalDataTypeMap['tctoken']

function bench(tokens: Record<string, Token> = {}) {
  const stored = new Map(Object.entries(tokens))
  let writes = 0
  const keys = {
    get: async (_: string, ids: string[]) =>
      Object.fromEntries(ids.flatMap((id) => (stored.has(id) ? [[id, stored.get(id)!]] : []))),
    async set({ tctoken = {} }: { tctoken?: Record<string, Token | null> }) {
      if ('__index' in tctoken) writes++
      for (const [id, token] of Object.entries(tctoken)) if (token) stored.set(id, token)
    },
  } as unknown as SignalKeyStoreWithTransaction
  const identity = {
    lidOf: async (jid: string) => (jid.startsWith('55119') ? '111@lid' : null),
    pnOf: async () => null,
    isMe: () => false,
  }
  const trusted = createTrustedTokens({
    auth: { creds: {}, keys } as unknown as AuthenticationState,
    serverProps: { privacyTokenOn1to1: true, profilePicPrivacyToken: false, lidTrustedTokenIssueToLid: true },
    identity,
    query: () => assert.fail('nothing is queried'),
    fetchLid: async () => null,
    clock: { now: Date.now },
    log: { info() {} },
  })
  return { stored, keys, reader: historyTokens(trusted, identity), indexWrites: () => writes }
}

const chat = (id: string, token: string, at: number, sentAt?: number): HistoryPiece => ({
  kind: 'chat',
  chat: {
    id,
    newest: undefined,
    tcToken: Buffer.from(token),
    tcTokenTimestamp: at,
    tcTokenSenderTimestamp: sentAt,
  } as HistoryChat,
})
const about = { syncType: 0, chunkOrder: 1, progress: 0 }

test('are kept under the LID where it is known, and listed once at the end', async () => {
  const { stored, keys, reader, indexWrites } = bench()
  await reader.take([chat('5511988880001@s.whatsapp.net', 'a', 100, 90), chat('222@lid', 'b', 200)], about)
  await reader.take([chat('333@lid', '', 300), chat('444@lid', 'd', 0), { kind: 'pushName', jid: '555@lid', name: 'Eve' }], about)
  await reader.take([chat('15550000001@s.whatsapp.net', 'e', 500)], about)
  assert.equal(indexWrites(), 0)
  await reader.end?.(about)
  const { __index: _, ...tokens } = Object.fromEntries(stored)
  assert.deepEqual(tokens, {
    '111@lid': { token: Buffer.from('a'), timestamp: '100', senderTimestamp: 90 },
    '222@lid': { token: Buffer.from('b'), timestamp: '200' },
    '15550000001@s.whatsapp.net': { token: Buffer.from('e'), timestamp: '500' },
  })
  assert.deepEqual(await readTcTokenIndex(keys), ['111@lid', '222@lid', '15550000001@s.whatsapp.net'])
  await reader.end?.(about)
  assert.equal(indexWrites(), 1)
})

test('do not take the place of newer ones, and keep when ours was given', async () => {
  const { stored, reader } = bench({
    '111@lid': { token: Buffer.from('new'), timestamp: '900' },
    '222@lid': { token: Buffer.from('old'), timestamp: '100', senderTimestamp: 50 },
  })
  await reader.take([chat('5511988880001@s.whatsapp.net', 'a', 100), chat('222@lid', 'b', 200)], about)
  assert.deepEqual(Object.fromEntries(stored), {
    '111@lid': { token: Buffer.from('new'), timestamp: '900' },
    '222@lid': { token: Buffer.from('b'), timestamp: '200', senderTimestamp: 50 },
  })
})
