import * as v from 'valibot'
import { type BinaryNode, node } from '../wire/node.ts'

/** A stanza as JSON: tag, attributes, and content (elements, text or bytes). */
export type StanzaJson = [tag: string, attrs: Record<string, string>, content?: StanzaJson[] | string | StanzaBytes]

export interface StanzaBytes {
  b64: string
  /** Number of all bytes. Set if only the first ones are shown. */
  bytes?: number
}

/**
 * Maximum number of bytes of an element that are shown. The picture of a channel, which is sent as text in a query,
 * must fit. Longer content would fill the disk.
 */
const MAX_SHOWN = 1024 * 1024

export function toJson({ tag, attrs, content }: BinaryNode): StanzaJson {
  if (content === undefined) return [tag, attrs]
  if (Array.isArray(content)) return [tag, attrs, content.map(toJson)]
  if (typeof content === 'string') return [tag, attrs, content]
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  if (bytes.length <= MAX_SHOWN) return [tag, attrs, { b64: bytes.toString('base64') }]
  return [tag, attrs, { b64: bytes.subarray(0, MAX_SHOWN).toString('base64'), bytes: bytes.length }]
}

/** Maximum number of levels below a stanza, to limit the recursion. Known stanzas are less deep. */
const MAX_DEPTH = 16

export function fromJson([tag, attrs, content]: StanzaJson, depth = 0): BinaryNode {
  if (depth > MAX_DEPTH) throw new RangeError(`a stanza is at most ${MAX_DEPTH} elements deep`)
  if (Array.isArray(content)) {
    return node(
      tag,
      attrs,
      content.map((child) => fromJson(child, depth + 1)),
    )
  }
  return node(tag, attrs, typeof content === 'object' ? Buffer.from(content.b64, 'base64') : content)
}

const attribute = v.pipe(v.union([v.string(), v.number(), v.boolean()]), v.transform(String))
const Tag = v.pipe(v.string(), v.minLength(1), v.maxLength(128))

/** Schema of a stanza in requests of the control API. */
export const StanzaSchema: v.GenericSchema<unknown, StanzaJson> = v.pipe(
  v.union(
    [
      v.strictTuple([Tag]),
      v.strictTuple([Tag, v.record(v.string(), attribute)]),
      v.strictTuple([
        Tag,
        v.record(v.string(), attribute),
        v.union([v.string(), v.strictObject({ b64: v.pipe(v.string(), v.base64()) }), v.array(v.lazy(() => StanzaSchema))]),
      ]),
    ],
    'must be [tag, attributes, content]; content: elements, text or { b64 }',
  ),
  v.transform(([tag, attrs = {}, content]): StanzaJson => (content === undefined ? [tag, attrs] : [tag, attrs, content])),
)
