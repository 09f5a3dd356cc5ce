/**
 * A large body, handed over as its bytes, is parsed and validated here with the operation's own declaration. What goes back is data: the
 * input, or the failure.
 */
import { joined } from '../../src/domain/bytes.ts'
import { Failure, type FailureData } from '../../src/domain/failures.ts'
import { endpoints } from '../../src/features/index.ts'
import { readBody } from '../../src/features/input.ts'

export interface ReadBodyTask {
  operation: string
  /** Fields of the path, which win over those of the body. */
  path: Record<string, string>
  /** Transferred, not copied. Empty afterwards: what has been joined is not kept twice. */
  pieces: Uint8Array<ArrayBuffer>[]
}

export type ReadBodyResult = { ok: unknown } | { err: FailureData }

const byId = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]))

export function readLargeBody({ operation, path, pieces }: ReadBodyTask): ReadBodyResult {
  const endpoint = byId.get(operation)
  if (!endpoint) return { err: new Failure('internal', { message: `There is no operation ${operation}.` }).toData() }
  const body = joined(pieces)
  pieces.length = 0
  try {
    return { ok: readBody(endpoint, path, body) }
  } catch (error) {
    if (error instanceof Failure) return { err: error.toData() }
    throw error
  }
}
