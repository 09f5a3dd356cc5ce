/**
 * Tokens of trusted contacts that are learned after a send. The library sends a token to each contact once a week: after the stanza it queries the
 * network, waits, and stores the time (`senderTimestamp`, Socket/messages-send.js). That runs in the context of the stanza's transaction, which is
 * already committed, so the value was never written. Every text therefore caused another query, another token from the contact, and the traffic of
 * both.
 *
 * Tokens are therefore read and written outside of transactions. They need none, because each token is written as a whole.
 *
 * The timestamp and the contact's token arrive at the same time, and each writes back the record that it read before, so the timestamp overwrote the
 * token. Stored fields that a write does not contain are therefore kept.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { SignalDataSet, SignalDataTypeMap, WASocket } from '@whiskeysockets/baileys'
import { isTcTokenExpired, TC_TOKEN_INDEX_KEY } from '@whiskeysockets/baileys/lib/Utils/tc-token-utils.js'
import { createKeyedMutex } from '../../../src/lib/keyed-mutex.ts'

type Token = SignalDataTypeMap['tctoken']
type Tokens = NonNullable<SignalDataSet['tctoken']>

/** Wraps the keys of a socket. Must be called right after the socket is created, outside of any transaction. */
export function keepLateTokens({ authState: { keys } }: Pick<WASocket, 'authState'>): void {
  const outside = AsyncLocalStorage.snapshot()
  const { get, set } = keys
  const locks = createKeyedMutex()

  const setTokens = (tokens: Tokens) =>
    locks.runAll(Object.keys(tokens), async () => {
      const stored = await get('tctoken', Object.keys(tokens))
      const merged = Object.entries(tokens).map(([jid, token]) => [jid, token && withStored(jid, token, stored[jid])])
      await set({ tctoken: Object.fromEntries(merged) })
    })

  keys.get = <T extends keyof SignalDataTypeMap>(type: T, ids: string[]) =>
    type === 'tctoken' ? outside(() => get(type, ids)) : get(type, ids)

  keys.set = async ({ tctoken, ...others }: SignalDataSet) => {
    if (tctoken) await outside(() => setTokens(tctoken))
    if (Object.keys(others).length > 0) await set(others)
  }
}

/**
 * Returns the written token, completed with stored fields that the writer did not have: a token that is still valid,
 * and the time at which ours was sent.
 */
function withStored(jid: string, token: Token, stored: Token | undefined): Token {
  if (!stored || jid === TC_TOKEN_INDEX_KEY) return token
  const given = stored.senderTimestamp === undefined ? {} : { senderTimestamp: stored.senderTimestamp }
  const isUnknown = token.token.length === 0 && stored.token.length > 0 && !isTcTokenExpired(stored.timestamp)
  const theirs = isUnknown ? { token: stored.token, timestamp: stored.timestamp } : {}
  return { ...given, ...token, ...theirs } as Token
}
