/** Received messages marked read by themselves, where the settings ask for it. */
import type { WAMessage } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import type { InstanceSettings } from '../../../src/domain/instance.ts'
import type { Session } from '../chats/session.ts'
import { chatKind } from '../wire/jid.ts'

export interface AutoReadDeps {
  settings(): InstanceSettings
  session(): Session | null
  log: Logger
}

export function createAutoRead({ settings, session, log }: AutoReadDeps): (message: WAMessage) => void {
  return ({ key }) => {
    const { auto_read_message, auto_read_status } = settings()
    const isStatus = key.remoteJid === 'status@broadcast'
    // A channel knows no read receipts, only views.
    const isRead = isStatus ? auto_read_status : auto_read_message && chatKind(key.remoteJid ?? '') !== 'newsletter'
    if (key.fromMe || !isRead) return
    session()
      ?.sock.readMessages([key])
      .catch((error) => log.info({ err: error }, 'a message could not be marked read'))
  }
}
