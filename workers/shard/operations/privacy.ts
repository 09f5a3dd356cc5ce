import { Failure, type Issue } from '../../../src/domain/failures.ts'
import type { UserIdentifier } from '../../../src/domain/ids.ts'
import { answered, peopleOf } from '../chats/accounts.ts'
import type { Session } from '../chats/session.ts'
import { identifiersOf } from '../connection/identity.ts'
import { durationIn, durationQuery } from '../wire/person-query.ts'
import {
  type Addressing,
  type ListCategory,
  type ListChange,
  listChangeQuery,
  listOf,
  listQuery,
  newChatDurationQuery,
  settingQuery,
} from '../wire/privacy.ts'
import type { ActionContext, Handlers } from './types.ts'

const DONE = { value: true } as const

const MAX_PEOPLE = 64_000

const LISTS = {
  last_seen: 'last',
  profile_photo: 'profile',
  about: 'status',
  groups_add: 'groupadd',
} as const satisfies Record<string, ListCategory>

const AUDIENCES = ['all', 'contacts', 'contact_blacklist', 'none'] as const
const GROUPS_AUDIENCES = ['all', 'contacts', 'contact_blacklist'] as const
const ONLINE = ['all', 'match_last_seen'] as const

interface AudienceInput {
  value: string
  contacts?: readonly { action: 'add' | 'remove'; phone: UserIdentifier }[] | undefined
}

const setAudience =
  (name: ListCategory) =>
  async (context: ActionContext, { value, contacts }: AudienceInput) => {
    if (contacts) await changeList(context, name, await changesOf(context, contacts))
    else await context.ask(settingQuery(name, value))
    return DONE
  }

/** Returns how the lists name people: by LID after the network has moved the account to LIDs, otherwise by number. */
const addressingOf = ({ me }: Session): Addressing => (me?.lid === undefined ? 'pn' : 'lid')

/** Returns the change for each person. If a person is named twice, the last change counts. */
async function changesOf(context: ActionContext, contacts: NonNullable<AudienceInput['contacts']>): Promise<ListChange[]> {
  const people = await peopleOf(
    context,
    contacts.map(({ phone }) => phone),
  )
  const changes = new Map<string, ListChange>()
  const issues: Issue[] = []
  for (const [index, person] of people.entries()) {
    if (person === null) issues.push({ path: `contacts.${index}.phone`, message: 'has no WhatsApp account' })
    else changes.set(person.lid ?? person.pn ?? '', { ...person, action: contacts[index]!.action })
  }
  if (issues.length > 0) throw new Failure('invalid_phone', { details: { issues } })
  return [...changes.values()]
}

/**
 * The query contains the version of the list, so the list is read before each attempt. If the phone changes the list in
 * the meantime, there is a second attempt.
 */
async function changeList({ ask, session, inTurn }: ActionContext, name: ListCategory, changes: readonly ListChange[]) {
  const addressing = addressingOf(session)
  await inTurn(`privacy ${name}`, () =>
    ask(async () => {
      const { dhash } = listOf(await ask(listQuery(name, addressing)))
      return listChangeQuery(name, changes, dhash, addressing)
    }),
  )
}

const oneOf = <const T extends string>(values: readonly T[], value: string | undefined): T | null =>
  values.find((each) => each === value) ?? null

const READ_RECEIPTS: Readonly<Record<string, boolean>> = { all: true, none: false }

/**
 * Queries the privacy settings, which decide how messages are marked as read. A failure is only logged, because the
 * setting is already changed.
 */
const refreshReadReceipts = ({ ask, session, log }: ActionContext) =>
  ask.run(session.privacySettings).catch((error) => log.warn({ err: error }, 'the privacy settings could not be refreshed'))

export const privacy: Handlers<typeof import('../../../src/features/privacy.ts')> = {
  async 'privacy.get'({ ask, session }) {
    const own = session.identity.own()[0] ?? ''
    const [settings, duration] = await Promise.all([ask.run(session.privacySettings), ask((sid) => durationQuery(own, sid))])
    return {
      last_seen: oneOf(AUDIENCES, settings.last),
      online: oneOf(ONLINE, settings.online),
      profile_photo: oneOf(AUDIENCES, settings.profile),
      about: oneOf(AUDIENCES, settings.status),
      groups_add: oneOf(GROUPS_AUDIENCES, settings.groupadd),
      read_receipts: READ_RECEIPTS[settings.readreceipts ?? ''] ?? null,
      messages_duration: answered(durationIn(duration)),
    }
  },

  'privacy.lastSeen': setAudience(LISTS.last_seen),
  'privacy.profilePhoto': setAudience(LISTS.profile_photo),
  'privacy.about': setAudience(LISTS.about),
  'privacy.groupsAdd': setAudience(LISTS.groups_add),

  async 'privacy.online'({ ask }, { value }) {
    await ask(settingQuery('online', value))
    return DONE
  },

  async 'privacy.readReceipts'(context, { value }) {
    await context.ask(settingQuery('readreceipts', value ? 'all' : 'none'))
    await refreshReadReceipts(context)
    return DONE
  },

  async 'privacy.messagesDuration'({ ask }, { value }) {
    await ask(newChatDurationQuery(value))
    return DONE
  },

  async 'privacy.disallowedContacts'({ ask, session }, { type }) {
    const { people } = listOf(await ask(listQuery(LISTS[type], addressingOf(session))))
    return { disallowed_contacts: await identifiersOf(session.identity, people.slice(0, MAX_PEOPLE)) }
  },
}
