/**
 * What changes about the account itself and comes through app state: its profile name, the labels of its chats. What stood there before
 * the device was linked is history and not told (`first-sync.ts`).
 */
import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { type Clock, SECOND } from '../../src/domain/clock.ts'
import type { DomainEvent } from '../../src/domain/events.ts'
import type { StateStore } from '../../src/storage/contract.ts'
import type { Outbox } from '../../src/webhooks/outbox.ts'
import type { Inbound } from './inbound.ts'
import type { Session } from './session.ts'
import { cut } from './translate/inbound/bounds.ts'
import { notification, type Told } from './translate/inbound/family.ts'
import { bare } from './translate/jid.ts'

export interface AccountNoticeDeps {
  store: StateStore
  clock: Clock
  log: Logger
  outbox: Outbox
  inbound: Pick<Inbound, 'told'>
}

interface Association {
  chat: string
  label: string
  assigned: boolean
}

const MAX_ASSOCIATIONS = 100
export function watchAccount(session: Session, { store, clock, log, outbox, inbound }: AccountNoticeDeps): void {
  const { sock, identity } = session
  let name = sock.user?.name
  /** Its name comes with the first reading of the account's settings, also where the pairing brought the name of a business. */
  const isNameHistory = () => !sock.authState.creds.accountSyncCounter || session.isFirstSync('critical_block')
  let associations: Association[] = []

  async function commit(event: DomainEvent | null) {
    if (!event) return
    const { eventId, ops } = outbox.append(event)
    await store.commit({ ops })
    outbox.committed(eventId)
  }

  function tell(chat: string, make: () => Promise<Told> | Told) {
    const key = { remoteJid: chat, id: randomUUID(), fromMe: false }
    const messageTimestamp = Math.floor(clock.now() / SECOND)
    Promise.resolve(make())
      .then((told) => inbound.told({ key, messageTimestamp }, told))
      .then(commit)
      .catch((error) => log.error({ err: error }, 'a change of the account could not be told'))
  }

  sock.ev.on('creds.update', ({ me }) => {
    const before = name
    if (!me?.name || me.name === before) return
    name = me.name
    if (!before || isNameHistory()) return
    tell(bare(me.id ?? identity.own()[0] ?? ''), () =>
      notification('profile_name_updated', [], { profile_name: cut(name ?? '', 256) }),
    )
  })

  sock.ev.on('labels.association', ({ association, type }) => {
    // A label of a message is none of its chat.
    if ('messageId' in association || session.isFirstSync('regular')) return
    if (associations.length === 0) setImmediate(tellAssociations)
    associations.push({ chat: bare(association.chatId), label: association.labelId, assigned: type === 'add' })
  })

  /** What one batch of app state changed, together. */
  function tellAssociations() {
    const all = associations
    associations = []
    for (let from = 0; from < all.length; from += MAX_ASSOCIATIONS) {
      const some = all.slice(from, from + MAX_ASSOCIATIONS)
      tell(some[0]!.chat, async () => {
        const label_associations = await Promise.all(
          some.map(async ({ chat, label, assigned }) => ({ phone: (await identity.person(chat)).phone, label, assigned })),
        )
        return notification('chat_label_association', [], { label_associations })
      })
    }
  }
}
