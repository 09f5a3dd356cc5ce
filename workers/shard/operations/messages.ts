import { Failure } from '../../../src/domain/failures.ts'
import { toJid } from '../../../src/domain/ids.ts'
import { chatWith } from '../send/destination.ts'
import { keyToRead } from '../send/read-key.ts'
import { type ChatState, chatState } from '../wire/presence.ts'
import type { Handlers } from './types.ts'

export const messages: Handlers<typeof import('../../../src/features/messages.ts')> = {
  async 'messages.sendPresence'(context, { phone, presence }) {
    const { ask, session } = context
    const isAccountWide = presence === 'available' || presence === 'unavailable'
    if (isAccountWide && !session.me?.name)
      throw new Failure('action_failed', {
        message: 'The account has no profile name yet, which this presence needs; PUT /profile/name sets one.',
      })
    // A group has only one jid, so only a person must be looked up.
    const chat = async () => (phone?.kind === 'user' ? (await chatWith(context, phone)).jid : phone && toJid(phone))
    const to = isAccountWide ? undefined : await chat()
    if (to === undefined || isAccountWide) await ask.run(() => session.announce(presence === 'available'))
    else await ask.write(chatState(to, presence as ChatState))
    return { value: true } as const
  },

  async 'messages.readMessage'(context, input) {
    const key = await keyToRead(context, input)
    await context.ask.run(() => context.session.markRead([key]))
    await context.directory.ready()
    context.directory.read([key])
    return { value: true } as const
  },
}
