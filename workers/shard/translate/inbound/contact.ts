import type { proto } from '@whiskeysockets/baileys'
import type { ReceivedContact } from '../../../../src/features/received/messages.ts'
import { cutOrEmpty } from '../../wire/bounds.ts'
import { block, type Family } from './family.ts'

const MAX_PHONES = 10
const MAX_CONTACTS = 257
/**
 * Maximum number of characters of a contact card that are read. This is more than an event shows, so that the numbers
 * after a long note are found.
 */
const READ = 65_536

/** Returns the numbers in a contact card: the parameter `waid`, or else the text after the colon. */
function phonesOf(vcard: string): string[] {
  // A line that begins with a space continues the line before it.
  const lines = vcard
    .slice(0, READ)
    .replace(/\r?\n[ \t]/g, '')
    .split(/\r?\n/)
  const phones = lines
    .filter((line) => /^(?:[\w-]+\.)?TEL[;:]/i.test(line))
    .map((line) => /waid=(\d{5,20})/i.exec(line)?.[1] ?? line.slice(line.indexOf(':') + 1).replace(/\D/g, ''))
    .filter((digits) => /^\d{5,20}$/.test(digits))
  return [...new Set(phones)].slice(0, MAX_PHONES)
}

const card = ({ displayName, vcard }: proto.Message.IContactMessage): ReceivedContact => ({
  display_name: cutOrEmpty(displayName, 256),
  vcard: cutOrEmpty(vcard, 16_384),
  phones: phonesOf(vcard ?? ''),
})

export const contact: Family = ({ message }) => (message.contactMessage ? block('contact', card(message.contactMessage)) : null)

export const contacts: Family = ({ message }) => {
  const cards = message.contactsArrayMessage?.contacts
  return cards?.length ? block('contacts', cards.slice(0, MAX_CONTACTS).map(card)) : null
}
