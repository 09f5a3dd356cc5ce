/** Parses a large request body while it arrives, and validates it with the schema of the operation. */
import type { Dialect } from '../../src/domain/dialect.ts'
import { Failure, type FailureData } from '../../src/domain/failures.ts'
import type { ReadLargeMessage } from '../../src/domain/tool-message.ts'
import type { RawFields } from '../../src/features/input.ts'
import { readRequest, routeNamed } from '../../src/features/requests.ts'
import { readLargeMessage } from '../../src/features/tool-message.ts'
import type { StreamedJson } from './streamed-json.ts'

export interface ReadBodyTask {
  route: string
  path: RawFields
  query?: RawFields | undefined
  dialect?: Dialect | undefined
}

export type ReadBodyResult = ({ ok: { operation: string; input: unknown } } | { err: FailureData }) & { unknown: string[] }

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

export const readMessage = (body: StreamedJson): ReadLargeMessage => readLargeMessage(() => body.value())
