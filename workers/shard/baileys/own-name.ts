/**
 * Puts changes into the credentials, as the library does, and announces a new push name. The library's own listener also sends a `<presence/>` without
 * a name and a type for each change that does not mention the account, for example for each new count of one-time keys.
 */
import type { WASocket } from '@whiskeysockets/baileys'
import { newName } from '../wire/presence.ts'

/** Replaces the library's listener. Must be called right after the socket is created, before others listen to this event. */
export function announceOwnName(
  { ev, authState: { creds }, sendNode }: Pick<WASocket, 'ev' | 'authState' | 'sendNode'>,
  onStray: (error: unknown) => void,
): void {
  ev.removeAllListeners('creds.update')
  ev.on('creds.update', (update) => {
    const name = update.me?.name
    const isRenamed = name !== undefined && name !== creds.me?.name
    Object.assign(creds, update)
    // Before the login nothing can be sent, and the login itself names the account.
    if (isRenamed) sendNode(newName(name)).catch(onStray)
  })
}
