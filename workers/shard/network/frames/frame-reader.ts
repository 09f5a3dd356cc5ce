/**
 * Decodes the bytes of a connection to stanzas after the handshake, strictly in the order of the frames. A small frame
 * is usually decoded in the turn of the event loop in which it arrives. A compressed or large frame is decoded in
 * slices, and no later frame is decoded before it: 20,000 nodes at once would block the thread for 36 to 68 ms.
 */
import { promisify } from 'node:util'
import { inflate } from 'node:zlib'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { createTurns } from '../../../../src/lib/turns.ts'
import { MalformedStanza, readingNode, readNode } from '../../wire/binary-node.ts'
import { unsealFrame } from '../noise/cipher.ts'
import { createSplitter } from './splitter.ts'

/** If this bit of the first byte is set, the rest of the frame is compressed (deflate). */
const COMPRESSED = 2
/**
 * Maximum number of bytes of a frame after decompression. A compressed frame has at most half as many, because its
 * length has three bytes.
 */
export const MAX_INFLATED = 32 * 2 ** 20
/** Maximum number of bytes of a frame that is decoded in one turn of the event loop. This takes a few milliseconds. */
const SMALL = 32 * 2 ** 10
/**
 * Time in ms after which the next frame waits for another turn of the event loop. One read of the socket can bring
 * hundreds of short frames.
 */
const TURN = 3
const SLICE = 512
/** Number of bytes in the authentication tag of a frame. */
const TAG = 16

export interface FrameReader {
  push(bytes: Buffer): void
  end(): void
}

export interface FrameReaderDeps {
  onNode(node: BinaryNode): void
  /** Called when a frame cannot be decrypted or decoded. No later frame is read. */
  onBroken(error: unknown): void
  /**
   * Called with true if received frames must wait for another turn of the event loop; no more data should arrive until
   * it is called with false.
   */
  onBusy(isBusy: boolean): void
  /** A monotonic clock, in ms. */
  now?: (() => number) | undefined
}

export function createFrameReader(key: Uint8Array, { onNode, onBroken, onBusy, now }: FrameReaderDeps): FrameReader {
  const splitter = createSplitter()
  const open = createOpener(key)
  let isBusy = false
  let hasEnded = false

  function broken(error: unknown) {
    if (hasEnded) return
    hasEnded = true
    onBroken(error)
  }

  function next(): Buffer | undefined {
    const frame = hasEnded ? undefined : splitter.next()
    return frame && open(frame)
  }

  /** Decodes frames until no complete frame is left, or until the rest must wait for another turn of the event loop. */
  function read(): void {
    const turn = createTurns(now, TURN)
    for (let plain = next(); plain !== undefined; plain = next()) {
      const isLate = turn()
      if (isLate !== undefined || !isSmall(plain)) return void readOn(plain, turn, isLate)
      onNode(readNode(plain.subarray(1)))
    }
  }

  async function readOn(first: Buffer, turn: Turns, isLate: Promise<void> | undefined): Promise<void> {
    isBusy = true
    onBusy(true)
    try {
      await isLate
      for (let plain: Buffer | undefined = first; plain !== undefined; plain = next()) {
        const node = isSmall(plain) ? readNode(plain.subarray(1)) : await inSlices(await bodyOf(plain), turn)
        if (hasEnded || node === undefined) return
        onNode(node)
        await turn()
      }
    } catch (error) {
      broken(error)
    } finally {
      isBusy = false
      onBusy(false)
    }
  }

  /** Decodes a frame in slices. Returns undefined if the connection has ended in the meantime. */
  async function inSlices(body: Buffer, turn: Turns): Promise<BinaryNode | undefined> {
    const reading = readingNode(body)
    let node = reading.read(SLICE)
    while (node === undefined && !hasEnded) {
      await turn()
      node = reading.read(SLICE)
    }
    return node
  }

  return {
    push(bytes) {
      if (hasEnded) return
      splitter.push(bytes)
      if (isBusy) return
      try {
        read()
      } catch (error) {
        broken(error)
      }
    },
    end() {
      hasEnded = true
    },
  }
}

type Turns = ReturnType<typeof createTurns>

const isSmall = (plain: Buffer): boolean => plain.length <= SMALL && !isCompressed(plain)

function isCompressed(plain: Buffer): boolean {
  const first = plain[0]
  if (first === undefined) throw new MalformedStanza('A frame is empty')
  return (first & COMPRESSED) !== 0
}

const inflated = promisify(inflate)

async function bodyOf(plain: Buffer): Promise<Buffer> {
  const body = plain.subarray(1)
  if (!isCompressed(plain)) return body
  return inflated(body, { maxOutputLength: MAX_INFLATED, chunkSize: Math.max(SMALL, body.length) })
}

/**
 * Creates a function that decrypts the frames in order. It throws if a frame is encrypted with another key or is out of
 * order.
 */
function createOpener(key: Uint8Array): (frame: Buffer) => Buffer {
  let counter = 0
  return (frame) => {
    if (frame.length < TAG) throw new MalformedStanza('A frame is too short for its proof')
    return unsealFrame(frame, { key, counter: counter++ })
  }
}
