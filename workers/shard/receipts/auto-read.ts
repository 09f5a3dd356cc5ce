import type { WAMessage } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import type { InstanceSettings } from '../../../src/domain/instance.ts'
import type { Session } from '../chats/session.ts'
import type { AccountDirectory } from '../directory/account-directory.ts'
import { chatKind } from '../wire/jid.ts'

export interface AutoReadDeps {
  settings(): InstanceSettings
  session(): Session | null
  read: AccountDirectory['read']
  log: Logger
}

export function createAutoRead({ settings, session, read, log }: AutoReadDeps): (message: WAMessage) => void {
  return ({ key }) => {
    const { auto_read_message, auto_read_status } = settings()
    const isStatus = key.remoteJid === 'status@broadcast'
    // Channels have no read receipts, only view counts, so nothing is sent to them.
    const isRead = isStatus ? auto_read_status : auto_read_message && chatKind(key.remoteJid ?? '') !== 'newsletter'
    if (key.fromMe || !isRead) return
    const current = session()
    current?.ask
      .run(() => current.markRead([key]))
      .then(() => read([key]))
      .catch((error) => log.info({ err: error }, 'a message could not be marked read'))
  }
}
