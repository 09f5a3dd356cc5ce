/**
 * A buffer that grows in place, so that bytes in it are not copied when more arrive. It is a memory mapping of its own,
 * so that freeing it returns the memory to the system.
 */
import { giveBack } from '../../src/lib/give-back.ts'

/**
 * Resizable buffers are in ES2024 and in Node 20, but not in the types of ES2023. So their types are declared here.
 */
interface Resizable extends ArrayBuffer {
  resize(bytes: number): void
}
const resizable = (most: number) =>
  new (ArrayBuffer as unknown as new (bytes: number, options: object) => Resizable)(0, { maxByteLength: most })

const STEP = 1_048_576

export class GrowingBytes {
  #buffer: Resizable
  #length = 0

  /** Creates an empty buffer. `most`: the largest number of bytes, for which only address space is reserved. */
  constructor(most: number) {
    this.#buffer = resizable(Math.ceil(most / STEP) * STEP)
  }

  get length(): number {
    return this.#length
  }

  append(bytes: Uint8Array): void {
    const end = this.#length + bytes.byteLength
    if (end > this.#buffer.byteLength) this.#buffer.resize(Math.ceil(end / STEP) * STEP)
    new Uint8Array(this.#buffer, this.#length, bytes.byteLength).set(bytes)
    this.#length = end
  }

  /** Returns the bytes, and cuts off the unused end of the buffer. */
  finish(): Uint8Array<ArrayBuffer> {
    this.#buffer.resize(this.#length)
    return new Uint8Array(this.#buffer, 0, this.#length)
  }

  free(): void {
    giveBack([new Uint8Array(this.#buffer)])
    this.#buffer = resizable(0)
    this.#length = 0
  }
}
