/** Events of messages that this service sent. */
import type { WAMessage } from '@whiskeysockets/baileys'
import type { ReceivedEvent } from '../../../src/features/webhook-payloads.ts'
import type { Presence } from './presence.ts'
import type { ReceivedEvents } from './received-events.ts'
import { eventOrNull } from './unreported.ts'

export interface OwnEventsDeps {
  inbound: Pick<ReceivedEvents, 'message'>
  presence: Pick<Presence, 'wroteTo'>
  /** Called with every message that this service sent, before its commit. */
  record(message: WAMessage, fromApi: boolean): Promise<void>
}

/** Returns the event of a message that this service sent; null if no event is wanted. */
export type OwnEvent = (message: WAMessage) => Promise<ReceivedEvent | null>

export function createOwnEvents({ inbound, presence, record }: OwnEventsDeps): OwnEvent {
  return async (message) => {
    presence.wroteTo(message.key.remoteJid ?? '')
    await record(message, true)
    return eventOrNull(await inbound.message(message, true))
  }
}
