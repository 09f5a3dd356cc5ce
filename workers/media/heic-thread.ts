/**
 * The main module of a thread that decodes one HEIC picture and ends: libheif as WebAssembly computes without a pause, so only ending its
 * thread ends it. Loaded when such a picture comes, gone with all its memory afterwards.
 */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'
import { giveWay } from './give-way.ts'

export interface HeicTask {
  path: string
  maxPixels: number
}

/** RGBA, 8 bits, with the file's rotation and crop applied; or the reason of the failure. */
export type HeicAnswer =
  | { width: number; height: number; hasAlpha: boolean; data: Uint8Array<ArrayBuffer> }
  | { problem: 'broken' | 'too large' }

/** The part of libheif-js that is used; its own types describe the raw bindings only. */
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

/** Of all memory libheif may have, in bytes: 100 million pixels as the planes of the file and as RGBA beside them, and some to work with. */
const MAX_MEMORY = 1_536 * 1_024 * 1_024
/** Of WebAssembly, in bytes. */
const PAGE = 65_536

/** As much of it as is used here: the types of WebAssembly come with those of browsers. */
interface Memory {
  readonly buffer: ArrayBuffer
  grow(this: Memory, pages: number): number
}
const { Memory } = (globalThis as unknown as { WebAssembly: { Memory: { prototype: Memory } } }).WebAssembly

/** A picture may promise few pixels and carry a stream of many: the decoder is then out of memory, and the machine is not. */
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
  // Reads the boxes only. A file it cannot read has no pictures; a file of several names the one to show.
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
