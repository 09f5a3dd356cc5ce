import { z } from 'zod'
import { SECOND } from '../domain/clock.ts'
import { problemOfDisplayText, tidied } from '../domain/display-text.ts'
import { FAILURES, type FailureCode } from '../domain/failures.ts'
import { IDENTIFIER_MAX, type Identifier, type IdentifierKind, parseIdentifier } from '../domain/ids.ts'
import { MB, MEDIA_LIMIT, type MediaInput } from '../domain/media.ts'
import { problemOfUrlText } from '../domain/url-text.ts'
import { type Base64Problem, decodeBase64 } from './base64-decoder.ts'
import { DATA_PREFIX, type HeldText, heldText, MAX_PREFIX } from './held-text.ts'

interface Meta {
  description: string
  examples?: unknown[]
}

/** Matches half of a surrogate pair, which UTF-8 cannot encode. */
const HALF_CHARACTER = /\p{Cs}/u

const within = (min: number, max: number, lengthOf: (value: string) => number) => (value: string, context: z.RefinementCtx) => {
  const refuse = (message: string) => context.addIssue({ code: 'custom', message })
  const length = lengthOf(value)
  if (length < min) refuse(atLeast(min))
  if (length > max) refuse(atMost(max))
  if (HALF_CHARACTER.test(value)) refuse('must not have a lone surrogate (half of a character)')
}

/** A text whose length is counted in code points, such as the text of a send. It is never trimmed. */
export const text = (min: number, max: number) =>
  z
    .string()
    .superRefine(within(min, max, codePoints))
    .meta({ minLength: min, maxLength: max })

const codeUnits = ({ length }: string) => length

/** Names for WhatsApp, and search texts. They are trimmed, and their length is counted in UTF-16 code units. */
export const name = (min: number, max: number) =>
  z
    .string()
    .trim()
    .superRefine(within(min, max, codeUnits))
    .meta({ minLength: min, maxLength: max })

/**
 * Names and notes that this service stores and displays. They are normalised, and their length is counted in UTF-16
 * code units.
 */
export const displayText = (min: number, max: number) =>
  z
    .string()
    .overwrite(tidied)
    .superRefine(within(min, max, codeUnits))
    .superRefine((value, context) => {
      const problem = problemOfDisplayText(value)
      if (problem !== undefined && context.issues.length === 0) context.addIssue({ code: 'custom', message: problem })
    })
    .meta({ minLength: min, maxLength: max })

/**
 * Texts that are neither content of a send nor names. Their length is counted in UTF-16 code units, and they are not
 * trimmed.
 */
export const plain = (min: number, max: number) =>
  z
    .string()
    .superRefine(within(min, max, codeUnits))
    .meta({ minLength: min, maxLength: max })

export const messageId = text(1, 128)

export const atLeast = (min: number) => (min === 1 ? 'must not be empty' : `must have at least ${min} characters`)
export const atMost = (max: number) => `must have at most ${max} character${max === 1 ? '' : 's'}`

function codePoints(value: string): number {
  let count = 0
  for (const _ of value) count++
  return count
}

/** One of these words, in upper or lower case. The stored form is lower case. */
export const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.preprocess((value) => (typeof value === 'string' ? value.toLowerCase() : value), z.enum(values))

/** A whole number. zod's own message asks only for a number. */
const wholeNumber = z.int({
  error: ({ code, input }) =>
    code === 'invalid_type' && input !== undefined && input !== null ? 'must be a whole number' : undefined,
})

export const oneOfNumbers = (values: readonly number[]) =>
  wholeNumber
    .min(Math.min(...values))
    .max(Math.max(...values))
    .refine((value) => values.includes(value), { error: `must be ${values.join(', ').replace(/, (\d+)$/, ' or $1')}` })
    .meta({ enum: [...values] })

/**
 * Parameters of an issue with an error code of its own. If all issues of a request have the same code, the error has
 * this code instead of `invalid_request`.
 */
export const INVALID_PHONE = { code: 'invalid_phone' } as const
export const MEDIA_INVALID = { code: 'media_invalid' } as const

export type IdentifierOf<K extends IdentifierKind> = Extract<Identifier, { kind: K }>

const KIND_WORDS: Record<IdentifierKind, string> = {
  user: 'a number of 5 to 20 digits or `<digits>@lid`',
  group: '`<digits>-group`',
  newsletter: '`<digits>@newsletter`',
  broadcast: '`<digits>@broadcast`',
  status: '`status@broadcast`',
}

/**
 * An identifier of one of these kinds. An absent, empty or non-string value is `invalid_request`; any other wrong value
 * is `invalid_phone`.
 */
export const identifier = <const K extends IdentifierKind>(kinds: readonly K[], { description, ...meta }: Partial<Meta> = {}) => {
  const words = kinds.flatMap((kind) => (kind === 'broadcast' ? [] : KIND_WORDS[kind])).join(', ')
  return z
    .string()
    .min(1)
    .transform((value, context): IdentifierOf<K> => {
      const found = parseIdentifier(value)
      if (found && (kinds as readonly IdentifierKind[]).includes(found.kind)) return found as IdentifierOf<K>
      const message = value.length > IDENTIFIER_MAX ? atMost(IDENTIFIER_MAX) : `must be ${words}`
      context.addIssue({ code: 'custom', message, params: INVALID_PHONE })
      return z.NEVER
    })
    .meta({
      description: `${description === undefined ? '' : `${description} `}Written as ${words}.`,
      examples: ['5511988887777'],
      maxLength: IDENTIFIER_MAX,
      ...meta,
    })
}

/**
 * Destination of a send. `<digits>@broadcast` is accepted too, but the `delivery` event of such a send reports
 * `not_allowed`.
 */
export const destination = <const K extends Exclude<IdentifierKind, 'broadcast'>>(...kinds: readonly K[]) =>
  identifier<K | 'broadcast'>([...kinds, 'broadcast'])

export const chat = <const K extends IdentifierKind>(...kinds: readonly K[]) => identifier(kinds)

export const integer = (min: number, max: number) => wholeNumber.min(min).max(max)

/** A whole number in a path or a query, where every value is a text. */
export const queryInteger = (min: number, max: number) =>
  z.preprocess((value) => (typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value), integer(min, max))

export const paging = (bounds: { default: number; max: number }) => ({
  page: queryInteger(1, 100_000).default(1).meta({ description: 'Page number, from 1.', default: 1 }),
  page_size: queryInteger(1, bounds.max)
    .default(bounds.default)
    .meta({ description: 'Number of entries per page.', default: bounds.default }),
})

export const paged = <T extends z.ZodType>(entry: T) =>
  z.object({
    data: z.array(entry),
    page: z.int(),
    page_size: z.int(),
    total: z.int().meta({ description: 'Number of entries that pass the filters.' }),
  })

export const ulid = z
  .string()
  .regex(/^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$/, 'must be a 26-character ULID')
  .transform((value) => value.toUpperCase())

export const uuid = z
  .string()
  .regex(/^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/, 'must be a UUID')
  .transform((value) => value.toLowerCase())

export const instant = z.string().meta({ format: 'date-time', examples: ['2026-01-31T12:00:00.000Z'] })

const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/

const isDay = z.iso.date()

/**
 * True for a valid date and time. `Date` would convert 30 February to a day in March, so the day is checked separately.
 * The year in UTC must also have four digits, because an offset can change it.
 */
const isDateTime = (value: string) =>
  ISO.test(value) &&
  isDay.safeParse(value.slice(0, 10)).success &&
  !Number.isNaN(Date.parse(value)) &&
  /^\d{4}-/.test(new Date(value).toISOString())

export const dateTime = z
  .string()
  .refine(isDateTime, { message: 'must be an ISO-8601 date and time with Z or an offset' })
  .meta({ format: 'date-time', examples: ['2026-03-02T14:00:00.000Z'] })

/** A date and time, converted to epoch ms. */
export const moment = dateTime.transform((value) => Date.parse(value))

export const Done = z.object({ value: z.literal(true) })

export const Acknowledgement = z
  .object({
    id: z.string().meta({ description: 'Same value as `message_id`.' }),
    message_id: z
      .string()
      .meta({ description: 'Id of the message on the network. It is assigned when the request is accepted.' }),
    svc_id: z.string().meta({ description: 'ULID of the queue item.' }),
    status: z.enum(['queued', 'sent', 'failed', 'removed']).meta({
      description:
        '`queued`, or the outcome if the request waited for it with `Prefer: wait`. `removed` means that the message was removed from the queue.',
    }),
    error_code: z
      .enum(Object.keys(FAILURES) as FailureCode[])
      .optional()
      .meta({ description: 'Reason of a failure, as in the `delivery` event; only with `failed`.' }),
    error_message: z
      .string()
      .max(512)
      .optional()
      .meta({ description: 'Reason of a failure, as a sentence; only with `failed`.' }),
  })
  .meta({ id: 'Acknowledgement', description: 'The message is in the queue. Its outcome comes as a `delivery` event.' })

export const acknowledged = {
  id: '3EB0EE97803A91FF2C0ED1',
  message_id: '3EB0EE97803A91FF2C0ED1',
  svc_id: '01JD3V8Q6ZP4M5T7X9K2B0C1DE',
  status: 'queued',
}

export const url = text(1, 2_048)
  .superRefine((value, context) => {
    if (context.issues.length > 0) return
    if (!/^https?:\/\//i.test(value) || !URL.canParse(value))
      return context.addIssue({ code: 'custom', message: 'must be an absolute http or https URL' })
    const problem = problemOfUrlText(value)
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
  })
  .meta({ format: 'uri' })

const WEB_URL = /^https?:/i
/**
 * Minimum length of base64 that has neither a prefix nor padding. A shorter text may be a word or a path, so it counts
 * as base64 only if its length is a multiple of four.
 */
const MIN_BASE64 = 64

const BASE64_PROBLEMS: Record<Base64Problem, string> = {
  character: 'it has a character that is not a base64 digit',
  blank: 'it has a space within a line; an unescaped `+` in a form becomes a space',
  padding: 'its padding is in the wrong place or has the wrong length',
  length: 'it is truncated: a single digit is left over',
}

interface Inline {
  file: Uint8Array<ArrayBuffer> | Base64Problem | 'too_large'
  mime: string | null
  isExplained: boolean
}

function inlineOf(value: string, most: number): Inline {
  const prefix = DATA_PREFIX.exec(value.slice(0, MAX_PREFIX))
  const from = prefix?.[0].length ?? 0
  const isShort = from === 0 && value.length < MIN_BASE64
  return {
    file: isShort && value.length % 4 !== 0 ? 'padding' : decodeBase64(value, { from, most }),
    mime: prefix?.[1] || null,
    isExplained: !isShort,
  }
}

const inlineHeld = ({ file, mime }: HeldText, most: number): Inline => ({
  file: typeof file !== 'string' && file.byteLength > most ? 'too_large' : file,
  mime,
  isExplained: true,
})

/** Returns the end of an error message that explains why the value is no file. `text` is the value or its beginning. */
function whyNoBase64(text: string, { mime, isExplained }: Inline, problem: Base64Problem): string {
  if (mime === null && /^\s*data:/i.test(text) && !DATA_PREFIX.test(text))
    return ' (a data URL begins with `data:<mime>;base64,`)'
  return isExplained ? ` (${BASE64_PROBLEMS[problem]})` : ''
}

/**
 * A URL that is longer than any allowed URL. It is validated in place of a URL that was too long to be kept, so that
 * the caller gets the usual error.
 */
const LONG_URL = `https://${'a'.repeat(2_048)}`

/** Makes a schema also accept the symbol that represents a long text of a large body. */
function orHeld(schema: z.ZodString): z.ZodType<string | symbol, string> {
  const { run } = schema._zod
  schema._zod.run = (payload, context) => (heldText(payload.value) ? payload : run(payload, context))
  return schema
}

/** A file as URL, data URL or plain base64. A URL is downloaded when the message is sent. */
export const media = (limitBytes: number, what: string) =>
  orHeld(z.string().min(1))
    .transform((given, context): MediaInput => {
      const refuse = (message: string, params?: typeof MEDIA_INVALID) => {
        context.addIssue({ code: 'custom', message, ...(params ? { params } : {}) })
        return z.NEVER
      }
      const held = heldText(given)
      const text = held ? held.begin : String(given)
      if (WEB_URL.test(text)) {
        const { success, error } = url.safeParse(held ? LONG_URL : text)
        return success ? { kind: 'url', url: text } : refuse(error.issues[0]?.message ?? 'must be a URL')
      }
      const inline = held ? inlineHeld(held, limitBytes) : inlineOf(text, limitBytes)
      const { file: bytes, mime } = inline
      if (bytes === 'too_large') return refuse(`must have at most ${limitBytes / MB} MB`, MEDIA_INVALID)
      if (typeof bytes === 'string')
        return refuse(`must be a URL, a base64 data URL or base64${whyNoBase64(text, inline, bytes)}`, MEDIA_INVALID)
      if (bytes.byteLength === 0) return refuse('must have at least 1 byte', MEDIA_INVALID)
      return { kind: 'inline', bytes, mime }
    })
    .meta({
      description: `${what}: URL, \`data:<mime>;base64,<data>\` or base64, also in lines, without padding or URL-safe; at most ${limitBytes / MB} MB.`,
      examples: ['https://cdn.example/a.jpg'],
      minLength: 1,
    })

export const portrait = media(
  MEDIA_LIMIT,
  'Picture, JPEG, PNG or WebP, at least 192 pixels on each side; the middle square is used',
)

export const PICTURE_DEADLINE = 45 * SECOND
