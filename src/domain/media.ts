import { joined } from './bytes.ts'

export const MB = 1_048_576
export const MEDIA_LIMIT = 16 * MB
export const DOCUMENT_LIMIT = 100 * MB

export type MediaInput =
  | { kind: 'inline'; bytes: Uint8Array; mime: string | null }
  | { kind: 'blob'; offset: number; size: number; mime: string | null }
  | { kind: 'url'; url: string }

type Inline = Extract<MediaInput, { kind: 'inline' }>

const isInline = (value: object): value is Inline =>
  (value as MediaInput).kind === 'inline' && (value as { bytes?: unknown }).bytes instanceof Uint8Array

/** Returns all inline media of an input, at any depth: each card of a carousel has its own media field. */
export function inlineMedia(input: unknown): Inline[] {
  const found: Inline[] = []
  collect(input, found)
  return found
}

/**
 * Adds the inline media of an input to `found`. It must be cheap, because it runs for every request to a shard thread,
 * and most requests have no media.
 */
function collect(input: unknown, found: Inline[]): void {
  if (typeof input !== 'object' || input === null || ArrayBuffer.isView(input)) return
  if (isInline(input)) found.push(input)
  else for (const value of Object.values(input)) if (typeof value === 'object') collect(value, found)
}

/**
 * Takes all inline media out of an input and joins them in `bytes`, which is undefined if there are none. Each medium
 * is replaced by its position in `bytes`.
 */
export function takeOutMedia(input: Record<string, unknown>): { input: Record<string, unknown>; bytes: Uint8Array | undefined } {
  const found = inlineMedia(input).map(({ bytes }) => bytes)
  if (found.length === 0) return { input, bytes: undefined }
  let offset = 0
  const replaced = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
    if (Array.isArray(value)) return value.map(replaced)
    if (!isInline(value)) return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, replaced(inner)]))
    const size = value.bytes.byteLength
    offset += size
    return { kind: 'blob', offset: offset - size, size, mime: value.mime } satisfies MediaInput
  }
  return { input: replaced(input) as Record<string, unknown>, bytes: joined(found) }
}
