import type { proto } from '@whiskeysockets/baileys'
import { cut, cutOrEmpty, cutOrNull } from '../../wire/bounds.ts'
import { block, type Family } from './family.ts'

export const text: Family = ({ field, message }) => {
  if (field === 'conversation' && typeof message.conversation === 'string')
    return block('text', { message: cut(message.conversation, 65_536), title: null, description: null, url: null })
  const extended = message.extendedTextMessage
  if (!extended) return null
  if (isEmpty(extended)) return 'silent'
  return block('text', {
    message: cutOrEmpty(extended.text, 65_536),
    title: cutOrNull(extended.title, 256),
    description: cutOrNull(extended.description, 1_024),
    url: cutOrNull(extended.matchedText, 2_048),
  })
}

/**
 * Whether a text message is empty. A message without words is not empty if it has a preview card or comes from an ad.
 */
const isEmpty = ({ text, title, description, matchedText, contextInfo }: proto.Message.IExtendedTextMessage) =>
  !(text || title || description || matchedText || contextInfo?.externalAdReply)
