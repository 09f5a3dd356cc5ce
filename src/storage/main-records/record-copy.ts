/**
 * The records of the loaded families. A record is passed on to the memory of its family only if it has changed or was
 * removed, so all records can be read again without effects.
 */
import type { Log } from '../../domain/log.ts'
import { sha256 } from '../../lib/sha256.ts'
import { FAMILIES, type FollowedFamily } from './families.ts'
import type { Memory, StoredRecords } from './main-records.ts'

interface Loaded {
  prefix: string
  memory: Memory
  /** Hash of the bytes of each record, by the key of the record. */
  hashes: Map<string, string>
}

export interface RecordCopy {
  isEmpty(): boolean
  add(family: FollowedFamily, memory: Memory, found: StoredRecords): void
  /** Passes a record to its memory if it has changed. Has no effect if the family of the record is not loaded. */
  pass(key: string, value: Uint8Array | null, isOwn: boolean): void
  families(): { prefix: string; keys: Iterable<string> }[]
}

const hashOf = (bytes: Uint8Array) => sha256(bytes, 'base64url')

export function createRecordCopy(log: Log): RecordCopy {
  const loaded: Loaded[] = []

  /**
   * If the record cannot be read, its old content must not stay valid: it may be a key that was replaced. Its hash is
   * deleted, so that the next read of all records tries again.
   */
  function read({ memory, hashes }: Loaded, key: string, value: Uint8Array, isOwn: boolean) {
    try {
      memory.put(key, value, isOwn)
    } catch (err) {
      log.error({ err, key }, 'a changed record could not be read; this service treats it as removed')
      hashes.delete(key)
      if (memory.unreadable) memory.unreadable(key)
      else memory.remove(key, isOwn)
    }
  }

  function change(family: Loaded, key: string, value: Uint8Array | null, isOwn: boolean) {
    if (value === null) {
      family.hashes.delete(key)
      return family.memory.remove(key, isOwn)
    }
    const hash = hashOf(value)
    if (family.hashes.get(key) === hash) return
    family.hashes.set(key, hash)
    read(family, key, value, isOwn)
  }

  return {
    isEmpty: () => loaded.length === 0,
    add(family, memory, found) {
      const hashes = new Map(found.map(([key, bytes]) => [key, hashOf(bytes)]))
      loaded.push({ prefix: FAMILIES[family].prefix, memory, hashes })
    },
    pass(key, value, isOwn) {
      for (const family of loaded) if (key.startsWith(family.prefix)) change(family, key, value, isOwn)
    },
    families: () => loaded.map(({ prefix, hashes }) => ({ prefix, keys: hashes.keys() })),
  }
}
