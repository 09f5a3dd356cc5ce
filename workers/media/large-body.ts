/**
 * A large body, handed over as its bytes, is parsed and validated here with the operation's own declaration. What goes back is data: the
 * operation that is meant and its input, or the failure.
 */
import { joined } from '../../src/domain/bytes.ts'
import { Failure, type FailureData } from '../../src/domain/failures.ts'
import type { RawFields } from '../../src/features/input.ts'
import { readRequest, routeNamed } from '../../src/features/requests.ts'

export interface ReadBodyTask {
  /** Name of the route, an operation's id or an alias. */
  route: string
  /** Fields of the path, which win over those of the body. */
  path: RawFields
  /** Fields of the query, where the route takes some beside its body. */
  query?: RawFields | undefined
  /** Transferred, not copied. Empty afterwards: what has been joined is not kept twice. */
  pieces: Uint8Array<ArrayBuffer>[]
}

export type ReadBodyResult = { ok: { operation: string; input: unknown } } | { err: FailureData }

export function readLargeBody({ route, path, query = {}, pieces }: ReadBodyTask): ReadBodyResult {
  const body = joined(pieces)
  pieces.length = 0
  try {
    const { endpoint, input } = readRequest(routeNamed(route), { path, query, body })
    return { ok: { operation: endpoint.id, input } }
  } catch (error) {
    if (error instanceof Failure) return { err: error.toData() }
    throw error
  }
}
