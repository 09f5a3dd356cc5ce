/** A request that no route takes, and what its caller is told: that the credentials are missing, that the path takes other methods, or nothing. */
import { Failure } from '../domain/failures.ts'
import { type Access, type Endpoint, INSTANCE_BASE } from '../features/endpoint.ts'
import { NO_ROUTE } from './access-checks.ts'

export const INSTANCE_PATH = /^\/instances\/([^/]*)\/token\/([^/]*)(\/.+)$/

/** Not for everybody: whom they are not for is not told that they are there. */
const QUIET: ReadonlySet<Access> = new Set(['metrics', 'described'])

export function unknownPath(served: readonly Endpoint[], method: string, path: string): Failure {
  const withoutCredentials = path.replace(INSTANCE_PATH, (whole, instance, token, rest) =>
    instance === '' || token === '' ? INSTANCE_BASE + rest : whole,
  )
  const methods = served.flatMap((endpoint) =>
    !QUIET.has(endpoint.access) && isPathOf(endpoint, withoutCredentials) ? [endpoint.method] : [],
  )
  // The router takes no empty segment for a parameter: such a path is a route whose credentials are missing.
  if (withoutCredentials !== path && methods.some((each) => each === method)) return new Failure('unauthorized')
  const others = methods.filter((each) => each !== method)
  if (others.length === 0) return new Failure('not_found', { message: NO_ROUTE })
  return new Failure('not_found', { message: `This path takes ${others.sort().join(', ')}, not ${method}.` })
}

const isPathOf = (endpoint: Endpoint, path: string): boolean =>
  new RegExp(`^${endpoint.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(path)
