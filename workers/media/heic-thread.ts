/**
 * The main module of a thread that decodes one HEIC picture and then ends. libheif computes without a pause, so only
 * the end of its thread can stop it and free its memory.
 */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'
import { giveWay } from './give-way.ts'

export interface HeicTask {
  path: string
  maxPixels: number
}

/**
 * The decoded picture, or the reason of the failure. `data` is RGBA with 8 bits, with the file's rotation and crop
 * applied.
 */
export type HeicAnswer =
  | { width: number; height: number; hasAlpha: boolean; data: Uint8Array<ArrayBuffer> }
  | { problem: 'broken' | 'too large' }

/** The part of libheif-js that is used here; its own types describe only the raw bindings. */
interface HeifPicture {
  get_width(): number
  get_height(): number
  is_primary(): boolean
  has_alpha_channel(): number
  display(into: { data: Uint8Array; width: number; height: number }, done: (shown: object | null) => void): void
}
interface Libheif {
  HeifDecoder: new () => { decode(file: Uint8Array): HeifPicture[] }
}

/**
 * Maximum number of bytes of memory for libheif: for 100 million pixels in the planes of the file, for the same pixels
 * as RGBA, and for its work.
 */
const MAX_MEMORY = 1_536 * 1_024 * 1_024
const PAGE = 65_536

interface Memory {
  readonly buffer: ArrayBuffer
  grow(this: Memory, pages: number): number
}
const { Memory } = (globalThis as unknown as { WebAssembly: { Memory: { prototype: Memory } } }).WebAssembly

/**
 * Makes requests for memory above `MAX_MEMORY` fail, because a malicious picture may state few pixels and contain many.
 */
function limitMemory() {
  const { grow } = Memory.prototype
  Memory.prototype.grow = function (pages) {
    if (this.buffer.byteLength + pages * PAGE > MAX_MEMORY) throw new RangeError('libheif asks for too much memory')
    return grow.call(this, pages)
  }
}

async function decode({ path, maxPixels }: HeicTask): Promise<HeicAnswer> {
  limitMemory()
  const { HeifDecoder } = createRequire(import.meta.url)('libheif-js/wasm-bundle.js') as Libheif
  // `decode` reads only the boxes, and returns no pictures if it cannot read the file.
  const picture = new HeifDecoder().decode(await readFile(path)).find((one) => one.is_primary())
  if (picture === undefined) return { problem: 'broken' }
  const [width, height] = [picture.get_width(), picture.get_height()]
  if (width * height > maxPixels) return { problem: 'too large' }
  const data = new Uint8Array(width * height * 4)
  const shown = await new Promise<object | null>((resolve) => picture.display({ data, width, height }, resolve))
  return shown === null ? { problem: 'broken' } : { width, height, hasAlpha: Boolean(picture.has_alpha_channel()), data }
}

giveWay()
const answer = await decode(workerData as HeicTask)
parentPort?.postMessage(answer, 'data' in answer ? [answer.data.buffer] : [])
