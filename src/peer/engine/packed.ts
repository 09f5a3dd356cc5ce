/**
 * Plain data as it is sent between services: JSON, followed by the byte arrays in it. The JSON has null in the place of
 * each byte array, and a list of these places.
 */
import { Failure } from '../../domain/failures.ts'
import type { BodyReader } from '../../http/steady-reader.ts'

type Path = (string | number)[]

interface Head {
  /** Absent for undefined. */
  value?: unknown
  parts: { at: Path; size: number }[]
}

export interface Packed {
  /** The pieces to send, one after the other. Byte arrays are not copied. */
  pieces: readonly Uint8Array[]
  size: number
}

/** Number of bytes in front of the JSON, which state its length. */
const LENGTH = 4
const MOST_JSON = 64 * 1_024 * 1_024
const MOST_PARTS = 128 * 1_024 * 1_024
const DEEPEST = 64

/** Packs plain data. Throws `TypeError` for any other value. */
export function pack(value: unknown): Packed {
  const bytes: Uint8Array[] = []
  const parts: Head['parts'] = []

  function plain(each: unknown, at: Path): unknown {
    if (at.length > DEEPEST) throw new TypeError('The data are nested too deeply.')
    if (each === undefined || each === null || typeof each === 'string' || typeof each === 'boolean') return each
    if (typeof each === 'number' && Number.isFinite(each)) return each
    if (each instanceof Uint8Array) {
      bytes.push(each)
      parts.push({ at, size: each.byteLength })
      return null
    }
    // Holes and undefined in a list become null, as in JSON.
    if (Array.isArray(each)) return Array.from(each, (one, index) => plain(one === undefined ? null : one, [...at, index]))
    if (typeof each !== 'object' || !isRecord(each)) throw new TypeError(`The data contain a ${nameOf(each)}.`)
    return Object.fromEntries(Object.entries(each).map(([name, one]) => [name, plain(one, [...at, name])]))
  }

  const head: Head = { value: plain(value, []), parts }
  const json = Buffer.from(JSON.stringify(head))
  const length = Buffer.alloc(LENGTH)
  length.writeUInt32BE(json.byteLength)
  const pieces = [Buffer.concat([length, json]), ...bytes]
  return { pieces, size: pieces.reduce((sum, { byteLength }) => sum + byteLength, 0) }
}

const isRecord = (value: object) => [Object.prototype, null].includes(Object.getPrototypeOf(value))
const nameOf = (value: unknown) => (typeof value === 'object' ? value!.constructor.name : typeof value)

/**
 * Reads one packed value. `hold` is called with the number of its bytes as far as it is known: before the JSON is read,
 * and before the byte arrays. It may throw. Rejects with `Failure` if the data are incomplete or too large.
 */
export async function unpack(source: Pick<BodyReader, 'read'>, hold: (bytes: number) => void = () => {}): Promise<unknown> {
  const { read, end } = exactReader(source)
  const length = viewOf(await read(LENGTH)).getUint32(0)
  if (length > MOST_JSON) throw malformed()
  hold(length)
  const { value, parts } = headIn(await read(length))
  const size = parts.reduce((sum, part) => sum + part.size, 0)
  if (size > MOST_PARTS) throw malformed()
  hold(length + size)
  const root = { value }
  for (const { at, size: bytes } of parts) putAt(root, ['value', ...at], await read(bytes))
  await end()
  return root.value
}

function headIn(json: Uint8Array): Head {
  try {
    const head = JSON.parse(Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString()) as Head
    const isPart = ({ at, size }: Head['parts'][number]) => Array.isArray(at) && Number.isInteger(size) && size >= 0
    if (!Array.isArray(head.parts) || !head.parts.every(isPart)) throw malformed()
    return head
  } catch (cause) {
    throw cause instanceof Failure ? cause : malformed(cause)
  }
}

/**
 * Puts a byte array in its place. The place comes from another service, so it is set only if the data have null there.
 */
function putAt(root: object, at: Path, bytes: Uint8Array): void {
  let owner = root as Record<string | number, unknown>
  for (const name of at.slice(0, -1)) {
    const next = Object.hasOwn(owner, name) ? owner[name] : undefined
    if (typeof next !== 'object' || next === null) throw malformed()
    owner = next as Record<string | number, unknown>
  }
  const name = at.at(-1)!
  if (!Object.hasOwn(owner, name) || owner[name] !== null) throw malformed()
  Object.defineProperty(owner, name, { value: bytes, writable: true, enumerable: true, configurable: true })
}

function exactReader(source: Pick<BodyReader, 'read'>) {
  let rest: Uint8Array = new Uint8Array()
  return {
    /** Reads exactly this number of bytes. */
    async read(size: number): Promise<Uint8Array<ArrayBuffer>> {
      const bytes = new Uint8Array(size)
      let filled = 0
      while (filled < size) {
        if (rest.byteLength === 0) {
          const { done, value } = await source.read()
          if (done) throw malformed()
          rest = value
        }
        const taken = rest.subarray(0, size - filled)
        bytes.set(taken, filled)
        filled += taken.byteLength
        rest = rest.subarray(taken.byteLength)
      }
      return bytes
    },
    /** Reads the end, because the connection can be used again only after that. Throws if there are more bytes. */
    async end(): Promise<void> {
      if (rest.byteLength > 0 || !(await source.read()).done) throw malformed()
    },
  }
}

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array) => new DataView(buffer, byteOffset, byteLength)

const malformed = (cause?: unknown) =>
  new Failure('internal', { message: 'Another service of the store sent data that cannot be read.', cause })
