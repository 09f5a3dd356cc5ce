/**
 * Reasons why a message of the network is confirmed although no event reports it. They are counted
 * (`svc_messages_unreported_total`).
 */
import type { ReceivedEvent } from '../../../src/features/webhook-payloads.ts'

export const UNREPORTED = {
  again: 'the network delivered it again, and its event or its reason was given the first time',
  peer: 'it is exchanged between the devices of the account: keys, history, and answers of the phone to requests of this service',
  plumbing: 'it has no content for a person: `NOT_REPORTED` in translate/inbound lists such contents and protocol messages',
  hidden: 'it is an addition to another message (reaction, vote, pin) that could not be read, and apps show nothing in its place',
  unwanted: 'no webhook and no stream takes `received` events',
  filtered: 'the webhook settings of the instance leave it out',
  malformed: 'it names no chat or has no id, so an event could not refer to it',
} as const satisfies Record<string, string>

export type Unreported = keyof typeof UNREPORTED

export type Reported = ReceivedEvent | Unreported

export const isEvent = (made: Reported): made is ReceivedEvent => typeof made !== 'string'
export const eventOrNull = (made: Reported): ReceivedEvent | null => (isEvent(made) ? made : null)
