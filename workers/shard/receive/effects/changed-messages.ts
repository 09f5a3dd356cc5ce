import type { WAMessage } from '@whiskeysockets/baileys'
import type { KnownMessages } from '../../messages/known-messages.ts'
import { unwrap } from '../../translate/inbound/content.ts'
import type { InboundContext } from '../../translate/inbound/context.ts'
import { messageChange } from '../../translate/inbound/message.ts'
import { CHANGES, type Change } from '../../translate/inbound/protocol.ts'
import { chatNamesOf } from '../../translate/inbound/referenced.ts'
import { allNames } from '../../translate/inbound/secret.ts'

export interface ChangedMessagesDeps {
  messages: Pick<KnownMessages, 'get' | 'edited' | 'deleted'>
  context(): InboundContext | null
}

export interface ChangedMessages {
  /**
   * Applies the change that a message makes to an earlier message (an edit or a deletion). Called with each readable
   * message before its commit, perhaps more than once with the same message.
   */
  message(message: WAMessage): Promise<void>
  post(message: WAMessage): Promise<void>
}

const isChange = ({ message }: WAMessage): boolean => {
  const content = unwrap(message ?? {})
  return content !== null && CHANGES.has(content.field)
}

export function changedMessages({ messages, context }: ChangedMessagesDeps): ChangedMessages {
  async function apply(from: InboundContext, { key }: WAMessage, change: Change) {
    const names = await allNames({ context: from }, chatNamesOf(key))
    const known = await messages.get(change.id, (each) => chatNamesOf(each).some((name) => names.has(name)))
    if (known) await (change.content ? messages.edited(known, change.content) : messages.deleted(known))
  }

  return {
    async message(message) {
      // This is checked before the look-ups are prepared, because very few messages change another one.
      if (!isChange(message)) return
      const from = context()
      const change = from && (await messageChange(from, message))
      if (change) await apply(from, message, change)
    },
    async post(message) {
      const from = context()
      if (!from) return
      const whole = { id: message.key.id ?? '', content: message.message ?? null }
      const change = isChange(message) ? await messageChange(from, message) : whole
      if (change) await apply(from, message, change)
    },
  }
}
