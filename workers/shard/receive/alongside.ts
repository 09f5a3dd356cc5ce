/** Operations that belong to a received message and are written in its commit, together with its keys and its event. */
import type { WAMessage, WAMessageKey } from '@whiskeysockets/baileys'
import type { Op } from '../../../src/storage/contract.ts'
import type { Correspondents } from '../chats/correspondents.ts'
import type { Disappearing } from '../chats/disappearing.ts'
import type { MessageLedger } from '../messages/message-ledger.ts'
import type { changedMessages } from './effects/changed-messages.ts'

export interface AlongsideDeps {
  messages: Pick<MessageLedger, 'arrivalOps' | 'authorOps'>
  disappearing: Pick<Disappearing, 'ops'>
  correspondents: Pick<Correspondents, 'ops'>
  changed: ReturnType<typeof changedMessages>
  record(message: WAMessage): Promise<void>
}

export const alongsideOf = ({ messages, disappearing, correspondents, changed, record }: AlongsideDeps) => ({
  async message(message: WAMessage): Promise<Op[]> {
    await changed.message(message)
    // All reads are requested at once, so that the store can combine them.
    const ops = await Promise.all([messages.arrivalOps(message), disappearing.ops(message), correspondents.ops(message)])
    // `record` is called last: its change is written with the next commit of the instance, which must be the commit of
    // the message.
    await record(message)
    return ops.flat()
  },

  /** Returns the operations for a message of which only the envelope could be read. */
  async unreadable({ key, timestamp }: { key: WAMessageKey; timestamp: number }): Promise<Op[]> {
    const ops = await Promise.all([messages.authorOps(key), correspondents.ops({ key })])
    // A message that cannot be decrypted is recorded too, because it shows that the person has written.
    await record({ key, messageTimestamp: timestamp })
    return ops.flat()
  },
})
