/**
 * Returns the failure for a request that matches no route. It names the probable cause, such as missing credentials.
 */
import type { Dialect } from '../domain/dialect.ts'
import { Failure } from '../domain/failures.ts'
import { whyAbsentIn } from '../features/dialects/words.ts'
import { whyAbsentForPartners } from '../features/dialects/zapi-absent.ts'
import { type Access, type Endpoint, INSTANCE_BASE } from '../features/endpoint.ts'
import { NO_ROUTE } from './errors.ts'

const INSTANCE_PATH = /^\/instances\/([^/]*)\/token\/([^/]*)(\/.+)$/

/** Kinds of routes that the failure never names, because some callers must not learn that they exist. */
const QUIET: ReadonlySet<Access> = new Set(['metrics', 'described'])

/**
 * Creates the function that answers unknown paths. The patterns are compiled once, because scanners send many unknown
 * paths.
 */
export function createUnknownPath(served: readonly Endpoint[]): (method: string, path: string, dialect?: Dialect) => Failure {
  const routes = served
    .filter(({ access }) => !QUIET.has(access))
    .map(({ method, path }) => ({ method, pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`) }))

  return (method, path, dialect) => {
    const why = dialect ? whyAbsentIn[dialect](method, INSTANCE_PATH.exec(path)?.[3] ?? '') : whyAbsentForPartners(method, path)
    if (why !== undefined) return new Failure('not_found', { message: why })
    const withoutCredentials = path.replace(INSTANCE_PATH, (whole, instance, token, rest) =>
      instance === '' || token === '' ? INSTANCE_BASE + rest : whole,
    )
    const methods = new Set<string>(routes.flatMap((each) => (each.pattern.test(withoutCredentials) ? [each.method] : [])))
    // The router does not match an empty path segment with a parameter. Such a path is meant for a route whose
    // credentials are empty.
    if (withoutCredentials !== path && methods.has(method)) return new Failure('unauthorized')
    methods.delete(method)
    if (methods.size === 0) return new Failure('not_found', { message: NO_ROUTE })
    return new Failure('not_found', { message: `This path accepts ${[...methods].sort().join(', ')}, not ${method}.` })
  }
}
