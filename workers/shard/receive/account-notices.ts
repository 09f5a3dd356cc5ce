/**
 * Handles changes of the account that arrive as app state: reports the profile name and the labels of chats, and stores
 * saved contacts. State from before the device was linked is not reported.
 */
import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { type Clock, SECOND } from '../../../src/domain/clock.ts'
import type { ReceivedEvent } from '../../../src/features/webhook-payloads.ts'
import type { Changes, WriteChanges } from '../app-state/app-state.ts'
import type { SavedContacts } from '../chats/saved-contacts.ts'
import { messageMark } from '../messages/seen-marks.ts'
import { type InboundContext, notification, type Translated } from '../translate/inbound/family.ts'
import type { Outbox } from '../webhooks/outbox.ts'
import type { Association } from '../wire/app-state-actions.ts'
import { cut } from '../wire/bounds.ts'
import { createTries } from './inbox/tries.ts'
import type { ReceivedEvents } from './received-events.ts'

export interface AccountNoticeDeps {
  clock: Clock
  log: Pick<Logger, 'error'>
  outbox: Pick<Outbox, 'append' | 'committed'>
  inbound: Pick<ReceivedEvents, 'context' | 'translated' | 'contactsSaved'>
  contacts: Pick<SavedContacts, 'write'>
}

const MAX_ASSOCIATIONS = 100
const MAX_NAME = 256

export function createAccountNotices({ clock, log, outbox, inbound, contacts }: AccountNoticeDeps): WriteChanges {
  const tries = createTries()

  function appendEvent(chat: string, translated: Translated): Promise<ReceivedEvent | null> {
    const key = { remoteJid: chat, id: randomUUID(), fromMe: false }
    return inbound.translated({ key, messageTimestamp: Math.floor(clock.now() / SECOND) }, translated)
  }

  function noticesOf({ name, associations }: Changes, context: InboundContext): (() => Promise<ReceivedEvent | null>)[] {
    const { identity } = context
    const notices: (() => Promise<ReceivedEvent | null>)[] = []
    if (name !== null) {
      const translated = notification({ notification: 'profile_name_updated', profile_name: cut(name, MAX_NAME) })
      notices.push(() => appendEvent(identity.own()[0] ?? '', translated))
    }
    for (let from = 0; from < associations.length; from += MAX_ASSOCIATIONS) {
      const some = associations.slice(from, from + MAX_ASSOCIATIONS)
      notices.push(async () => {
        const label_associations = await Promise.all(some.map((each) => labelled(each, context)))
        return appendEvent(some[0]!.chat, notification({ notification: 'chat_label_association', label_associations }))
      })
    }
    return notices
  }

  const labelled = async ({ chat, label, assigned }: Association, { identity }: InboundContext) => ({
    phone: (await identity.person(chat)).phone,
    label,
    assigned,
  })

  async function eventsOf(changes: Changes): Promise<ReceivedEvent[]> {
    const context = inbound.context()
    if (!context) return []
    const outcomes = await Promise.allSettled(noticesOf(changes, context).map((make) => make()))
    const failed = outcomes.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined
    if (failed) {
      if (tries.isWorthAnother(messageMark({ id: changes.reading, chat: 'app-state', author: '' }))) throw failed.reason
      log.error({ err: failed.reason }, 'a change of the account could not be reported after several attempts; it is dropped')
    }
    return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' && outcome.value ? [outcome.value] : []))
  }

  return async (changes) => {
    const events = await eventsOf(changes)
    await contacts.write(changes.contacts, inbound.contactsSaved)
    const eventIds: string[] = []
    return {
      ops() {
        const appended = events.map((event) => outbox.append(event))
        eventIds.push(...appended.map(({ eventId }) => eventId))
        return appended.flatMap(({ ops }) => ops)
      },
      applied() {
        for (const eventId of eventIds) outbox.committed(eventId)
      },
    }
  }
}
