/** An effect of a stanza whose failure is only logged, because a redelivery of the stanza would change nothing. */
import type { BinaryNode } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { envelopeOf } from '../wire/envelope.ts'

export const loggedEffect =
  (log: Logger, sentence: string, work: (node: BinaryNode) => unknown) =>
  async (node: BinaryNode): Promise<void> => {
    try {
      await work(node)
    } catch (error) {
      log.warn({ err: error, type: envelopeOf(node).type }, sentence)
    }
  }
