/** Builds contact cards: vCard 3.0 (RFC 2426), with `waid` and `X-WA-BIZ-DESCRIPTION`, which the WhatsApp apps add. */
import type { proto } from '@whiskeysockets/baileys'

export interface Card {
  name: string
  phones: readonly string[]
  description?: string | undefined
}

/** Escapes a text. Without this, a text with a line break could add lines to the card. */
const escaped = (text: string) =>
  text
    .replaceAll('\\', '\\\\')
    .replaceAll(',', '\\,')
    .replaceAll(';', '\\;')
    .replaceAll(/\r\n|[\r\n\u0085\u2028\u2029]/g, '\\n')

function vcard({ name, phones, description }: Card): string {
  return [
    'BEGIN:VCARD',
    'VERSION:3.0',
    `N:;${escaped(name)};;;`,
    `FN:${escaped(name)}`,
    ...phones.map((digits) => `TEL;type=CELL;waid=${digits}:+${digits}`),
    ...(description === undefined ? [] : [`X-WA-BIZ-DESCRIPTION:${escaped(description)}`]),
    'END:VCARD',
  ].join('\n')
}

const contact = (card: Card): proto.Message.IContactMessage => ({ displayName: card.name, vcard: vcard(card) })

export const contacts = (cards: readonly Card[]) => ({
  displayName: cards.length === 1 ? cards[0]!.name : `${cards.length} contacts`,
  contacts: cards.map(contact),
})
