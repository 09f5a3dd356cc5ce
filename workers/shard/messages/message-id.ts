/**
 * Derives the id of a message from the id of its queue item, so that the message of an item is found without a record.
 * The result looks like the random ids of Baileys, and nobody can calculate it without the encryption key.
 */
import type { Sealer } from '../../../src/storage/sealer.ts'

/** The ids of Baileys begin with these characters, followed by 18 hexadecimal digits. */
const PREFIX = '3EB0'
const DIGITS = 18

export const messageIdOf = (sealer: Pick<Sealer, 'blindOnce'>, svcId: string): string =>
  PREFIX +
  Buffer.from(sealer.blindOnce(`message of ${svcId}`), 'base64url')
    .toString('hex', 0, DIGITS / 2)
    .toUpperCase()
