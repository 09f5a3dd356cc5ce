/** Counts the stanzas of unknown kinds, and logs each of the first 50 kinds once per thread. */
import type { BinaryNode } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import type { Tally } from '../../../../src/metrics/tally.ts'
import { type Kind, kindOf } from '../../wire/kind.ts'

/**
 * Maximum number of kinds of stanzas for which one thread creates time series of the metric. Senders choose parts of a
 * stanza, so they could otherwise create any number of series.
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
