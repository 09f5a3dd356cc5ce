/** Decodes a long base64 string of a JSON body while it arrives, without keeping the string. */
import { type Base64Problem, createBase64Decoder } from '../../src/features/base64-decoder.ts'
import { DATA_PREFIX, holdText, MAX_PREFIX } from '../../src/features/held-text.ts'
import { GrowingBytes } from './growing-bytes.ts'

const [QUOTE, BACKSLASH, LETTER_U] = [...'"\\u'].map((sign) => sign.charCodeAt(0)) as [number, number, number]
const SPACE = 32
/** Bytes with at least this value belong to characters that are not ASCII. */
const NO_ASCII = 128
/** Characters after a backslash, and the characters that they stand for; `u` is followed by four digits. */
const ESCAPED = new Map(
  Object.entries({ '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }).map(codes),
)
function codes([sign, meant]: [string, string]): [number, number] {
  return [sign.charCodeAt(0), meant.charCodeAt(0)]
}

/** Size of the buffer of characters, in bytes. All texts share this buffer, which is empty between calls. */
const PART = 65_536
const characters = new Uint8Array(PART)
const decoded = new Uint8Array((PART / 4) * 3 + 3)

export class LongText {
  isInvalid = false
  readonly #file: GrowingBytes
  readonly #decoder = createBase64Decoder()
  #problem: Base64Problem | undefined
  #begin = ''
  #prefix: RegExpExecArray | null = null
  /** Position in an escape sequence: 0 outside of one, 1 after a backslash, 2 to 5 after `\u` and its digits. */
  #escape = 0
  #code = 0
  #filled = 0
  #utf8: InstanceType<typeof TextDecoder> | undefined

  /** Creates a decoder. `most` is the largest number of decoded bytes. */
  constructor(most: number) {
    this.#file = new GrowingBytes(most)
  }

  get held(): number {
    return this.#file.length
  }

  /**
   * Decodes the next bytes of the text. Returns the position after the closing quote, or undefined if the text
   * continues.
   */
  push(bytes: Uint8Array, from = 0): number | undefined {
    let at = from
    for (;;) {
      if (this.#escape === 0) {
        const end = endOfRun(bytes, at)
        this.#take(bytes.subarray(at, end))
        at = end
      }
      const byte = bytes[at]
      const isEnd = byte === QUOTE && this.#escape === 0
      if (byte === undefined || isEnd) {
        this.#decode()
        this.#checkText(bytes.subarray(from, at), isEnd)
        return isEnd ? at + 1 : undefined
      }
      this.#special(byte)
      at++
    }
  }

  /** Ends the text. Returns the JavaScript `symbol` that replaces the text in the parsed body. */
  finish(): symbol {
    if (this.#problem === undefined) {
      this.#file.append(decoded.subarray(0, this.#decoder.end(decoded, 0)))
      this.#problem = this.#decoder.problem()
    }
    if (this.#problem !== undefined) this.#file.free()
    return holdText({ file: this.#problem ?? this.#file.finish(), mime: this.#prefix?.[1] || null, begin: this.#begin })
  }

  free(): void {
    this.#file.free()
  }

  #special(byte: number): void {
    if (this.#escape > 1) this.#hexDigit(byte)
    else if (this.#escape === 1) this.#escaped(byte)
    else if (byte === BACKSLASH) this.#escape = 1
    else this.isInvalid = true
  }

  #escaped(byte: number): void {
    this.#escape = byte === LETTER_U ? 2 : 0
    const meant = ESCAPED.get(byte)
    if (meant !== undefined) this.#take(Uint8Array.of(meant))
    else if (byte !== LETTER_U) this.isInvalid = true
  }

  #hexDigit(byte: number): void {
    const value = Number.parseInt(String.fromCharCode(byte), 16)
    if (Number.isNaN(value)) this.isInvalid = true
    this.#code = (this.#escape === 2 ? 0 : this.#code << 4) | value
    this.#escape = this.#escape === 5 ? 0 : this.#escape + 1
    if (this.#escape === 0) this.#take(Uint8Array.of(Math.min(this.#code, NO_ASCII)))
  }

  #take(run: Uint8Array): void {
    let left = run
    if (this.#begin.length < MAX_PREFIX) left = this.#takeBegin(run)
    while (left.length > 0) {
      if (this.#filled === PART) this.#decode()
      const size = Math.min(left.length, PART - this.#filled)
      characters.set(left.subarray(0, size), this.#filled)
      this.#filled += size
      left = left.subarray(size)
    }
  }

  /**
   * Collects the beginning of the text, and removes the prefix of a data URL from the beginning. Returns the bytes
   * after the beginning.
   */
  #takeBegin(run: Uint8Array): Uint8Array {
    const size = Math.min(run.length, MAX_PREFIX - this.#begin.length)
    this.#begin += String.fromCharCode(...run.subarray(0, size))
    if (this.#begin.length === MAX_PREFIX) {
      if (/\P{ASCII}/u.test(this.#begin)) this.#problem = 'character'
      this.#prefix = DATA_PREFIX.exec(this.#begin)
      const data = this.#begin.slice(this.#prefix?.[0].length ?? 0)
      this.#filled = new TextEncoder().encodeInto(data, characters).written
    }
    return run.subarray(size)
  }

  #decode(): void {
    if (this.#problem === undefined) {
      this.#file.append(decoded.subarray(0, this.#decoder.write(characters.subarray(0, this.#filled), decoded, 0)))
      this.#problem = this.#decoder.problem()
      if (this.#problem !== undefined) this.#file.free()
    }
    this.#filled = 0
  }

  /** Checks bytes after a problem in the base64. The text is then no file, but it must at least be valid UTF-8. */
  #checkText(bytes: Uint8Array, isLast: boolean): void {
    if (this.#problem === undefined) return
    this.#utf8 ??= new TextDecoder('utf-8', { fatal: true })
    try {
      this.#utf8.decode(bytes, { stream: !isLast })
    } catch {
      this.isInvalid = true
    }
  }
}

/** Finds the end of a run without quotes, backslashes and control characters. */
function endOfRun(bytes: Uint8Array, from: number): number {
  let at = from
  for (; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte === QUOTE || byte === BACKSLASH || byte < SPACE) break
  }
  return at
}
