/**
 * Encodes a stanza to its binary format. The library's encoder is slow: it creates a dozen functions for each node, and
 * puts each byte into a list of numbers.
 */
import type { BinaryNode } from '@whiskeysockets/baileys'
import { TAGS, TOKEN_MAP } from '@whiskeysockets/baileys/lib/WABinary/constants.js'
import { type JidParts, jidParts } from './jid.ts'

const TOKENS: ReadonlyMap<string, { dict?: number; index: number }> = new Map(Object.entries(TOKEN_MAP))
/** Matches text that can be packed with two characters per byte. It has at most 127 characters. */
const DIGITS = /^[\d.-]{1,127}$/
const HEX = /^[\dA-F]{1,127}$/

const INT_20 = 2 ** 20

/** Encodes a stanza. The first byte means "not compressed". Throws if a node has no tag or its content is invalid. */
export function nodeBytes(node: BinaryNode): Buffer {
  const writing = new Writing()
  writing.byte(0)
  writing.node(node)
  return writing.done()
}

/**
 * Memory in which a stanza is written, and from which it is copied to a buffer of its exact length. A longer stanza
 * gets memory of its own.
 */
const SCRATCH = Buffer.allocUnsafe(4_096)

class Writing {
  #bytes = SCRATCH
  #at = 0

  done(): Buffer {
    const written = this.#bytes.subarray(0, this.#at)
    return this.#bytes === SCRATCH ? Buffer.from(written) : written
  }

  #room(more: number): void {
    if (this.#at + more <= this.#bytes.length) return
    const longer = Buffer.allocUnsafe(2 * (this.#at + more))
    this.#bytes.copy(longer, 0, 0, this.#at)
    this.#bytes = longer
  }

  byte(value: number): void {
    this.#room(1)
    this.#bytes[this.#at++] = value & 255
  }

  node({ tag, attrs, content }: BinaryNode): void {
    if (!tag) throw new Error('a node of a stanza has no tag')
    const names = Object.keys(attrs ?? {}).filter((name) => attrs[name] !== undefined && attrs[name] !== null)
    this.#list(2 * names.length + 1 + (content === undefined ? 0 : 1))
    this.#string(tag)
    for (const name of names) {
      this.#string(name)
      this.#string(attrs[name]!)
    }
    if (typeof content === 'string') this.#string(content)
    else if (content instanceof Uint8Array) this.#content(content)
    else if (Array.isArray(content)) {
      // Absent values in the list of children are skipped, as in the library.
      const children = content.filter((child) => child !== undefined && child !== null)
      this.#list(children.length)
      for (const child of children) this.node(child)
    } else if (content !== undefined)
      throw new Error(`defect in the service: the stanza <${tag}> has content of a type that cannot be encoded`)
  }

  #list(size: number): void {
    if (size === 0) this.byte(TAGS.LIST_EMPTY)
    else {
      this.byte(size < 256 ? TAGS.LIST_8 : TAGS.LIST_16)
      if (size >= 256) this.byte(size >> 8)
      this.byte(size)
    }
  }

  #string(text: string): void {
    // The first entry of the token list is the empty text. It is not a token, so it is skipped.
    const token = text === '' ? undefined : TOKENS.get(text)
    if (token) {
      if (token.dict !== undefined) this.byte(TAGS.DICTIONARY_0 + token.dict)
      this.byte(token.index)
    } else if (DIGITS.test(text)) this.#packed(TAGS.NIBBLE_8, text)
    else if (HEX.test(text)) this.#packed(TAGS.HEX_8, text)
    else {
      const jid = jidParts(text)
      if (jid) this.#jid(jid)
      else this.#content(Buffer.from(text))
    }
  }

  #jid({ user, server, device, domainType }: JidParts): void {
    if (device === undefined) {
      this.byte(TAGS.JID_PAIR)
      if (user === '') this.byte(TAGS.LIST_EMPTY)
      else this.#string(user)
      this.#string(server)
    } else {
      this.byte(TAGS.AD_JID)
      this.byte(domainType)
      this.byte(device)
      this.#string(user)
    }
  }

  #packed(kind: number, text: string): void {
    this.byte(kind)
    this.byte(((text.length % 2) * 128) | Math.ceil(text.length / 2))
    for (let at = 0; at < text.length; at += 2) this.byte((half(text, at) << 4) | half(text, at + 1))
  }

  #content(bytes: Uint8Array): void {
    const { length } = bytes
    this.#room(length + 5)
    if (length < 256) this.byte(TAGS.BINARY_8)
    else {
      this.byte(length < INT_20 ? TAGS.BINARY_20 : TAGS.BINARY_32)
      if (length >= INT_20) this.byte(length >> 24)
      this.byte(length >> 16)
      this.byte(length >> 8)
    }
    this.byte(length)
    this.#bytes.set(bytes, this.#at)
    this.#at += length
  }
}

const [NINE, MINUS, DOT, A] = ['9', '-', '.', 'A'].map((character) => character.charCodeAt(0)) as [number, number, number, number]

function half(text: string, at: number): number {
  const code = at < text.length ? text.charCodeAt(at) : 0
  if (code === 0) return 15
  if (code === MINUS) return 10
  if (code === DOT) return 11
  return code > NINE ? code - A + 10 : code & 15
}
