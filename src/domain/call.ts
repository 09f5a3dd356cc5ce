/**
 * A request to an operation, in the form in which it is passed to the shard: the input, and facts from the operation's declaration, so that the shard
 * does not have to derive them. Plain data.
 */
import type { FailureCode } from './failures.ts'
import { type Identifier, renderIdentifier } from './ids.ts'

export interface SendCall<Id extends string = string, Input = unknown> {
  kind: 'send'
  operation: Id
  input: Input
  /** Destination, in the form of the API. */
  to: string
  /** Id of the message that this message refers to; the `delivery` event contains it as `reference_message_id`. */
  about: string | null
  /** Text or caption of the message, whose beginning is shown in the list of waiting items. */
  preview: string | null
  /** Seconds to wait before the message is sent; null for the random interval of the instance. */
  delayMessage: number | null
  /** Time in epoch ms before which the message is not sent; null if there is none. */
  sendAt: number | null
  /** Seconds for which typing is shown before the message. */
  delayTyping: number
}

export interface ActionCall<Id extends string = string, Input = unknown> {
  kind: 'action'
  operation: Id
  input: Input
  /** Time limit of the operation in ms, including all of its queries. */
  deadlineMs: number
  /** Code of the failure to report if the network answers 404. */
  notFound: FailureCode
}

export interface ControlCall<Id extends string = string, Input = unknown> {
  kind: 'control'
  operation: Id
  input: Input
  /**
   * If true, the call is refused with `instance_already_connected` once an account is linked; the shard checks this, because it learns of a linked
   * account first.
   */
  ifUnpaired?: boolean
}

export type Call = SendCall | ActionCall | ControlCall

/** Facts about the HTTP request that a call comes from. */
export interface CallOrigin {
  /** Idempotency key of a queued send: a second request with the same key is not sent again. */
  idempotencyKey?: string | undefined
  /** `X-Request-Id` of the request, for the log. */
  requestId?: string | undefined
}

/** Input fields that every send may have. */
interface SharedInput {
  message?: unknown
  caption?: unknown
  delay_message?: number
  send_at?: number
  delay_typing?: number
}

/**
 * Builds the call of a send. `to` and `about` are arguments, because each operation declares the fields that have them
 * (`features/call.ts`). The other values come from input fields that have the same names in every send.
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
