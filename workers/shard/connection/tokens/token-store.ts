/**
 * The stored tokens of trusted contacts. A write keeps the fields of a record that it does not set. An index lists
 * the names of all tokens, so that expired tokens can be found.
 */
import type {
  AuthenticationState,
  BinaryNode,
  SignalDataSet,
  SignalDataTypeMap,
  SignalKeyStoreWithTransaction,
} from '@whiskeysockets/baileys'
import {
  buildMergedTcTokenIndexWrite,
  isTcTokenExpired,
  storeTcTokensFromIqResult,
  TC_TOKEN_INDEX_KEY,
} from '@whiskeysockets/baileys/lib/Utils/tc-token-utils.js'
import { createKeyedMutex } from '../../../../src/lib/keyed-mutex.ts'
import { removeExpiredTokens } from './expired-tokens.ts'

export type Token = SignalDataTypeMap['tctoken']
type Tokens = NonNullable<SignalDataSet['tctoken']>

export interface TokenStore {
  of(names: readonly string[]): Promise<{ [name: string]: Token }>
  write(name: string, token: Token): Promise<void>
  store(stanza: BinaryNode, contact: string): Promise<void>
  storeNewer(tokens: ReadonlyMap<string, Token>): Promise<string[]>
  list(names: string[]): Promise<void>
  removeExpired(): Promise<void>
}

export function createTokenStore(
  auth: Pick<AuthenticationState, 'keys'>,
  lidOf: (jid: string) => Promise<string | null>,
): TokenStore {
  const mutex = createKeyedMutex()
  const { runAll } = mutex

  const direct: SignalKeyStoreWithTransaction = {
    ...auth.keys,
    isInTransaction: () => false,
    transaction: (work) => work(),
  }
  const keys: SignalKeyStoreWithTransaction = {
    ...direct,
    async set({ tctoken = {} }) {
      const names = Object.keys(tctoken)
      await runAll(names, async () => {
        const stored = await auth.keys.get('tctoken', names)
        const merged = Object.entries(tctoken).map(([name, token]) => [name, token && withStored(token, stored[name])])
        await auth.keys.set({ tctoken: Object.fromEntries(merged) as Tokens })
      })
    },
  }

  const list = (names: string[]) =>
    runAll([TC_TOKEN_INDEX_KEY], async () => auth.keys.set({ tctoken: await buildMergedTcTokenIndexWrite(keys, names) }))

  async function store(stanza: BinaryNode, contact: string) {
    const names: string[] = []
    const onNewJidStored = (name: string) => names.push(name)
    await storeTcTokensFromIqResult({ result: stanza, fallbackJid: contact, keys, getLIDForPN: lidOf, onNewJidStored })
    if (names.length > 0) await list(names)
  }

  async function storeNewer(tokens: ReadonlyMap<string, Token>): Promise<string[]> {
    const names = [...tokens.keys()]
    return runAll(names, async () => {
      const known = await auth.keys.get('tctoken', names)
      const newer = [...tokens].filter(([name, { timestamp }]) => Number(timestamp) > Number(known[name]?.timestamp ?? 0))
      const merged = newer.map(([name, token]) => [name, { ...known[name], ...token }])
      if (newer.length > 0) await auth.keys.set({ tctoken: Object.fromEntries(merged) as Tokens })
      return newer.map(([name]) => name)
    })
  }

  return {
    of: async (names) => auth.keys.get('tctoken', [...names]),
    async write(name, token) {
      await keys.set({ tctoken: { [name]: token } })
      await list([name])
    },
    store,
    storeNewer,
    list,
    removeExpired: () => removeExpiredTokens({ keys: direct, mutex }),
  }
}

/**
 * Completes a token with fields of the stored one: a token that is still valid, and the time at which our token was
 * sent.
 */
function withStored(token: Token, stored: Token | undefined): Token {
  if (!stored) return token
  const given = stored.senderTimestamp === undefined ? {} : { senderTimestamp: stored.senderTimestamp }
  const isUnknown = token.token.length === 0 && stored.token.length > 0 && !isTcTokenExpired(stored.timestamp)
  const theirs = isUnknown ? { token: stored.token, timestamp: stored.timestamp } : {}
  return { ...given, ...token, ...theirs } as Token
}
