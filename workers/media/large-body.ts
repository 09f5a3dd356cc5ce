/**
 * A large body, transferred as bytes, is parsed and validated here with the operation's own declaration. The result is data: the operation and its
 * input, or the failure.
 */
import { joined } from '../../src/domain/bytes.ts'
import { Failure, type FailureData } from '../../src/domain/failures.ts'
import type { ReadLargeMessage } from '../../src/domain/tool-message.ts'
import type { RawFields } from '../../src/features/input.ts'
import { readRequest, routeNamed } from '../../src/features/requests.ts'
import { readLargeMessage } from '../../src/features/tool-message.ts'

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

/** `unknown`: names of fields that the operation does not have. */
export type ReadBodyResult = ({ ok: { operation: string; input: unknown } } | { err: FailureData }) & { unknown: string[] }

export function readLargeBody({ route, path, query = {}, pieces }: ReadBodyTask): ReadBodyResult {
  const body = joined(pieces)
  pieces.length = 0
  let unknown: string[] = []
  try {
    const { endpoint, input } = readRequest(routeNamed(route), { path, query, body }, (names) => {
      unknown = names
    })
    return { ok: { operation: endpoint.id, input }, unknown }
  } catch (error) {
    if (error instanceof Failure) return { err: error.toData(), unknown }
    throw error
  }
}

/** A message to `/mcp`; its pieces are those of a `ReadBodyTask`. */
export function readMessagePieces(pieces: Uint8Array<ArrayBuffer>[]): ReadLargeMessage {
  const body = joined(pieces)
  pieces.length = 0
  return readLargeMessage(body)
}
