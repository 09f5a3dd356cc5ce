/**
 * Parses a large request body while it arrives, and validates it with the schema of the operation. The result is plain data: the operation and its
 * input, or the failure.
 */
import type { Dialect } from '../../src/domain/dialect.ts'
import { Failure, type FailureData } from '../../src/domain/failures.ts'
import type { ReadLargeMessage } from '../../src/domain/tool-message.ts'
import type { RawFields } from '../../src/features/input.ts'
import { readRequest, routeNamed } from '../../src/features/requests.ts'
import { readLargeMessage } from '../../src/features/tool-message.ts'
import type { StreamedJson } from './streamed-json.ts'

export interface ReadBodyTask {
  /** Name of the route: the id of an operation, or an alias. */
  route: string
  /** Fields of the path, which override those of the body. */
  path: RawFields
  /** Fields of the query string, if the route accepts fields there. */
  query?: RawFields | undefined
  /** The dialect of the field names; absent if they are those of this API. */
  dialect?: Dialect | undefined
}

/** `unknown`: names of fields that the operation does not have. */
export type ReadBodyResult = ({ ok: { operation: string; input: unknown } } | { err: FailureData }) & { unknown: string[] }

/** Returns the operation and its input. The body must have arrived completely, or have been refused. */
export function readLargeBody({ route, path, query = {}, dialect }: ReadBodyTask, body: StreamedJson): ReadBodyResult {
  let unknown: string[] = []
  try {
    const onIgnored = (names: string[]) => {
      unknown = names
    }
    const { endpoint, input } = readRequest(routeNamed(route), { path, query, body: () => body.value() }, onIgnored, dialect)
    return { ok: { operation: endpoint.id, input }, unknown }
  } catch (error) {
    if (error instanceof Failure) return { err: error.toData(), unknown }
    throw error
  }
}

/** Parses a message to `/mcp`. */
export const readMessage = (body: StreamedJson): ReadLargeMessage => readLargeMessage(() => body.value())
