import type { WAMessage } from '@whiskeysockets/baileys'
import type { ReceivedEvent } from '../../../src/features/webhook-payloads.ts'
import type { Presence } from './presence.ts'
import type { ReceivedEvents } from './received-events.ts'
import { eventOrNull } from './unreported.ts'

export interface OwnEventsDeps {
  inbound: Pick<ReceivedEvents, 'message'>
  presence: Pick<Presence, 'wroteTo'>
  record(message: WAMessage, fromApi: boolean): Promise<void>
}

/**
 * Records a message that the API has sent. Returns its event, or null if it is not reported, for example
 * because no webhook or stream wants it.
 */
export type OwnEvent = (message: WAMessage) => Promise<ReceivedEvent | null>

export function createOwnEvents({ inbound, presence, record }: OwnEventsDeps): OwnEvent {
  return async (message) => {
    presence.wroteTo(message.key.remoteJid ?? '')
    await record(message, true)
    return eventOrNull(await inbound.message(message, true))
  }
}
