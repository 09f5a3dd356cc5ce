/** Wraps a step of a stanza whose failure is only logged: it would not help to receive the stanza again. */
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
