import { randomBytes } from 'node:crypto'
import { Failure } from '../../../../src/domain/failures.ts'
import type { Identifier } from '../../../../src/domain/ids.ts'
import { mentionsOf } from '../../send/compose/edit.ts'
import { surroundings } from '../../send/context-info.ts'
import type { SendContext } from '../../send/contract.ts'
import { resolveDestination } from '../../send/destination.ts'
import { sendMessage } from '../../send/relay.ts'
import { remembering } from '../../send/remembering.ts'
import { rememberedTarget, secretAbout } from '../../send/targets.ts'
import { type CalendarEvent, callOf, eventEdit, eventMessage, eventResponse, startOf } from '../../translate/outbound/event.ts'
import { callLinkIn, callLinkQuery } from '../../wire/call.ts'
import type { Handlers } from '../types.ts'

const SECRET_BYTES = 32

export const events: Handlers<typeof import('../../../../src/features/send/events.ts')> = {
  async 'send.sendEvent'(context, { event, ...input }) {
    const to = await resolveDestination(context, input.phone)
    const { info } = await surroundings(context, to, { ...input, mentions: [] })
    const content = {
      eventMessage: eventMessage(event, await joinLink(context, event)),
      messageContextInfo: { messageSecret: randomBytes(SECRET_BYTES) },
    }
    return sendMessage(context, to, { content: { proto: content }, info })
  },

  async 'send.sendEditEvent'(context, { phone, event_message_id, event, mention_all }) {
    const target = await eventOf(context, phone, event_message_id)
    if (!target.key.fromMe) throw new Failure('not_allowed', { message: 'Only the creator of an event can change it.' })
    const about = secretAbout(context, target)
    const mentions = mentionsOf((await surroundings(context, target.to, { mention_all })).info)
    const changed = {
      ...eventMessage(event, await joinLink(context, event, target.event.joinLink)),
      ...(mentions ? { contextInfo: mentions } : {}),
    }
    const edit = eventEdit(target.key, about, changed, context.now())
    const { contextInfo } = target.event
    // The changed event is stored for the next edit: an edit that does not change the call link must contain the
    // previous link.
    const eventNow = { ...changed, ...(contextInfo ? { contextInfo: { ...contextInfo, ...mentions } } : {}) }
    return remembering(
      context,
      () => sendMessage(context, target.to, { content: { proto: edit } }),
      () => context.messages.edited(target.message, { eventMessage: eventNow }),
    )
  },

  async 'send.sendEventResponse'(context, { phone, event_message_id, event_response }) {
    const target = await eventOf(context, phone, event_message_id)
    if (target.key.fromMe) throw new Failure('not_allowed', { message: 'The creator of an event cannot respond to it.' })
    const about = secretAbout(context, target)
    const response = eventResponse(target.key, about, event_response, context.now())
    return sendMessage(context, target.to, { content: { proto: response } })
  },
}

async function eventOf(context: SendContext, phone: Identifier, id: string) {
  const chat = await resolveDestination(context, phone)
  const target = await rememberedTarget(context, chat, id)
  const event = target.message.message?.eventMessage
  if (!event) throw new Failure('message_not_found', { message: 'The message is not an event.' })
  return { ...target, event }
}

/**
 * Returns the link to the call of an event, or null. An existing link is kept if the kind of the call does not change.
 */
async function joinLink({ ask }: SendContext, event: CalendarEvent, current?: string | null): Promise<string | null> {
  if (event.call_link_type === undefined) return null
  const { media, prefix } = callOf(event.call_link_type)
  if (current?.startsWith(prefix)) return current
  const answer = await ask.meaning({ otherwise: 'action_failed' })((id) => callLinkQuery(id, media, startOf(event)))
  const token = callLinkIn(answer)
  if (token === null) throw new Failure('action_failed', { message: 'The network did not return a link for the call.' })
  return prefix + token
}
