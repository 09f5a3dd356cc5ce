/**
 * Queries the hosts and credentials for uploads of files.
 *
 *   <iq to="s.whatsapp.net" type="set" xmlns="w:m"><media_conn/></iq>   → <media_conn auth ttl><host hostname/>…</media_conn>
 */
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren, S_WHATSAPP_NET } from '@whiskeysockets/baileys'

export const mediaConnectionQuery = (): BinaryNode => ({
  tag: 'iq',
  attrs: { type: 'set', xmlns: 'w:m', to: S_WHATSAPP_NET },
  content: [{ tag: 'media_conn', attrs: {} }],
})

export interface MediaHosts {
  auth: string
  /** Hosts in the order in which they are tried. */
  hosts: string[]
  /** Time in seconds for which hosts and credentials are valid; null if the answer contains no time. */
  ttlSeconds: number | null
}

export function mediaHostsIn(answer: BinaryNode): MediaHosts | null {
  const node = getBinaryNodeChild(answer, 'media_conn')
  const hosts = getBinaryNodeChildren(node, 'host').flatMap(({ attrs }) => (attrs.hostname ? [attrs.hostname] : []))
  if (!node?.attrs.auth || hosts.length === 0) return null
  return { auth: node.attrs.auth, hosts, ttlSeconds: Number(node.attrs.ttl) || null }
}
