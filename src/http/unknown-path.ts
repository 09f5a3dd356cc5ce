/** A request that no route takes, and what its caller is told: that the credentials are missing, that the path takes other methods, or nothing. */
import { Failure } from '../domain/failures.ts'
import { type Access, type Endpoint, INSTANCE_BASE } from '../features/endpoint.ts'
import { NO_ROUTE } from './access-checks.ts'

const INSTANCE_PATH = /^\/instances\/([^/]*)\/token\/([^/]*)(\/.+)$/

/** Not for everybody: whom they are not for is not told that they are there. */
const QUIET: ReadonlySet<Access> = new Set(['metrics', 'described'])

/** Patterns are made once: paths of all kinds are tried by whoever scans the address, and two hundred patterns take a millisecond. */
export function createUnknownPath(served: readonly Endpoint[]): (method: string, path: string) => Failure {
  const routes = served
    .filter(({ access }) => !QUIET.has(access))
    .map(({ method, path }) => ({ method, pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`) }))

  return (method, path) => {
    const withoutCredentials = path.replace(INSTANCE_PATH, (whole, instance, token, rest) =>
      instance === '' || token === '' ? INSTANCE_BASE + rest : whole,
    )
    const methods = new Set<string>(routes.flatMap((each) => (each.pattern.test(withoutCredentials) ? [each.method] : [])))
    // The router takes no empty segment for a parameter: such a path is a route whose credentials are missing.
    if (withoutCredentials !== path && methods.has(method)) return new Failure('unauthorized')
    methods.delete(method)
    if (methods.size === 0) return new Failure('not_found', { message: NO_ROUTE })
    return new Failure('not_found', { message: `This path takes ${[...methods].sort().join(', ')}, not ${method}.` })
  }
}
