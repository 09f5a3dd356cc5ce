/**
 * State of a collection of app state: its version, the hash over its entries, and the MACs of each entry. Work on all
 * entries is done in slices, because an account may have tens of thousands of people.
 * The record on disk has a format byte, the version in 8 bytes, the hash in 128 bytes, then 64 bytes per entry. (The
 * first format was JSON.)
 */
import { BufferJSON, LT_HASH_ANTI_TAMPERING, type LTHashState } from '@whiskeysockets/baileys'
import { createTurns } from '../../../src/lib/turns.ts'

export interface CollectionState {
  version: number
  /** Hash over the values of all entries, in 128 bytes. */
  hash: Uint8Array
  /** MAC of the value of each entry, by the MAC of its index (as latin1 text). */
  entries: Map<string, Uint8Array>
}

export const MAC = 32
const HASH = 128
const HEAD = 1 + 8 + HASH
const FORMAT = 1

export const newCollection = (): CollectionState => ({ version: 0, hash: new Uint8Array(HASH), entries: new Map() })

export const entryName = (indexMac: Uint8Array): string => Buffer.from(indexMac).toString('latin1')

export interface CollectionChange {
  set(indexMac: Uint8Array, valueMac: Uint8Array): boolean
  remove(indexMac: Uint8Array): boolean
  readonly hash: Uint8Array
  done(version: number): CollectionState
}

const BATCH = 64

export function changeCollection(before: CollectionState): CollectionChange {
  const entries = new Map(before.entries)
  let { hash } = before
  let gone: Uint8Array[] = []
  let come: Uint8Array[] = []

  function mix() {
    // The hash is a sum, so values can be added and removed in parts and in any order.
    if (gone.length + come.length > 0) hash = LT_HASH_ANTI_TAMPERING.subtractThenAdd(hash, gone, come)
    gone = []
    come = []
  }

  return {
    set(indexMac, valueMac) {
      const name = entryName(indexMac)
      const known = entries.get(name)
      if (known && Buffer.compare(known, valueMac) === 0) return false
      if (known) gone.push(known)
      // This is a copy, because a view would keep the whole buffer in memory.
      const kept = Uint8Array.from(valueMac)
      come.push(kept)
      entries.set(name, kept)
      if (come.length >= BATCH) mix()
      return true
    },
    remove(indexMac) {
      const name = entryName(indexMac)
      const known = entries.get(name)
      if (!known) return false
      gone.push(known)
      entries.delete(name)
      if (gone.length >= BATCH) mix()
      return true
    },
    get hash() {
      mix()
      return hash
    },
    done(version) {
      mix()
      return { version, hash, entries }
    },
  }
}

export async function collectionBytes({ version, hash, entries }: CollectionState): Promise<Uint8Array> {
  const turn = createTurns()
  const bytes = Buffer.alloc(HEAD + entries.size * 2 * MAC)
  bytes[0] = FORMAT
  bytes.writeBigUInt64BE(BigInt(version), 1)
  bytes.set(hash, 9)
  let at = HEAD
  for (const [name, valueMac] of entries) {
    bytes.write(name, at, MAC, 'latin1')
    bytes.set(valueMac, at + MAC)
    at += 2 * MAC
    await turn()
  }
  return bytes
}

export async function collectionFrom(stored: Uint8Array): Promise<CollectionState> {
  if (stored[0] !== FORMAT) return fromJson(stored)
  const turn = createTurns()
  const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength)
  const entries = new Map<string, Uint8Array>()
  for (let at = HEAD; at < bytes.length; at += 2 * MAC) {
    entries.set(bytes.toString('latin1', at, at + MAC), bytes.subarray(at + MAC, at + 2 * MAC))
    await turn()
  }
  return { version: collectionVersion(stored), hash: bytes.subarray(9, HEAD), entries }
}

export function collectionVersion(stored: Uint8Array): number {
  if (stored[0] !== FORMAT) return fromJson(stored).version
  return Number(Buffer.from(stored.buffer, stored.byteOffset, HEAD).readBigUInt64BE(1))
}

function fromJson(stored: Uint8Array): CollectionState {
  const { version, hash, indexValueMap }: LTHashState = JSON.parse(Buffer.from(stored).toString(), BufferJSON.reviver)
  const entries = Object.entries(indexValueMap).map(
    ([index, { valueMac }]) => [entryName(Buffer.from(index, 'base64')), Uint8Array.from(valueMac)] as const,
  )
  return { version: Number(version) || 0, hash: Uint8Array.from(hash), entries: new Map(entries) }
}
