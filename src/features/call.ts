/**
 * Makes the message for the shard thread from a request: the input, and facts from the declaration of the operation,
 * such as the deadline.
 */
import { type ActionCall, type Call, type ControlCall, type SendCall, sendCall } from '../domain/call.ts'
import type { Identifier } from '../domain/ids.ts'
import type { Endpoint } from './endpoint.ts'

/** Returns the message for the shard thread. `input` is the result of `parseInput`. Throws for a `local` operation. */
export function callOf(endpoint: Endpoint, input: unknown): Call {
  const { id, kind, deadlineMs, notFound } = endpoint
  switch (kind) {
    case 'send':
      return sendCallOf(endpoint, input as Record<string, unknown>)
    case 'action':
      return { kind, operation: id, input, deadlineMs, notFound } satisfies ActionCall
    case 'control':
      return { kind, operation: id, input } satisfies ControlCall
    case 'local':
      throw new Error(`${id} is answered without a shard`)
    default:
      return kind satisfies never
  }
}

function sendCallOf({ id, to, about }: Endpoint, input: Record<string, unknown>): SendCall {
  const destination = to ?? (input.phone as Identifier | undefined)
  if (!destination) throw new Error(`${id} declares neither a phone nor a destination`)
  return sendCall(id, input, { to: destination, about: about === undefined ? undefined : input[about] })
}
