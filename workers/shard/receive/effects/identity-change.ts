/**
 * Handles `<notification type=encrypt><identity/>`: a person has set up their phone again. Sessions with the person's
 * devices and the list of these devices are useless now, so they are removed.
 */
import { type BinaryNode, jidDecode } from '@whiskeysockets/baileys'
import type { Identity } from '../../connection/identity.ts'
import type { TrustedTokens } from '../../connection/tokens/trusted-tokens.ts'
import type { NetworkSocket } from '../../network/network-socket.ts'
import { hasNewIdentity } from '../../wire/account-notices.ts'
import { fromOf } from '../../wire/envelope.ts'
import { bare } from '../../wire/jid.ts'

export interface IdentityChangeDeps {
  sock: Pick<NetworkSocket, 'authState' | 'signalRepository'>
  identity: Pick<Identity, 'isMe' | 'lidOf' | 'pnOf'>
  forgetDevices(jid: string): Promise<void>
  tokens: Pick<TrustedTokens, 'giveAgain'>
}

export const identityChanged =
  ({ sock, identity, forgetDevices, tokens }: IdentityChangeDeps) =>
  async (notice: BinaryNode): Promise<void> => {
    const from = fromOf(notice)
    const { user, device = 0 } = jidDecode(from) ?? {}
    // Other identity changes are ignored: that of a linked device has no effect on the person's other devices, and
    // the account's own phone is not a contact.
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
