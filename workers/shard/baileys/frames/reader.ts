/**
 * What a connection receives after its handshake, from bytes to stanzas, strictly in the order of the frames. Two faults of the library
 * (Utils/noise-handler.js, WABinary/decode.js) are corrected: it decodes a frame of any size in one turn (20,000 nodes 36 to 68 ms), and it waits for
 * the inflation of a compressed frame while it goes on with the next. Here a small frame is read in the turn in which it comes; a compressed or large
 * one is waited for and read in slices, and nothing more is taken from the wire until it is through.
 */
import { createDecipheriv } from 'node:crypto'
import { promisify } from 'node:util'
import { inflate } from 'node:zlib'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { createTurns } from '../../../../src/lib/turns.ts'
import { MalformedStanza, readingNode, readNode } from '../../wire/binary-node.ts'
import { createSplitter } from './splitter.ts'

/** Bit of a frame's first byte: the rest is deflated. */
const COMPRESSED = 2
/** The most that one frame may be inflated to. A frame itself has at most half of it. */
export const MAX_INFLATED = 32 * 2 ** 20
/** Bytes that are read in one turn: a few milliseconds, were they all nodes. */
const SMALL = 32 * 2 ** 10
/** In ms: how long frames are read in one turn. A read of the socket has hundreds of short ones, and what they set off follows in the same turn. */
const TURN = 3
/** Nodes and attributes between two looks at the time. */
const SLICE = 512
const TAG = 16

export interface FrameReader {
  push(bytes: Buffer): void
  /** The connection has ended: what is not read is dropped. */
  end(): void
}

export interface FrameReaderDeps {
  onNode(node: BinaryNode): void
  /** A frame could not be opened or handled. Nothing more is read. */
  onBroken(error: unknown): void
  /** There is more than can be read in one turn: nothing more should come until it is read. */
  onBusy(isBusy: boolean): void
  /** In ms; does not step. */
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

  /** Until nothing is left, or what is left needs more than this turn. */
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

  /** Undefined: the connection has ended meanwhile. */
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

/** AES-256-GCM with a counter, which goes on with each frame. Throws when a frame is not of the key, or not the next. */
function createOpener(key: Uint8Array): (frame: Buffer) => Buffer {
  const iv = Buffer.alloc(12)
  let counter = 0
  return (frame) => {
    if (frame.length < TAG) throw new MalformedStanza('A frame is too short for its proof')
    iv.writeUInt32BE(counter++, 8)
    const decipher = createDecipheriv('aes-256-gcm', key, iv)
    decipher.setAuthTag(frame.subarray(frame.length - TAG))
    const plain = decipher.update(frame.subarray(0, -TAG))
    decipher.final()
    return plain
  }
}
