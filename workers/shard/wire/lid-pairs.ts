import { type BinaryNode, isLidUser, isPnUser } from '@whiskeysockets/baileys'
import { bare } from './jid.ts'

export interface LidPair {
  pn: string
  lid: string
}

/**
 * Maximum number of pairs that are read from a stanza. A group has about a thousand members; a longer list is
 * malicious or of another kind.
 */
const MAX_PAIRS = 2_000

const NAMES: ReadonlyMap<string, readonly string[]> = new Map([
  ['participant', ['participant_pn', 'participant_lid']],
  ['from', ['sender_pn', 'sender_lid', 'lid']],
  ['recipient', ['recipient_pn', 'recipient_lid', 'peer_recipient_pn', 'peer_recipient_lid']],
  ['jid', ['phone_number', 'lid', 'pn_jid']],
  ['creator', ['creator_pn', 'creator_lid']],
  ['call-creator', ['caller_pn', 'caller_lid']],
  ['s_o', ['s_o_pn']],
  ['old', ['old_lid']],
  ['new', ['new_lid']],
])

/**
 * Number of levels of a stanza that are searched, so that the people in notifications and calls are included. Of a
 * message, only the first level is searched.
 */
const DEPTH = 3

export function lidPairsIn(node: BinaryNode): LidPair[] {
  const pairs: LidPair[] = []
  collect(node, node.tag === 'message' ? 1 : DEPTH, pairs)
  return pairs
}

function collect({ attrs, content }: BinaryNode, depth: number, pairs: LidPair[]): void {
  // A list may have tens of thousands of children with one or two attributes each, so only existing attributes are
  // visited.
  for (const name in attrs) {
    for (const other of NAMES.get(name) ?? []) {
      const pair = pairOf(attrs[name]!, attrs[other])
      if (pair && pairs.length < MAX_PAIRS) pairs.push(pair)
    }
  }
  if (depth <= 1 || !Array.isArray(content)) return
  for (const child of content) {
    if (pairs.length >= MAX_PAIRS) return
    collect(child, depth - 1, pairs)
  }
}

function pairOf(one: string, other: string | undefined): LidPair | undefined {
  if (other === undefined) return undefined
  const [a, b] = [bare(one), bare(other)]
  if (isPnUser(a) && isLidUser(b)) return { pn: a, lid: b }
  return isLidUser(a) && isPnUser(b) ? { pn: b, lid: a } : undefined
}
