/**
 * Parses `<call from t offline? sender_pn? sender_lid?>`. Its child says what happened to a call:
 * `<offer call-id call-creator caller_pn? group-jid?>` with `<video/>`, `<accept>`, `<reject>`, `<terminate reason?>`
 * and others.
 */
import { type BinaryNode, getAllBinaryNodeChildren, getBinaryNodeChild } from '@whiskeysockets/baileys'
import { fromJid } from '../../../src/domain/ids.ts'
import { bare } from './jid.ts'

export interface CallStanza {
  kind: string
  id: string
  /** Jid of the caller without a device part; `alt` is the caller's other jid (number or LID). */
  from: string
  alt: string | undefined
  group: string | null
  isVideo: boolean
  reason: string | undefined
  /** Time in epoch seconds, as text. */
  t: string | undefined
  /** Whether the stanza is from the offline backlog. */
  isOffline: boolean
}

export function callIn(node: BinaryNode): CallStanza | null {
  const [child] = getAllBinaryNodeChildren(node)
  const id = child?.attrs['call-id']
  if (!child || !id) return null
  const { attrs: outer } = node
  const { attrs } = child
  const from = callerOf(outer, attrs)
  const alt = [attrs.caller_pn, outer.sender_pn, attrs.caller_lid, outer.sender_lid]
    .flatMap((name) => (name ? [bare(name)] : []))
    .find((name) => name !== from)
  return {
    kind: child.tag,
    id,
    from,
    alt,
    group: attrs['group-jid'] ?? null,
    isVideo: getBinaryNodeChild(child, 'video') !== undefined,
    reason: attrs.reason,
    t: outer.t,
    isOffline: outer.offline !== undefined,
  }
}

/**
 * The network guarantees only the sender of the stanza. The jid in the offer could be forged, so it is used only if it
 * names the same person, or if the sender is not a person.
 */
function callerOf(outer: BinaryNode['attrs'], offer: BinaryNode['attrs']): string {
  const sender = bare(outer.from ?? '')
  const creator = bare(offer['call-creator'] ?? offer.from ?? sender)
  const isPerson = fromJid(sender)?.kind === 'user'
  const names = [sender, outer.sender_pn, outer.sender_lid].flatMap((name) => (name ? [bare(name)] : []))
  return isPerson && !names.includes(creator) ? sender : creator
}

/** The answer is `<link_create token>`. `startTime` is in epoch seconds. */
export const callLinkQuery = (id: string, media: 'audio' | 'video', startTime: number): BinaryNode => ({
  tag: 'call',
  attrs: { id, to: '@call' },
  content: [{ tag: 'link_create', attrs: { media }, content: [{ tag: 'event', attrs: { start_time: String(startTime) } }] }],
})

export const callLinkIn = (answer: BinaryNode): string | null => getBinaryNodeChild(answer, 'link_create')?.attrs.token || null
