/**
 * Finds the operation of a request and parses its input. The HTTP thread and the threads for large bodies use it, so
 * that the same body gives the same result.
 */
import type { Dialect } from '../domain/dialect.ts'
import { Failure } from '../domain/failures.ts'
import { type Alias, aliases, furtherNames } from './aliases.ts'
import { inOurWords, inTheirNames, judgeOf, theirPath } from './dialects/words.ts'
import { zapiRoutes } from './dialects/zapi-requests.ts'
import { type Endpoint, hasBody, INSTANCE_BASE, type Method, takesJson } from './endpoint.ts'
import { endpoints } from './index.ts'
import { parseInput, type RawBody, type RawFields, readFields } from './input.ts'
import { checkNames, unknownFields } from './unknown-fields.ts'

export interface RequestRoute {
  name: string
  method: Method
  path: string
  /**
   * The operation that the route names. If an alias chooses another operation by the sent fields, the credentials and
   * limits of the named operation still apply.
   */
  endpoint: Endpoint
  alias: Alias | undefined
  takesBody: boolean
  takesQuery: boolean
}

export interface MeantRequest {
  endpoint: Endpoint
  input: unknown
}

const byId: ReadonlyMap<string, Endpoint> = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]))

export function routeOf(endpoint: Endpoint): RequestRoute {
  const { id, method, path } = endpoint
  const takesBody = takesJson(endpoint)
  return { name: id, method, path, endpoint, alias: undefined, takesBody, takesQuery: !takesBody }
}

function aliasRoute(alias: Alias): RequestRoute[] {
  const endpoint = byId.get(alias.operation)
  if (!endpoint) return []
  const [method, path] = alias.route.split(' ') as [Method, string]
  const takesBody = alias.body ?? hasBody(method)
  const takesQuery = alias.query ?? !takesBody
  return [{ name: alias.route, method, path: INSTANCE_BASE + path, endpoint, alias, takesBody, takesQuery }]
}

export const requestRoutes: readonly RequestRoute[] = [...endpoints.map(routeOf), ...aliases.flatMap(aliasRoute)]

export const dialectRoutes: readonly RequestRoute[] = zapiRoutes.flatMap((alias) => aliasRoute({ ...alias, dialect: 'zapi' }))

const byName: ReadonlyMap<string, RequestRoute> = new Map(
  [...requestRoutes, ...dialectRoutes].map((route) => [route.name, route]),
)

export function routeNamed(name: string): RequestRoute {
  const route = byName.get(name)
  if (!route) throw new Failure('internal', { message: `There is no route ${name}.` })
  return route
}

/**
 * Reads a request. Fields of the path take precedence over those of the body, and those of the body over those of the
 * query. Throws as `parseInput` does. `onIgnored` gets the names of unknown fields.
 */
export function readRequest(
  { endpoint, alias = furtherNames[endpoint.id], takesBody }: RequestRoute,
  { path, query, body }: { path: RawFields; query?: RawFields; body?: RawBody },
  onIgnored: (names: string[]) => void = () => {},
  dialect?: Dialect,
): MeantRequest {
  const fields = { ...query, ...(takesBody && body ? readFields(body, alias?.list) : {}), ...path }
  if (dialect === undefined) return understood(endpoint, alias, fields, onIgnored)
  const namedBack = (names: string[]) => onIgnored(names.map((name) => theirPath(dialect, endpoint, name)))
  try {
    return understood(endpoint, alias, inOurWords(dialect, endpoint, alias, fields), namedBack, dialect)
  } catch (error) {
    throw inTheirNames(dialect, endpoint, error)
  }
}

function understood(
  endpoint: Endpoint,
  alias: Alias | undefined,
  fields: RawFields,
  onIgnored: (names: string[]) => void,
  dialect?: Dialect,
): MeantRequest {
  if (alias) return meant(alias, fields, onIgnored, dialect)
  checkNames(unknownFields(endpoint, fields), onIgnored)
  return { endpoint, input: parseInput(judgeOf(dialect, endpoint), fields) }
}

function meant(alias: Alias, fields: RawFields, onIgnored: (names: string[]) => void, dialect?: Dialect): MeantRequest {
  const { operation = alias.operation, fixed = {}, issue } = alias.choose?.(fields) ?? {}
  if (issue) throw Failure.invalid(issue)
  const endpoint = byId.get(operation)
  if (!endpoint) throw new Failure('not_found')
  const { rename = {}, own = [] } = alias
  const isSent = ([name]: [string, string]) => Object.hasOwn(fields, name)
  const back = alias.takesBoth ? Object.fromEntries(Object.entries(rename).filter(isSent)) : rename
  const theirs = namesBack(back)
  const renamed = Object.entries(fields).map(([name, value]) => [rename[name] ?? name, value] as const)
  const { ignored, misspelt } = unknownFields(endpoint, Object.fromEntries(renamed), [...own, ...Object.keys(rename)])
  checkNames(
    { ignored: ignored.map(theirs), misspelt: misspelt.map(({ path, message }) => ({ path: theirs(path), message })) },
    onIgnored,
  )
  const named = Object.entries(fields).map(([name, value]) => [rename[name] ?? name, meaningOf(alias, name, value)])
  const input = { ...Object.fromEntries(named), ...alias.fixed, ...fixed }
  try {
    return { endpoint, input: parseInput(judgeOf(dialect, endpoint), input) }
  } catch (error) {
    throw inTheirWords({ rename: back }, error)
  }
}

function meaningOf({ values }: Alias, name: string, value: unknown): unknown {
  const table = values?.[name]
  if (!table) return value
  const written = typeof value === 'string' ? value.toLowerCase() : ''
  if (Object.hasOwn(table, written)) return table[written]
  throw Failure.invalid({ path: name, message: `must be one of ${Object.keys(table).join(', ')}` })
}

function namesBack(rename: Readonly<Record<string, string>>): (path: string) => string {
  const names = new Map(Object.entries(rename).map(([theirs, ours]) => [ours, theirs]))
  return (path) => {
    const [first = '', ...rest] = path.split('.')
    return [names.get(first) ?? first, ...rest].join('.')
  }
}

export const inTheirWords = ({ rename = {} }: Pick<Alias, 'rename'>, error: unknown): unknown =>
  error instanceof Failure ? error.renamed(namesBack(rename)) : error
