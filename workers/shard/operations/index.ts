/** Every handler by the id of its operation: one line per area. The compiler says which area is missing. */
import type { OperationId } from '../../../src/engine/engine.ts'
import { contacts } from './contacts.ts'
import { groups } from './groups/groups.ts'
import { groupInvitations } from './groups/invitations.ts'
import { groupParticipants } from './groups/participants.ts'
import { instance } from './instance.ts'
import { media } from './media.ts'
import { messages } from './messages.ts'
import { privacy } from './privacy.ts'
import { profile } from './profile.ts'
import { queue } from './queue.ts'
import { actions } from './send/actions.ts'
import { commerce } from './send/commerce.ts'
import { contents } from './send/contents.ts'
import { events } from './send/events.ts'
import { interactive } from './send/interactive.ts'
import { media as sentMedia } from './send/media.ts'
import { polls } from './send/polls.ts'
import { status } from './send/status.ts'
import { text } from './send/text.ts'
import type { Handler } from './types.ts'

const all = {
  ...instance,
  ...queue,
  ...messages,
  ...media,
  ...groupInvitations,
  ...groups,
  ...groupParticipants,
  ...text,
  ...sentMedia,
  ...contents,
  ...actions,
  ...polls,
  ...interactive,
  ...commerce,
  ...status,
  ...events,
  ...privacy,
  ...profile,
  ...contacts,
  // The text after a rejected call: nobody calls it, the queue shows it under this name.
  'instance.callReject': text['send.sendText'],
}

const handlers: Readonly<Record<string, unknown>> = all satisfies Record<OperationId, unknown>

/** Undefined for an id that no declaration of this kind has: of an item, say, that a later version has queued. */
export function handlerOf<K extends 'send' | 'action' | 'control'>(_kind: K, operation: string): Handler<K> | undefined {
  return Object.hasOwn(handlers, operation) ? (handlers[operation] as Handler<K>) : undefined
}
