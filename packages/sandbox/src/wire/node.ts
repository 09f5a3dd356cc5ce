import { randomBytes } from 'node:crypto'

/** A stanza, or an element in one. */
export interface BinaryNode {
  tag: string
  attrs: Record<string, string>
  content?: BinaryNode[] | string | Uint8Array
}

export type Attributes = Record<string, string | number | boolean | null | undefined>

export const SERVER = 's.whatsapp.net'
/** The JID of the server itself, which has no user. */
export const SERVER_JID = `@${SERVER}`

/**
 * Builds a stanza or an element. Attributes are converted to strings, because the codec omits other values, which
 * corrupts the frame. Text content is converted to bytes, because the codec may encode a string as a token.
 */
export function node(tag: string, attributes: Attributes = {}, content?: BinaryNode[] | Uint8Array | string): BinaryNode {
  const attrs: Record<string, string> = {}
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null) attrs[name] = String(value)
  }
  if (content === undefined) return { tag, attrs }
  return { tag, attrs, content: typeof content === 'string' ? Buffer.from(content) : content }
}

export function children(parent: BinaryNode | undefined, tag?: string): BinaryNode[] {
  if (!parent || !Array.isArray(parent.content)) return []
  return tag === undefined ? parent.content : parent.content.filter((child) => child.tag === tag)
}

export function child(parent: BinaryNode | undefined, tag: string): BinaryNode | undefined {
  if (!parent || !Array.isArray(parent.content)) return undefined
  return parent.content.find((item) => item.tag === tag)
}

export function firstChild(parent: BinaryNode): BinaryNode | undefined {
  return Array.isArray(parent.content) ? parent.content[0] : undefined
}

/**
 * Returns the content of an element as bytes. The codec decodes short strings of its dictionary as text, which is
 * converted here.
 */
export function bytesOf(item: BinaryNode | undefined): Buffer | undefined {
  if (!item || item.content === undefined || Array.isArray(item.content)) return undefined
  return typeof item.content === 'string' ? Buffer.from(item.content) : Buffer.from(item.content)
}

export function textOf(item: BinaryNode | undefined): string | undefined {
  return bytesOf(item)?.toString('utf8')
}

export function childBytes(parent: BinaryNode | undefined, tag: string): Buffer | undefined {
  return bytesOf(child(parent, tag))
}

export function bigEndian(value: number, size: number): Buffer {
  const bytes = Buffer.alloc(size)
  bytes.writeUIntBE(value, 0, size)
  return bytes
}

export function readBigEndian(bytes: Uint8Array): number {
  return Buffer.from(bytes).readUIntBE(0, bytes.length)
}

export function seconds(): number {
  return Math.floor(Date.now() / 1000)
}

export function randomId(): string {
  return randomBytes(8).toString('hex').toUpperCase()
}
