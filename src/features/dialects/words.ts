/** Applies a dialect: converts the fields of a request to our names, and error messages to the names of the caller. */
import { camelCase, camelPath } from '../../domain/camel-case.ts'
import type { Dialect } from '../../domain/dialect.ts'
import { Failure } from '../../domain/failures.ts'
import type { Alias } from '../aliases.ts'
import type { Endpoint } from '../endpoint.ts'
import type { RawFields } from '../input.ts'
import { inOurSpelling } from './spelling.ts'
import { whyAbsent } from './zapi-absent.ts'
import { zapiAnswer, zapiError } from './zapi-answers.ts'
import { type Reshape, reshapes, withModeOfEachDay } from './zapi-requests.ts'

const NONE: Reshape = {}
const rowOf = ({ id }: Pick<Endpoint, 'id'>): Reshape => (Object.hasOwn(reshapes, id) ? reshapes[id]! : NONE)

const own = (alias: Alias | undefined) => [...(alias?.own ?? []), ...Object.keys(alias?.rename ?? {})]

export function inOurWords(_: Dialect, endpoint: Endpoint, alias: Alias | undefined, fields: RawFields): RawFields {
  const { rename = {}, lift, values = {} } = rowOf(endpoint)
  const given = lifted(endpoint.id === 'business.updateHours' ? withModeOfEachDay(fields) : fields, lift?.from)
  const isGiven = (name: string) => Object.hasOwn(given, name) || Object.hasOwn(given, camelCase(name))
  const named = Object.entries(given).map(([name, value]) => {
    // Our own name takes precedence if the request has both names.
    const ours = Object.hasOwn(rename, name) && !isGiven(rename[name]!) ? rename[name]! : name
    return [ours, Object.hasOwn(values, ours) ? values[ours]!(value) : withGroupForm(ours, value)]
  })
  return inOurSpelling(endpoint, Object.fromEntries(named), own(alias))
}

/**
 * Matches the id of an old group: the number of its creator and a time. Our ids need the suffix `-group`, which clients
 * of the dialect do not write.
 */
const FORMER_GROUP = /^\d{5,20}-\d{5,20}$/
const OF_CHATS = /^(phone|group_?id)$/i
const withGroupForm = (name: string, value: unknown) =>
  typeof value === 'string' && OF_CHATS.test(name) && FORMER_GROUP.test(value) ? `${value}-group` : value

function lifted(fields: RawFields, lift: string | undefined): RawFields {
  const inner = lift === undefined ? undefined : fields[lift]
  if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return fields
  const { [lift!]: _, ...rest } = fields
  return { ...rest, ...inner }
}

export function judgeOf(dialect: Dialect | undefined, endpoint: Endpoint): Pick<Endpoint, 'input' | 'ignored'> {
  const input = dialect === undefined ? undefined : rowOf(endpoint).input
  return input === undefined ? endpoint : { input, ignored: endpoint.ignored }
}

export function theirPath(_: Dialect, endpoint: Pick<Endpoint, 'id'>, path: string): string {
  const { rename = {}, lift } = rowOf(endpoint)
  const [first = '', ...rest] = path.split('.')
  const theirs = Object.entries(rename).find(([, ours]) => ours === first)?.[0] ?? first
  const within = lift?.fields.includes(first) ? [lift.from] : []
  return camelPath([...within, theirs, ...rest].join('.'))
}

export const inTheirNames = (dialect: Dialect, endpoint: Pick<Endpoint, 'id'>, error: unknown): unknown =>
  error instanceof Failure ? error.renamed((path) => theirPath(dialect, endpoint, path)) : error

export const answerIn: Readonly<Record<Dialect, typeof zapiAnswer>> = { zapi: zapiAnswer }
/** Explains why this service has no operation for a call of the other gateway; undefined for any other path. */
export const whyAbsentIn: Readonly<Record<Dialect, typeof whyAbsent>> = { zapi: whyAbsent }
export const errorIn: Readonly<Record<Dialect, typeof zapiError>> = { zapi: zapiError }
