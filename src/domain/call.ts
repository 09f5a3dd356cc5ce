/**
 * One request to an operation as it crosses to the shard: the input and the facts of its declaration, so that the shard restates none
 * of them. Plain data.
 */
import type { FailureCode } from './failures.ts'
import { type Identifier, renderIdentifier } from './ids.ts'

export interface SendCall<Id extends string = string, Input = unknown> {
  kind: 'send'
  operation: Id
  input: Input
  /** Where it goes, as the API writes it. */
  to: string
  /** Message it is about: `reference_message_id` of its `delivery`. */
  about: string | null
  /** Text or caption, which a list of waiting items shows in part. */
  preview: string | null
  /** Seconds; null: the interval of the instance. */
  delayMessage: number | null
  /** Seconds. */
  delayTyping: number
}

export interface ActionCall<Id extends string = string, Input = unknown> {
  kind: 'action'
  operation: Id
  input: Input
  /** How long it may take in all, ms. */
  deadlineMs: number
  /** The failure that the network's 404 means for this operation. */
  notFound: FailureCode
}

export interface ControlCall<Id extends string = string, Input = unknown> {
  kind: 'control'
  operation: Id
  input: Input
}

export type Call = SendCall | ActionCall | ControlCall

/** The request that a call comes from. */
export interface CallOrigin {
  /** Of a queued send: a repeat under the same key is the same send. */
  idempotencyKey?: string | undefined
  /** Its `X-Request-Id`, for the log. */
  requestId?: string | undefined
}

/** Fields of the input that every send may have. */
interface SharedInput {
  message?: unknown
  caption?: unknown
  delay_message?: number
  delay_typing?: number
}

/** The declaration names the fields of `to` and `about`; the other fields have the same names in every send. */
export function sendCall<Id extends string, Input extends object>(
  operation: Id,
  input: Input,
  { to, about }: { to: Identifier; about?: unknown },
): SendCall<Id, Input> {
  const { message, caption, delay_message, delay_typing } = input as SharedInput
  const text = message ?? caption
  return {
    kind: 'send',
    operation,
    input,
    to: renderIdentifier(to),
    about: typeof about === 'string' ? about : null,
    preview: typeof text === 'string' ? text : null,
    delayMessage: delay_message ?? null,
    delayTyping: delay_typing ?? 0,
  }
}
