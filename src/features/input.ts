/**
 * Converts the fields of a request to the input of an operation. The HTTP thread and the threads for large bodies use
 * it, so that the same body gives the same result.
 */
import type { z } from 'zod'
import { Failure, type FailureCode, type Issue } from '../domain/failures.ts'
import type { Endpoint } from './endpoint.ts'
import { atLeast, atMost } from './fields.ts'
import { heldText } from './held-text.ts'
import { MAX_VALUES, parseJson, replaceWithin, TooManyValues } from './json.ts'

export type RawFields = Record<string, unknown>

type ZodIssue = z.core.$ZodRawIssue | z.core.$ZodIssue

const TYPE_WORDS: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
}

function counted(issue: { origin: string; minimum?: number | bigint; maximum?: number | bigint }): string {
  const isMin = issue.minimum !== undefined
  const bound = Number(issue.minimum ?? issue.maximum)
  switch (issue.origin) {
    case 'string':
      return isMin ? atLeast(bound) : atMost(bound)
    case 'array':
    case 'set':
      return `must have at ${isMin ? 'least' : 'most'} ${bound} ${bound === 1 ? 'entry' : 'entries'}`
    default:
      return `must be at ${isMin ? 'least' : 'most'} ${bound}`
  }
}

/**
 * Returns the message for an issue: one of our own if it is of a known kind, and otherwise the message of the issue.
 */
export function sentenceOf(issue: ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is required'
      if (issue.input === null) return 'must not be null'
      return `must be ${TYPE_WORDS[issue.expected] ?? issue.expected}`
    case 'too_small':
    case 'too_big':
      return counted(issue as Parameters<typeof counted>[0])
    case 'invalid_value':
      if (issue.input === undefined) return 'is required'
      if (issue.input === null) return 'must not be null'
      return `must be ${(issue.values as readonly unknown[])
        .map((value) => JSON.stringify(value))
        .join(', ')
        .replace(/, ([^,]*)$/, ' or $1')}`
    case 'invalid_union':
      return issue.input === undefined ? 'is required' : 'has none of the accepted forms'
    default:
      return issue.message ?? 'is not valid'
  }
}

const MAX_ISSUES = 50

function codeOf(issue: ZodIssue): FailureCode | undefined {
  return issue.code === 'custom' ? (issue.params?.code as FailureCode | undefined) : undefined
}

type Issues = readonly z.core.$ZodIssue[]

/**
 * Returns the variant of a union that the caller probably meant: the first one with an error that is not about a type
 * or a literal. If no variant has such an error, it is the only one with a wrong type; undefined if there is not
 * exactly one.
 */
function meantOf(variants: readonly Issues[]): Issues | undefined {
  const furthest = variants.find((issues) => issues.some(({ code }) => code !== 'invalid_type' && code !== 'invalid_value'))
  const [only, ...others] = variants.filter((issues) => issues.some(({ code }) => code !== 'invalid_value'))
  return furthest ?? (others.length === 0 ? only : undefined)
}

/** Yields the issues; those of a failed union are the issues of the variant that the caller meant. */
function* flatten(issues: Issues, base: readonly PropertyKey[] = []): Generator<z.core.$ZodIssue> {
  for (const issue of issues) {
    const path = [...base, ...issue.path]
    const meant = issue.code === 'invalid_union' ? meantOf(issue.errors) : undefined
    if (meant) yield* flatten(meant, path)
    else yield { ...issue, path }
  }
}

const pathOf = ({ path }: z.core.$ZodIssue) => path.map(String).join('.')

/**
 * Removes issues about the size of a field that has the wrong type: zod also reports that a list in place of a text is
 * too short.
 */
function withoutEchoes(issues: z.core.$ZodIssue[]): z.core.$ZodIssue[] {
  const mistyped = new Set(issues.flatMap((issue) => (issue.code === 'invalid_type' ? pathOf(issue) : [])))
  return issues.filter((issue) => !((issue.code === 'too_small' || issue.code === 'too_big') && mistyped.has(pathOf(issue))))
}

const judge = (input: Endpoint['input'], fields: unknown) => input.safeParse(fields, { error: sentenceOf, reportInput: true })

/**
 * Validates the fields. A long text in a field that does not accept a file is replaced by an ordinary text of
 * `STAND_IN` letters, so that the error is the usual one.
 */
function judged(input: Endpoint['input'], fields: RawFields): ReturnType<typeof judge> {
  const parsed = judge(input, fields)
  if (parsed.success) return parsed
  const stray = new Set(strayTexts(parsed.error.issues))
  if (stray.size === 0) return parsed
  const text = 'A'.repeat(STAND_IN)
  replaceWithin(fields, (value) => (stray.has(value) ? text : value))
  const again = judge(input, fields)
  if (again.success) throw Failure.invalid({ path: '', message: 'must have shorter texts' })
  return again
}

/** Number of letters of the text that replaces a long text. It is above the limit of every field except files. */
const STAND_IN = 1_048_576

function* strayTexts(issues: Issues): Generator<unknown> {
  for (const issue of issues) {
    if (issue.code === 'invalid_union') for (const variant of issue.errors) yield* strayTexts(variant)
    if (issue.code === 'invalid_type' && heldText(issue.input)) yield issue.input
  }
}

/**
 * Validates the fields and returns the input. Throws `invalid_request` with the issues. If all issues have the same
 * code, such as `invalid_phone`, it throws this code.
 */
export function parseInput({ input, ignored }: Pick<Endpoint, 'input' | 'ignored'>, fields: RawFields): unknown {
  const meaningless = ignored(fields)
  const given = Object.fromEntries(Object.entries(fields).filter(([name]) => !meaningless.includes(name)))
  const parsed = judged(input, meaningless.length === 0 ? fields : given)
  if (parsed.success) return parsed.data
  const all = withoutEchoes([...flatten(parsed.error.issues)])
  const issues: Issue[] = all.slice(0, MAX_ISSUES).map((issue) => ({ path: pathOf(issue), message: issue.message }))
  const [code, ...others] = new Set(all.map(codeOf))
  if (code !== undefined && others.length === 0) throw new Failure(code, { details: { issues } })
  throw Failure.invalid(...issues)
}

/** The bytes of a body, or a function that returns its parsed JSON and throws as `parseJson` does. */
export type RawBody = Uint8Array | (() => unknown)

/**
 * Returns the fields of a body. An empty body has no fields. If `list` is given, a bare list becomes the field `list`.
 */
export function readFields(body: RawBody, list?: string): RawFields {
  if (typeof body !== 'function' && body.byteLength === 0) return {}
  let value: unknown
  try {
    value = typeof body === 'function' ? body() : parseJson(body)
  } catch (cause) {
    if (cause instanceof Failure) throw cause
    if (cause instanceof TooManyValues) throw Failure.invalid({ path: '', message: `must have at most ${MAX_VALUES} values` })
    throw new Failure('invalid_request', { details: { issues: [{ path: '', message: 'must be valid JSON in UTF-8' }] }, cause })
  }
  if (list !== undefined && Array.isArray(value)) return { [list]: value }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw Failure.invalid({ path: '', message: 'must be a JSON object' })
  return value as RawFields
}
