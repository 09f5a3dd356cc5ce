/** A message that edits or deletes an earlier one: what is known of that one changes with it. */
import type { WAMessage } from '@whiskeysockets/baileys'
import type { KnownMessages } from '../../retry/known-messages.ts'
import type { InboundContext } from '../../translate/inbound/context.ts'
import { messageChange } from '../../translate/inbound/message.ts'
import { chatNamesOf } from '../../translate/inbound/referenced.ts'
import { allNames } from '../../translate/inbound/secret.ts'

export interface ChangedMessagesDeps {
  messages: Pick<KnownMessages, 'get' | 'edited' | 'deleted'>
  /** Null before the first session. */
  context(): InboundContext | null
}

/** Called with every new message before its commit. Doing it twice changes nothing. */
export const changedMessages =
  ({ messages, context }: ChangedMessagesDeps) =>
  async (message: WAMessage): Promise<void> => {
    const from = context()
    const change = from && (await messageChange(from, message))
    if (!change) return
    const names = await allNames({ context: from }, chatNamesOf(message.key))
    const known = await messages.get(change.id, (key) => chatNamesOf(key).some((name) => names.has(name)))
    if (known) await (change.content ? messages.edited(known, change.content) : messages.deleted(known))
  }
