/** Removes expired tokens of trusted contacts, as the web client does while the account is available. */
import type { SignalDataSet, SignalDataTypeMap, SignalKeyStoreWithTransaction } from '@whiskeysockets/baileys'
import { isTcTokenExpired, readTcTokenIndex, TC_TOKEN_INDEX_KEY } from '@whiskeysockets/baileys/lib/Utils/tc-token-utils.js'
import type { KeyedMutex } from '../../../../src/lib/keyed-mutex.ts'

type Token = SignalDataTypeMap['tctoken']

export interface ExpiredTokensDeps {
  /** Store of the tokens. Its writes must not take `mutex`, which is already held. */
  keys: SignalKeyStoreWithTransaction
  /** Mutex per name, which is held while a token or the index is written. */
  mutex: Pick<KeyedMutex, 'runAll'>
}

/** Number of tokens per read and per commit. */
const SLICE = 200

/** Resolves when all expired tokens are removed from the store and from the index. */
export async function removeExpiredTokens({ keys, mutex }: ExpiredTokensDeps): Promise<void> {
  const names = await readTcTokenIndex(keys)
  const gone = new Set<string>()
  for (let from = 0; from < names.length; from += SLICE)
    for (const name of await removeFrom(names.slice(from, from + SLICE))) gone.add(name)
  if (gone.size > 0) await mutex.runAll([TC_TOKEN_INDEX_KEY], () => unlist(gone))

  /** Returns the names that have no token afterwards. */
  async function removeFrom(slice: readonly string[]): Promise<string[]> {
    return mutex.runAll(slice, async () => {
      const stored = await keys.get('tctoken', [...slice])
      const left = slice.map((name) => [name, unexpired(stored[name])] as const)
      const changed = left.filter(([name, token]) => token !== stored[name])
      if (changed.length > 0) await keys.set({ tctoken: Object.fromEntries(changed) as SignalDataSet['tctoken'] & object })
      return left.flatMap(([name, token]) => (token ? [] : [name]))
    })
  }

  /** A name whose token was stored again by now stays in the index. */
  async function unlist(removed: ReadonlySet<string>) {
    const listed = await readTcTokenIndex(keys)
    const again = await keys.get('tctoken', [...removed])
    const left = listed.filter((name) => !removed.has(name) || again[name])
    await keys.set({ tctoken: { [TC_TOKEN_INDEX_KEY]: { token: Buffer.from(JSON.stringify(left)) } } })
  }
}

/**
 * Returns what is left of a record: undefined if both the contact's token and our own are expired, and the same object
 * if neither is.
 */
function unexpired(stored: Token | undefined): Token | null | undefined {
  if (!stored) return undefined
  const isTheirs = stored.token.length > 0 && !isTcTokenExpired(stored.timestamp)
  const isOurs = stored.senderTimestamp !== undefined && !isTcTokenExpired(stored.senderTimestamp)
  if (!isTheirs && !isOurs) return null
  return isTheirs || stored.token.length === 0 ? stored : { token: Buffer.alloc(0), senderTimestamp: stored.senderTimestamp! }
}
