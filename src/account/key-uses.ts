/** When and from where each API key was last used. */
import { type Clock, isRecent, MINUTE } from '../domain/clock.ts'
import type { Log } from '../domain/log.ts'
import type { LatestUses } from '../storage/latest-uses.ts'
import type { Account } from './account.ts'
import type { KnownKeys } from './known-keys.ts'
import type { StoredKey } from './records.ts'

export interface KeyUsesDeps {
  known: Pick<KnownKeys, 'get' | 'all' | 'remember'>
  uses: LatestUses
  /** True if other services use the same store. */
  isShared: boolean
  clock: Clock
  log: Log
  inTurn(name: string, work: () => Promise<void>): Promise<void>
}

/** Minimum interval in ms between two stored uses of a key, so that not every request makes a commit. */
const USE_INTERVAL = MINUTE

const NOT_WRITTEN = 'the time at which an API key was last used could not be written'

export function createKeyUses({ known, uses, isShared, clock, log, inTurn }: KeyUsesDeps) {
  /**
   * Returns the key with its latest use. If the use has a record of its own, that record counts, because the time in
   * the record of the key is older or from an earlier release.
   */
  function withLatest(key: StoredKey): StoredKey {
    const use = uses.of(key.id)
    return use === undefined ? key : { ...key, lastUsedAt: use.at, lastUsedIp: use.ip }
  }

  const used: Account['used'] = ({ id }, ip) => {
    const key = known.get(id)
    const now = clock.now()
    if (!key || isRecent(key.lastUsedAt, now, USE_INTERVAL)) return
    uses.note(id, { at: now, ip })
    known.remember({ ...key, lastUsedAt: now, lastUsedIp: ip })
    inTurn(`use ${id}`, async () => {
      // The key may be revoked before or during the write.
      if (known.get(id)) await uses.write(id)
      if (known.get(id) === undefined) await uses.remove(id)
    }).catch((err: unknown) => log.error({ err, api_key_id: id }, NOT_WRITTEN))
  }

  return {
    withLatest,
    used,
    /** Reads the uses that other services have stored. */
    async read() {
      if (!isShared) return
      await uses.read()
      for (const key of known.all()) known.remember(withLatest(key))
    },
  }
}
