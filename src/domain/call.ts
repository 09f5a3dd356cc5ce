/**
 * A request to an operation, as plain data for the shard thread. It includes facts from the declaration of the
 * operation, so that the shard need not derive them.
 */
import type { FailureCode } from './failures.ts'
import { type Identifier, renderIdentifier } from './ids.ts'

export interface SendCall<Id extends string = string, Input = unknown> {
  kind: 'send'
  operation: Id
  input: Input
  to: string
  /**
   * Id of the message to which this message refers, for example as a reply. It is the `reference_message_id` of the
   * `delivery` event.
   */
  about: string | null
  /** Text or caption of the message. Its beginning is shown in the list of waiting messages. */
  preview: string | null
  /** Seconds to wait before the message is sent; null for a random interval. */
  delayMessage: number | null
  /** Time in epoch ms before which the message is not sent; null if there is none. */
  sendAt: number | null
  delayTyping: number
}

export interface ActionCall<Id extends string = string, Input = unknown> {
  kind: 'action'
  operation: Id
  input: Input
  /** Time limit of the operation in ms, including all of its queries. */
  deadlineMs: number
  /** Failure to report if the network answers 404. */
  notFound: FailureCode
}

export interface ControlCall<Id extends string = string, Input = unknown> {
  kind: 'control'
  operation: Id
  input: Input
  /** If true, the call is refused with `instance_already_connected` once an account is linked. */
  ifUnpaired?: boolean
}

export type Call = SendCall | ActionCall | ControlCall

export interface CallOrigin {
  idempotencyKey?: string | undefined
  requestId?: string | undefined
}

interface SharedInput {
  message?: unknown
  caption?: unknown
  delay_message?: number
  send_at?: number
  delay_typing?: number
}

/**
 * Builds the call of a send. `to` and `about` are arguments, because their fields differ between operations. The other
 * values come from fields that have the same names in all sends.
 */
export function sendCall<Id extends string, Input extends object>(
  operation: Id,
  input: Input,
  { to, about }: { to: Identifier; about?: unknown },
): SendCall<Id, Input> {
  const { message, caption, delay_message, send_at, delay_typing } = input as SharedInput
  const text = message ?? caption
  return {
    kind: 'send',
    operation,
    input,
    to: renderIdentifier(to),
    about: typeof about === 'string' ? about : null,
    preview: typeof text === 'string' ? text : null,
    delayMessage: delay_message ?? null,
    sendAt: send_at ?? null,
    delayTyping: delay_typing ?? 0,
  }
}
