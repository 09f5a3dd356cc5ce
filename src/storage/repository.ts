/**
 * Stores records of one kind as versioned JSON. A record is validated at every read, upgraded if an older version wrote
 * it, and encrypted if it contains parts of a conversation or a credential.
 */
import * as v from 'valibot'
import type { Op, RangeOptions, StateStore } from './contract.ts'
import type { Sealer } from './sealer.ts'

type Stored = Record<string, unknown>

export interface RepositoryOptions<T extends object> {
  name: string
  schema: v.GenericSchema<unknown, T>
  version: number
  /** For each older version n, a function that upgrades a record from n to n + 1. */
  upgrades?: Record<number, (old: Stored) => Stored>
  sealed?: Sealer | undefined
}

export interface ListOptions extends RangeOptions {
  /** Called for a record that cannot be used; a listing then skips it. If absent, the listing fails. */
  onUnreadable?: (error: unknown) => void
}

export interface Repository<T> {
  encode(key: string, value: T): Op
  decode(key: string, bytes: Uint8Array): T
  get(store: Pick<StateStore, 'get'>, key: string): Promise<T | undefined>
  list(store: Pick<StateStore, 'range'>, prefix: string, options?: ListOptions): AsyncIterable<{ key: string; value: T }>
  remove(key: string): Op
}

/** Error for a record that exists but cannot be used. The message names the key, and no value of the record. */
export class RecordError extends Error {
  readonly key: string

  constructor(name: string, key: string, problem: string, options?: ErrorOptions) {
    super(`${name} ${key}: ${problem}`, options)
    this.name = 'RecordError'
    this.key = key
  }
}

/**
 * Buffer in which a record is written before it is encrypted or copied. A record that is too long for it gets a buffer
 * of its own.
 */
const SCRATCH = Buffer.alloc(16_384)

export function repository<T extends object>({
  name,
  schema,
  version,
  upgrades = {},
  sealed,
}: RepositoryOptions<T>): Repository<T> {
  for (let old = 1; old < version; old++) {
    if (upgrades[old] === undefined) throw new Error(`Records of the kind ${name} have no upgrade from version ${old}.`)
  }

  function parse(key: string, bytes: Uint8Array): Stored {
    let value: unknown
    try {
      value = JSON.parse((sealed ? sealed.open(key, bytes) : Buffer.from(bytes)).toString('utf8'))
    } catch (cause) {
      throw new RecordError(name, key, 'is not readable', { cause })
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new RecordError(name, key, 'is not a record')
    return value as Stored
  }

  function upgrade(key: string, { v: written, ...rest }: Stored): Stored {
    if (typeof written !== 'number' || !Number.isInteger(written) || written < 1)
      throw new RecordError(name, key, 'has no version')
    if (written > version) throw new RecordError(name, key, `has version ${written}; this program knows up to ${version}`)
    let record = rest
    for (let from = written; from < version; from++) record = upgrades[from]!(record)
    return record
  }

  function decode(key: string, bytes: Uint8Array): T {
    const parsed = v.safeParse(schema, upgrade(key, parse(key, bytes)))
    if (parsed.success) return parsed.output
    const issue = parsed.issues[0]
    throw new RecordError(name, key, `has an unexpected ${v.getDotPath(issue) ?? 'shape'} (${issue.type})`)
  }

  const head = `{"v":${version},`

  /**
   * Returns the JSON of the value with the version in front, valid until the next call for any kind of record. The
   * version is added to the bytes, because a copy of the value, or joined strings, would be slower.
   */
  function written(value: T): Buffer {
    const json = JSON.stringify(value)
    const at = head.length - 1
    if (json === '{}') return Buffer.from(`${head.slice(0, -1)}}`)
    const bytes = at + json.length * 3 <= SCRATCH.length ? SCRATCH : Buffer.allocUnsafeSlow(at + Buffer.byteLength(json))
    const end = at + bytes.write(json, at)
    // The comma of the head takes the place of the bracket that opens the object.
    bytes.write(head)
    return bytes.subarray(0, end)
  }

  return {
    decode,
    encode(key, value) {
      const plain = written(value)
      return [key, sealed ? sealed.seal(key, plain) : Buffer.from(plain)]
    },
    async get(store, key) {
      const bytes = await store.get(key)
      return bytes && decode(key, bytes)
    },
    async *list(store, prefix, { onUnreadable, ...options } = {}) {
      for await (const [key, bytes] of store.range(prefix, options)) {
        let value: T
        try {
          value = decode(key, bytes)
        } catch (error) {
          if (!onUnreadable) throw error
          onUnreadable(error)
          continue
        }
        yield { key, value }
      }
    },
    remove: (key) => [key, null],
  }
}
