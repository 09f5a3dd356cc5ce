/** Counts the stanzas that match no row of the table, for all instances of a thread, and logs each kind once. */
import type { BinaryNode } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import type { Tally } from '../../../../src/metrics/tally.ts'
import { type Kind, kindOf } from '../../wire/kind.ts'

/**
 * The most kinds of stanzas that have their own time series in the metric. The number is limited because senders choose parts of a stanza, and must
 * not be able to create any number of series.
 */
const MAX_KINDS = 50
const OTHERS: Kind = { tag: 'other', type: 'other' }

export type CountUnknown = (node: BinaryNode) => void

export function createUnknownStanzas({ tally, log }: { tally: Tally; log: Pick<Logger, 'info'> }): CountUnknown {
  const known = new Set<string>()
  return (node) => {
    const kind = kindOf(node)
    const name = `${kind.tag} ${kind.type}`
    const isNew = !known.has(name)
    if (isNew && known.size >= MAX_KINDS) return tally.add('svc_stanzas_unknown_total', { ...OTHERS })
    if (isNew) {
      known.add(name)
      log.info({ ...kind }, 'received a stanza of an unknown kind')
    }
    tally.add('svc_stanzas_unknown_total', { ...kind })
  }
}
