/** Messages: how `src/features/messages.ts` is done on the wire. */
import { Failure } from '../../../src/domain/failures.ts'
import { toJid } from '../../../src/domain/ids.ts'
import { resolveDestination } from '../send/destination.ts'
import { keyToRead } from '../send/read-key.ts'
import type { Handlers } from './types.ts'

export const messages: Handlers<typeof import('../../../src/features/messages.ts')> = {
  async 'messages.sendPresence'(context, { phone, presence }) {
    const { ask, session } = context
    const isAccountWide = presence === 'available' || presence === 'unavailable'
    // The library drops it without a word then.
    if (isAccountWide && !session.me?.name)
      throw new Failure('action_failed', { message: 'The account has no profile name yet.' })
    // Of a group nothing has to be known for it.
    const chat = async () => (phone?.kind === 'user' ? (await resolveDestination(session, phone)).jid : phone && toJid(phone))
    const to = isAccountWide ? undefined : await chat()
    await ask.tell((sock) => sock.sendPresenceUpdate(presence, to))
    return { value: true } as const
  },

  async 'messages.readMessage'(context, input) {
    const key = await keyToRead(context, input)
    await context.ask.tell((sock) => sock.readMessages([key]))
    return { value: true } as const
  },
}
