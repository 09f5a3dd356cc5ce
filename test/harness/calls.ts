/** Builds the call that the main thread sends to a shard, for tests that run an instance without HTTP. */
import type { Call } from '../../src/domain/call.ts'
import { callOf } from '../../src/features/call.ts'
import { endpoints } from '../../src/features/index.ts'
import { parseInput } from '../../src/features/input.ts'

export function callTo(operation: string, input: Record<string, unknown> = {}): Call {
  const endpoint = endpoints.find(({ id }) => id === operation)
  if (!endpoint) throw new Error(`no operation ${operation}`)
  return callOf(endpoint, parseInput(endpoint, input))
}
