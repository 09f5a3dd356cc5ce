/** Stores which people have ever written to this account, because a restricted account may still write to them. */
import type { WAMessage } from '@whiskeysockets/baileys'
import { parseIdentifier, toJid } from '../../../src/domain/ids.ts'
import { boundedCache } from '../../../src/lib/bounded-cache.ts'
import type { Op } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { removeAll } from '../../../src/storage/remove-all.ts'
import type { Context } from '../context/instance-context.ts'
import { bare, chatKind } from '../wire/jid.ts'

/**
 * Maximum number of keys in the cache of people who have written. The cache saves a read of the store for each received
 * message.
 */
const MAX_KNOWN = 5_000
const PRESENT = Uint8Array.of(1)

/** `stored`: a read found the row. `arriving`: the row is part of a commit that may have failed. */
type Known = 'stored' | 'arriving'

export interface Correspondents {
  ops(message: Pick<WAMessage, 'key'>): Promise<Op[]>
  /**
   * Whether a message of the person has arrived here. Always true for groups, channels and the status, which do not
   * have to write first.
   */
  hasWritten(phone: string): Promise<boolean>
  forget(): Promise<void>
}

export interface CorrespondentsDeps {
  otherName(jid: string): Promise<string | null>
  onNew(): void
}

export function createCorrespondents(
  { id: instance, store, sealer }: Context<'id' | 'store' | 'sealer'>,
  { otherName, onNew }: CorrespondentsDeps,
): Correspondents {
  const known = boundedCache<string, Known>(MAX_KNOWN)
  const keyOf = (jid: string) => keys.correspondent(instance, sealer.blind(bare(jid)))

  async function isStored(key: string): Promise<boolean> {
    if (known.get(key) === 'stored') return true
    if ((await store.get(key)) === undefined) return false
    known.set(key, 'stored')
    return true
  }

  async function namesOf(jid: string): Promise<string[]> {
    const other = await otherName(jid)
    return other === null ? [jid] : [jid, other]
  }

  return {
    async ops({ key: { remoteJid, remoteJidAlt, fromMe } }) {
      if (fromMe || !remoteJid || chatKind(remoteJid) !== 'user') return []
      const written = [remoteJid, ...(remoteJidAlt ? [remoteJidAlt] : [])].map(keyOf)
      const stored = await Promise.all(written.map(isStored))
      if (stored.every(Boolean)) return []
      const isFirst = !written.some((key) => known.has(key))
      // The commit of an earlier message may have failed, so each message writes the row again until a read finds it.
      for (const [index, key] of written.entries()) if (!stored[index]) known.set(key, 'arriving')
      if (isFirst) onNew()
      return written.map((key): Op => [key, PRESENT])
    },
    async hasWritten(phone) {
      const identifier = parseIdentifier(phone)
      if (identifier?.kind !== 'user') return true
      for (const key of (await namesOf(toJid(identifier))).map(keyOf)) {
        if (known.has(key) || (await isStored(key))) return true
      }
      return false
    },
    async forget() {
      known.clear()
      await removeAll(store, keys.correspondents(instance))
    },
  }
}
