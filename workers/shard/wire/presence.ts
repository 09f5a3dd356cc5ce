/**
 * Reads and writes presence and chat states.
 *
 *   <presence to type="subscribe"><tctoken t/></presence>     the person's token, if there is one
 *   <presence from type?="unavailable" last?/>
 *   <chatstate to><composing media?="audio"/> | <paused/></chatstate>
 *
 * The library adds its own `id` to a subscription and its own jid to a chat state, which the web client does not.
 */
import { type BinaryNode, getAllBinaryNodeChildren } from '@whiskeysockets/baileys'

export type ChatState = 'composing' | 'recording' | 'paused'
export type PresenceState = 'available' | 'unavailable' | ChatState

export const subscription = (to: string, token: BinaryNode[] = []): BinaryNode => ({
  tag: 'presence',
  attrs: { to, type: 'subscribe' },
  ...(token.length > 0 ? { content: token } : {}),
})

export const ownPresence = (name: string, isAvailable: boolean): BinaryNode => ({
  tag: 'presence',
  attrs: { name: name.replaceAll('@', ''), type: isAvailable ? 'available' : 'unavailable' },
})

export const newName = (name: string): BinaryNode => ({ tag: 'presence', attrs: { name: name.replaceAll('@', '') } })

export const chatState = (to: string, state: ChatState): BinaryNode => ({
  tag: 'chatstate',
  attrs: { to },
  content: [state === 'recording' ? { tag: 'composing', attrs: { media: 'audio' } } : { tag: state, attrs: {} }],
})

export function stateOf(node: BinaryNode): PresenceState | null {
  if (node.tag === 'presence') return node.attrs.type === 'unavailable' ? 'unavailable' : node.attrs.type ? null : 'available'
  const [child] = getAllBinaryNodeChildren(node)
  if (child?.tag === 'paused') return 'paused'
  if (child?.tag !== 'composing') return null
  return child.attrs.media === 'audio' ? 'recording' : 'composing'
}

/** Returns the epoch seconds at which the person was last online; null if this is hidden or invalid. */
export function lastSeenIn({ attrs }: BinaryNode): number | null {
  const seconds = Number(attrs.last)
  return Number.isSafeInteger(seconds) && seconds > 0 && seconds < 1e11 ? seconds : null
}
