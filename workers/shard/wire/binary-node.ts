/**
 * Decodes the binary format of a stanza: tokens, packed digits, jids, lists. Incomplete nodes are on an explicit stack,
 * so decoding can pause after any node; the library decodes a whole stanza without a pause.
 */
import type { BinaryNode } from '@whiskeysockets/baileys'
import { DOUBLE_BYTE_TOKENS, SINGLE_BYTE_TOKENS, TAGS } from '@whiskeysockets/baileys/lib/WABinary/constants.js'
import { WAJIDDomains } from '@whiskeysockets/baileys/lib/WABinary/jid-utils.js'

/** Maximum number of nested nodes with children. Ordinary stanzas are about five nodes deep. */
export const MAX_DEPTH = 512
/** Maximum number of strings inside one string. A jid consists of two strings, and each of them may be a jid again. */
export const MAX_STRINGS_IN_STRING = 512
/**
 * Maximum number of nodes and attributes in one stanza; long texts count, too. They need about 200 MB of memory, and
 * are enough for half a million group members.
 */
export const MAX_ELEMENTS = 2 ** 21

/** Thrown if the bytes are invalid. The message contains the problem and the byte offset. */
export class MalformedStanza extends Error {
  override name = 'MalformedStanza'
}

export interface NodeReading {
  /**
   * Decodes about `elements` further nodes and attributes. Returns undefined if the stanza is still incomplete. Throws
   * `MalformedStanza`.
   */
  read(elements: number): BinaryNode | undefined
}

/**
 * Begins to decode a stanza. `bytes` is the decompressed payload of a frame, without its first byte. The contents of
 * nodes are views of these bytes.
 */
export const readingNode = (bytes: Buffer): NodeReading => new Reading(bytes)

export const readNode = (bytes: Buffer): BinaryNode => new Reading(bytes).read(Number.POSITIVE_INFINITY)!

const NONE = '?'
/** The two characters that each value of a byte packs; undefined if half of the byte is not a valid character. */
const pairsOf = (halves: string): readonly (string | undefined)[] =>
  Array.from({ length: 256 }, (_, byte) => {
    const pair = halves.charAt(byte >> 4) + halves.charAt(byte & 15)
    return pair.includes(NONE) ? undefined : pair
  })
const NIBBLES = pairsOf(`0123456789-.${NONE.repeat(3)}\0`)
const HEX = pairsOf('0123456789ABCDEF')

const TOKENS: readonly string[] = SINGLE_BYTE_TOKENS
const DICTIONARIES: readonly (readonly string[])[] = DOUBLE_BYTE_TOKENS
const { DICTIONARY_0 } = TAGS

const SERVERS: Readonly<Record<number, string>> = {
  [WAJIDDomains.LID]: 'lid',
  [WAJIDDomains.HOSTED]: 'hosted',
  [WAJIDDomains.HOSTED_LID]: 'hosted.lid',
}
const serverOf = (domain: number): string => SERVERS[domain] ?? 's.whatsapp.net'

/** Number of bytes of a text that count as one node. A shorter text does not count. */
const TEXT_PER_ELEMENT = 64

interface Parent {
  children: BinaryNode[]
  missing: number
}

class Reading implements NodeReading {
  readonly #bytes: Buffer
  readonly #end: number
  #at = 0
  #elements = 0
  #inner = 0
  #root: BinaryNode | undefined
  readonly #parents: Parent[] = []

  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.#end = bytes.length
  }

  read(elements: number): BinaryNode | undefined {
    const until = this.#elements + elements
    const parents = this.#parents
    for (;;) {
      const depth = parents.length
      const node = this.#node()
      if (depth === 0) this.#root = node
      else {
        const parent = parents[depth - 1]!
        parent.children.push(node)
        parent.missing--
      }
      if (parents.length === depth) while (parents.length > 0 && parents[parents.length - 1]!.missing === 0) parents.pop()
      if (parents.length === 0) return this.#root
      if (this.#elements >= until) return undefined
    }
  }

  /** Reads a node without its children. If it has children, it is put on the stack of parents. */
  #node(): BinaryNode {
    const size = this.#listSize(this.#byte())
    const tag = this.#string()
    if (size === 0 || tag === '') this.#fail('a node has no tag')
    this.#count(1 + (size >> 1))
    const attrs: Record<string, string> = {}
    for (let left = (size - 1) >> 1; left > 0; left--) {
      const name = this.#string()
      attrs[name] = this.#string()
    }
    return { tag, attrs, content: (size & 1) === 0 ? this.#content() : undefined } as BinaryNode
  }

  #content(): BinaryNode['content'] {
    const tag = this.#byte()
    switch (tag) {
      case TAGS.LIST_EMPTY:
      case TAGS.LIST_8:
      case TAGS.LIST_16: {
        const children: BinaryNode[] = []
        const missing = this.#listSize(tag)
        if (missing > 0 && this.#parents.push({ children, missing }) > MAX_DEPTH) this.#fail('nodes are nested too deep')
        return children
      }
      case TAGS.BINARY_8:
        return this.#take(this.#byte())
      case TAGS.BINARY_20:
        return this.#take(this.#length20())
      case TAGS.BINARY_32:
        return this.#take(this.#length32())
      default:
        this.#inner = 0
        return this.#stringOf(tag)
    }
  }

  #string(): string {
    this.#inner = 0
    return this.#stringOf(this.#byte())
  }

  #part(): string {
    if (++this.#inner > MAX_STRINGS_IN_STRING) this.#fail('jids are nested too deep')
    return this.#stringOf(this.#byte())
  }

  #stringOf(tag: number): string {
    if (tag < DICTIONARY_0) return TOKENS[tag]!
    switch (tag) {
      case TAGS.BINARY_8:
        return this.#text(this.#byte())
      case TAGS.JID_PAIR:
        return this.#jid()
      case TAGS.NIBBLE_8:
        return this.#packed(NIBBLES)
      case TAGS.AD_JID:
        return this.#deviceJid()
      case TAGS.HEX_8:
        return this.#packed(HEX)
      case TAGS.DICTIONARY_0:
      case TAGS.DICTIONARY_1:
      case TAGS.DICTIONARY_2:
      case TAGS.DICTIONARY_3:
        return DICTIONARIES[tag - DICTIONARY_0]![this.#byte()]!
      case TAGS.BINARY_20:
        return this.#text(this.#length20())
      case TAGS.BINARY_32:
        return this.#text(this.#length32())
      case TAGS.FB_JID:
        return `${this.#part()}:${this.#int16()}@${this.#part()}`
      case TAGS.INTEROP_JID:
        return this.#interopJid()
      default:
        this.#fail(`no string begins with ${tag}`)
    }
  }

  #jid(): string {
    const user = this.#part()
    const server = this.#part()
    if (server === '') this.#fail('a jid has no server')
    return `${user}@${server}`
  }

  #deviceJid(): string {
    const server = serverOf(this.#byte())
    const device = this.#byte()
    const user = this.#part()
    return device === 0 ? `${user}@${server}` : `${user}:${device}@${server}`
  }

  #interopJid(): string {
    const user = this.#part()
    const device = this.#int16()
    const integrator = this.#int16()
    return `${integrator}-${user}:${device}@${this.#interopServer()}`
  }

  /** If no valid string follows, the server is `interop`, as in the library. */
  #interopServer(): string {
    const at = this.#at
    try {
      return this.#part()
    } catch (error) {
      if (this.#inner > MAX_STRINGS_IN_STRING || this.#elements > MAX_ELEMENTS) throw error
      this.#at = at
      return 'interop'
    }
  }

  #packed(pairs: readonly (string | undefined)[]): string {
    const start = this.#byte()
    let text = ''
    for (let left = start & 127; left > 0; left--) {
      const pair = pairs[this.#byte()]
      if (pair === undefined) this.#fail('packed digits contain an invalid digit')
      text += pair
    }
    // If the number of digits is odd, the last half byte is padding.
    return start > 127 ? text.slice(0, -1) : text
  }

  #listSize(tag: number): number {
    if (tag === TAGS.LIST_8) return this.#byte()
    if (tag === TAGS.LIST_16) return this.#int16()
    if (tag === TAGS.LIST_EMPTY) return 0
    return this.#fail(`no list begins with ${tag}`)
  }

  #byte(): number {
    if (this.#at >= this.#end) this.#fail('it ends too early')
    return this.#bytes[this.#at++]!
  }

  #int16(): number {
    return (this.#byte() << 8) | this.#byte()
  }

  #length20(): number {
    return ((this.#byte() & 15) << 16) | this.#int16()
  }

  /** Reads a length of 32 bits. (The library reads a length above 2^31 as negative, and moves backwards.) */
  #length32(): number {
    return this.#int16() * 2 ** 16 + this.#int16()
  }

  #take(length: number): Buffer {
    const from = this.#skip(length)
    return this.#bytes.subarray(from, this.#at)
  }

  #text(length: number): string {
    const from = this.#skip(length)
    if (length >= TEXT_PER_ELEMENT) this.#count(Math.floor(length / TEXT_PER_ELEMENT))
    return this.#bytes.toString('utf8', from, this.#at)
  }

  #skip(length: number): number {
    const from = this.#at
    if (length > this.#end - from) this.#fail('it ends too early')
    this.#at = from + length
    return from
  }

  #count(elements: number): void {
    this.#elements += elements
    if (this.#elements > MAX_ELEMENTS) this.#fail('it is too large')
  }

  #fail(why: string): never {
    throw new MalformedStanza(`A stanza is malformed at byte ${this.#at}: ${why}`)
  }
}
