/**
 * `<notification type=encrypt><identity/>`: somebody has set up their phone anew. The sessions with their devices are of no use any more, nor
 * is the list of the devices: the next send begins anew. (The library asks for keys at once, while it holds up what comes behind, and not at
 * all for what waited while we were away.) The token we gave that person is given again, as the official client does.
 */
import { type BinaryNode, jidDecode, type WASocket } from '@whiskeysockets/baileys'
import type { Identity } from '../../connection/identity.ts'
import { hasNewIdentity } from '../../wire/account-notices.ts'
import { fromOf } from '../../wire/envelope.ts'
import { bare } from '../../wire/jid.ts'
import type { PrivacyTokens } from './privacy-tokens.ts'

export interface IdentityChangeDeps {
  sock: Pick<WASocket, 'authState' | 'signalRepository'>
  identity: Pick<Identity, 'isMe' | 'lidOf' | 'pnOf'>
  forgetDevices(jid: string): Promise<void>
  tokens: Pick<PrivacyTokens, 'giveAgain'>
}

export const identityChanged =
  ({ sock, identity, forgetDevices, tokens }: IdentityChangeDeps) =>
  async (notice: BinaryNode): Promise<void> => {
    const from = fromOf(notice)
    const { user, device = 0 } = jidDecode(from) ?? {}
    // Of a linked device nothing follows for the others, and our own phone is not written to as a contact.
    if (user === undefined || device !== 0 || !hasNewIdentity(notice) || identity.isMe(from)) return
    const name = bare(from)
    const other = name.endsWith('@lid') ? await identity.pnOf(name) : await identity.lidOf(name)
    const names = other === null ? [name] : [name, other]
    await sock.signalRepository.deleteSession((await Promise.all(names.map(devicesOf))).flat())
    await forgetDevices(from)
    tokens.giveAgain(from)

    async function devicesOf(jid: string): Promise<string[]> {
      const [person, server] = jid.split('@')
      const { [person!]: known = [] } = await sock.authState.keys.get('device-list', [person!])
      return [...new Set(['0', ...known])].map((id) => (id === '0' ? jid : `${person}:${id}@${server}`))
    }
  }
