/**
 * Parses the JSON of a large body while it arrives. A long string can only be a file in base64: it is decoded
 * immediately, and its text is not kept.
 */
import { randomUUID } from 'node:crypto'
import { Failure } from '../../src/domain/failures.ts'
import { heldText } from '../../src/features/held-text.ts'
import { beginsValue, MAX_VALUES, parseJson, replaceWithin, TooManyValues } from '../../src/features/json.ts'
import { giveBack } from '../../src/lib/give-back.ts'
import { LongText } from './long-text.ts'

const KB = 1_024
const MB = KB * KB
/**
 * Number of bytes from which a string can only be a file. An ordinary field has at most 65,536 characters, each of
 * which may be escaped in 12 bytes.
 */
const LONG = MB
/**
 * Largest number of bytes of a body without its decoded files. No operation accepts more than ten pictures, and a
 * picture that is shorter than `LONG` is not decoded while it arrives.
 */
const MOST_BESIDE = 16 * MB
const MOST_OF_FILE = 48 * MB

const [QUOTE, BACKSLASH] = [...'"\\'].map((sign) => sign.charCodeAt(0)) as [number, number]
const encoder = new TextEncoder()

const capacityFor = (bytes: number) => 2 ** Math.ceil(Math.log2(Math.max(bytes, 64 * KB)))

class Row {
  #bytes = new Uint8Array(capacityFor(0))
  length = 0

  get capacity(): number {
    return this.#bytes.byteLength
  }

  append(bytes: Uint8Array): void {
    const end = this.length + bytes.byteLength
    if (end > this.capacity) this.#move(end)
    this.#bytes.set(bytes, this.length)
    this.length = end
  }

  cut(end: number): void {
    this.length = end
    if (capacityFor(end) < this.capacity) this.#move(end)
  }

  from(start: number, end = this.length): Uint8Array {
    return this.#bytes.subarray(start, end)
  }

  #move(bytes: number): void {
    const other = new Uint8Array(capacityFor(bytes))
    other.set(this.from(0))
    giveBack([this.#bytes])
    this.#bytes = other
  }
}

export class StreamedJson {
  readonly #rest = new Row()
  readonly #texts = new Map<string, symbol>()
  readonly #nonce = randomUUID()
  #long: LongText | undefined
  /** Position in `#rest` of the text that is being read; undefined outside of a text. */
  #textAt: number | undefined
  #isEscaped = false
  #heldByTexts = 0
  #values = 0
  #refusal: Error | undefined
  readonly #longFrom: number

  /**
   * Creates a parser. Texts of at least `longFrom` bytes are decoded while they arrive. An escaped data URL prefix must
   * have fewer bytes.
   */
  constructor(longFrom = LONG) {
    this.#longFrom = longFrom
  }

  /** Whether `value` will throw, whatever the rest of the body contains. */
  get isRefused(): boolean {
    return this.#refusal !== undefined
  }

  get held(): number {
    return this.#rest.capacity + this.#heldByTexts + (this.#long?.held ?? 0)
  }

  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length && !this.#refusal; ) {
      if (this.#long) at = this.#inLong(this.#long, bytes, at)
      else if (this.#textAt === undefined) at = this.#outside(bytes, at)
      else at = this.#inText(bytes, at, this.#textAt)
    }
    if (this.#values > MAX_VALUES) this.#refuse(new TooManyValues())
    if (this.#rest.length > MOST_BESIDE)
      this.#refuse(Failure.invalid({ path: '', message: `must have at most ${MOST_BESIDE / MB} MB beside its files` }))
  }

  /**
   * Returns the parsed body. Each long text is replaced by a JavaScript `symbol`. Throws the errors of `parseJson`, or
   * a `Failure`.
   */
  value(): unknown {
    if (this.#refusal) throw this.#refusal
    const value = parseJson(this.#rest.from(0))
    return this.#texts.size === 0 ? value : this.#restored(value)
  }

  free(kept: ReadonlySet<ArrayBufferLike> = new Set()): void {
    this.#long?.free()
    for (const token of this.#texts.values()) {
      const { file } = heldText(token)!
      if (typeof file !== 'string' && !kept.has(file.buffer)) giveBack([file])
    }
  }

  #refuse(refusal: Error): void {
    this.#refusal ??= refusal
    this.free()
  }

  #outside(bytes: Uint8Array, from: number): number {
    const quote = bytes.indexOf(QUOTE, from)
    const end = quote < 0 ? bytes.length : quote + 1
    for (let at = from; at < end; at++) if (beginsValue(bytes[at])) this.#values++
    this.#rest.append(bytes.subarray(from, end))
    if (quote >= 0) this.#textAt = this.#rest.length
    return end
  }

  #inText(bytes: Uint8Array, from: number, textAt: number): number {
    const room = this.#longFrom - (this.#rest.length - textAt)
    const most = Math.min(bytes.length, from + room)
    let at = from
    for (; at < most; at++) {
      if (this.#isEscaped) this.#isEscaped = false
      else if (bytes[at] === BACKSLASH) this.#isEscaped = true
      else if (bytes[at] === QUOTE) break
    }
    const isEnd = at < most
    const end = isEnd ? at + 1 : most
    this.#rest.append(bytes.subarray(from, end))
    if (isEnd) this.#textAt = undefined
    else if (end === from + room) this.#begin(textAt)
    return end
  }

  #begin(textAt: number): void {
    this.#long = new LongText(MOST_OF_FILE)
    this.#isEscaped = false
    this.#long.push(this.#rest.from(textAt))
    this.#rest.cut(textAt)
    this.#rest.append(encoder.encode(this.#name()))
  }

  #name(): string {
    return `${this.#nonce}:${this.#texts.size}`
  }

  #inLong(long: LongText, bytes: Uint8Array, from: number): number {
    const end = long.push(bytes, from)
    if (end === undefined) return bytes.length
    if (long.isInvalid) this.#refuse(new SyntaxError('a string in the body is not valid JSON in UTF-8'))
    this.#heldByTexts += long.held
    this.#texts.set(this.#name(), long.finish())
    this.#long = undefined
    this.#textAt = undefined
    this.#rest.append(Uint8Array.of(QUOTE))
    return end
  }

  #restored(value: unknown): unknown {
    const whole = { value }
    replaceWithin(whole, (each, name) => {
      if (this.#texts.has(name)) throw Failure.invalid({ path: '', message: 'has a field name that is too long' })
      return typeof each === 'string' ? (this.#texts.get(each) ?? each) : each
    })
    return whole.value
  }
}
