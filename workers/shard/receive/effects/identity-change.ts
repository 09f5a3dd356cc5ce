/**
 * Handles `<notification type=encrypt><identity/>`: a person has set up their phone again. The sessions with their
 * devices and the list of devices are useless, so the next send starts without them. (The library requests keys
 * immediately, while later stanzas wait, and not at all for stanzas from the offline backlog.) Our token is sent to
 * that person again, as in the official client.
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
    // A new identity of a linked device has no effect on the person's other devices, and our own phone is not a contact.
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
