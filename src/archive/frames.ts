/**
 * A named byte string. In a file: length of the name, name, length of the bytes, bytes. Lengths have 32 bits, the most
 * significant byte first.
 */

export type Frame = readonly [name: string, bytes: Uint8Array]

const LENGTH_BYTES = 4
const MAX_NAME = 4_096
const MAX_BYTES = 256 * 1_048_576

export function frameBytes([name, bytes]: Frame): Uint8Array[] {
  const named = Buffer.from(name)
  return [length(named.length), named, length(bytes.length), bytes]
}

function length(value: number): Buffer {
  const bytes = Buffer.alloc(LENGTH_BYTES)
  bytes.writeUInt32BE(value)
  return bytes
}

/**
 * Reads frames from chunks of any size. Throws a RangeError if the stream ends inside a frame, or if a length exceeds
 * its limit.
 */
export async function* framesIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Frame> {
  const source = chunks[Symbol.asyncIterator]()
  let held: Buffer[] = []
  let size = 0

  async function filled(wanted: number): Promise<boolean> {
    while (size < wanted) {
      const { value, done } = await source.next()
      if (done === true) return false
      held.push(Buffer.from(value))
      size += value.length
    }
    return true
  }

  async function take(count: number): Promise<Buffer> {
    if (!(await filled(count))) throw new RangeError('the archive ends too early')
    const all = held.length === 1 ? held[0]! : Buffer.concat(held)
    held = [all.subarray(count)]
    size -= count
    return all.subarray(0, count)
  }

  async function sized(most: number): Promise<Buffer> {
    const count = (await take(LENGTH_BYTES)).readUInt32BE()
    if (count > most) throw new RangeError(`a part of the archive has ${count} bytes, and at most ${most} are allowed`)
    return take(count)
  }

  while (await filled(1)) {
    const name = (await sized(MAX_NAME)).toString()
    yield [name, await sized(MAX_BYTES)]
  }
}
