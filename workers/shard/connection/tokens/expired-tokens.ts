/** Removes expired tokens of trusted contacts, as the web client does while the account is available. */
import type { SignalDataSet, SignalDataTypeMap, SignalKeyStoreWithTransaction } from '@whiskeysockets/baileys'
import { isTcTokenExpired, readTcTokenIndex, TC_TOKEN_INDEX_KEY } from '@whiskeysockets/baileys/lib/Utils/tc-token-utils.js'
import type { KeyedMutex } from '../../../../src/lib/keyed-mutex.ts'

type Token = SignalDataTypeMap['tctoken']

export interface ExpiredTokensDeps {
  keys: SignalKeyStoreWithTransaction
  mutex: Pick<KeyedMutex, 'runAll'>
}

const SLICE = 200

export async function removeExpiredTokens({ keys, mutex }: ExpiredTokensDeps): Promise<void> {
  const names = await readTcTokenIndex(keys)
  const gone = new Set<string>()
  for (let from = 0; from < names.length; from += SLICE)
    for (const name of await removeFrom(names.slice(from, from + SLICE))) gone.add(name)
  if (gone.size > 0) await mutex.runAll([TC_TOKEN_INDEX_KEY], () => unlist(gone))

  async function removeFrom(slice: readonly string[]): Promise<string[]> {
    return mutex.runAll(slice, async () => {
      const stored = await keys.get('tctoken', [...slice])
      const left = slice.map((name) => [name, unexpired(stored[name])] as const)
      const changed = left.filter(([name, token]) => token !== stored[name])
      if (changed.length > 0) await keys.set({ tctoken: Object.fromEntries(changed) as SignalDataSet['tctoken'] & object })
      return left.flatMap(([name, token]) => (token ? [] : [name]))
    })
  }

  /**
   * Removes the names of these tokens from the index. The name of a token that was stored again in the
   * meantime stays.
   */
  async function unlist(removed: ReadonlySet<string>) {
    const listed = await readTcTokenIndex(keys)
    const again = await keys.get('tctoken', [...removed])
    const left = listed.filter((name) => !removed.has(name) || again[name])
    await keys.set({ tctoken: { [TC_TOKEN_INDEX_KEY]: { token: Buffer.from(JSON.stringify(left)) } } })
  }
}

function unexpired(stored: Token | undefined): Token | null | undefined {
  if (!stored) return undefined
  const isTheirs = stored.token.length > 0 && !isTcTokenExpired(stored.timestamp)
  const isOurs = stored.senderTimestamp !== undefined && !isTcTokenExpired(stored.senderTimestamp)
  if (!isTheirs && !isOurs) return null
  return isTheirs || stored.token.length === 0 ? stored : { token: Buffer.alloc(0), senderTimestamp: stored.senderTimestamp! }
}
