/** `text`: what was typed, with its link card. shared/api/webhook-payloads.md, 2.3. */

import { cut, cutOrNull } from './bounds.ts'
import type { Block } from './message.ts'

export const text: Block = ({ message }) => {
  if (typeof message.conversation === 'string')
    return { text: { message: cut(message.conversation, 65_536), title: null, description: null, url: null } }
  const extended = message.extendedTextMessage
  if (!extended) return null
  return {
    text: {
      message: cut(extended.text ?? '', 65_536),
      title: cutOrNull(extended.title, 256),
      description: cutOrNull(extended.description, 1_024),
      url: cutOrNull(extended.matchedText, 2_048),
    },
  }
}
