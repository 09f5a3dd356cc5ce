/**
 * Decides how to confirm messages that are not decrypted: messages without a ciphertext, with an unknown encryption, or
 * with too many bytes.
 */
import type { BinaryNode } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { type Clock, DAY, SECOND } from '../../../../src/domain/clock.ts'
import type { MessageOutcome } from '../../wire/confirmation.ts'
import { envelopeOf, idOf } from '../../wire/envelope.ts'
import { absenceOf } from '../../wire/message-stanza.ts'
import { type createUnreadableNotes, never } from './unreadable-notes.ts'

/**
 * Maximum age in ms of a message whose content is requested from the phone. It equals the library's
 * `PLACEHOLDER_MAX_AGE_SECONDS`.
 */
const MAX_ABSENT_AGE = 14 * DAY

export interface UnopenedDeps {
  noteUnreadable: ReturnType<typeof createUnreadableNotes>
  clock: Clock
  log: Pick<Logger, 'warn'>
}

export const isOlderThan = (node: BinaryNode, age: number, clock: Clock) =>
  clock.now() - Number(envelopeOf(node).t) * SECOND > age

export const unopened = ({ noteUnreadable, clock, log }: UnopenedDeps) => ({
  /** Handles a message with an unknown encryption. It is not requested again, because it would arrive unchanged. */
  async foreign(node: BinaryNode, kind: string): Promise<MessageOutcome> {
    if (await noteUnreadable(node, never(kind)))
      log.warn({ stanza: idOf(node) }, 'a message uses an encryption that this service does not support')
    return 'done'
  },

  async huge(node: BinaryNode): Promise<MessageOutcome> {
    if (await noteUnreadable(node)) log.warn({ stanza: idOf(node) }, 'a message is too large to decrypt')
    return 'done'
  },

  async empty(node: BinaryNode): Promise<MessageOutcome> {
    if (!(await noteUnreadable(node))) return 'done'
    const absence = absenceOf(node)
    if (absence === 'shown') return 'read'
    return absence === 'never' || isOlderThan(node, MAX_ABSENT_AGE, clock) ? 'done' : 'absent'
  },
})
