import type { BinaryNode } from '@whiskeysockets/baileys'

export const ANA = '5511988880001@s.whatsapp.net'

let ciphertexts = 0
/** Returns a message from Ana with `count` ciphertexts. All ciphertexts are different. */
export function stanza(id: string, count = 1, attrs: Record<string, string> = {}): BinaryNode {
  const content = Array.from({ length: count }, () => ({
    tag: 'enc',
    attrs: { type: 'msg' },
    content: Buffer.from(`c${ciphertexts++}`),
  }))
  return { tag: 'message', attrs: { id, from: ANA, t: '1790000000', ...attrs }, content }
}
