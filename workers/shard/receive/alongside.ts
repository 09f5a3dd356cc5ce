/** Operations that are written in the commit of a received message, beside its keys and its event. */
import type { WAMessage, WAMessageKey } from '@whiskeysockets/baileys'
import type { Op } from '../../../src/storage/contract.ts'
import type { Correspondents } from '../chats/correspondents.ts'
import type { Disappearing } from '../chats/disappearing.ts'
import type { MessageLedger } from '../messages/message-ledger.ts'
import type { changedMessages } from './effects/changed-messages.ts'

export interface AlongsideDeps {
  messages: Pick<MessageLedger, 'arrivalOps' | 'authorOps'>
  /** Message timers of chats whose messages disappear. */
  disappearing: Pick<Disappearing, 'ops'>
  correspondents: Pick<Correspondents, 'ops'>
  changed: ReturnType<typeof changedMessages>
  /** Called with every message before its commit. */
  record(message: WAMessage): Promise<void>
}

export const alongsideOf = ({ messages, disappearing, correspondents, changed, record }: AlongsideDeps) => ({
  async message(message: WAMessage): Promise<Op[]> {
    await changed.message(message)
    // These functions are called together, so that their reads happen in one turn.
    const ops = await Promise.all([messages.arrivalOps(message), disappearing.ops(message), correspondents.ops(message)])
    // `record` is called last, because its commit must reach the store directly before the commit of the message.
    await record(message)
    return ops.flat()
  },

  /** For a message of which only the envelope is known. */
  async unreadable({ key, timestamp }: { key: WAMessageKey; timestamp: number }): Promise<Op[]> {
    const ops = await Promise.all([messages.authorOps(key), correspondents.ops({ key })])
    // The person has written, although nobody can read what.
    await record({ key, messageTimestamp: timestamp })
    return ops.flat()
  },
})
