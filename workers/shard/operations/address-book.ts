import { Failure } from '../../../src/domain/failures.ts'
import { renderIdentifier, toJid, type UserIdentifier } from '../../../src/domain/ids.ts'
import type { ReplyOfEndpoint } from '../../../src/features/endpoint.ts'
import { type AccountNames, answered, peopleOf } from '../chats/accounts.ts'
import { pictureOf } from '../chats/picture-of.ts'
import { networkCodeOf } from '../connection/failures.ts'
import type { ContactEntry } from '../directory/entries.ts'
import { newContact } from '../directory/entries.ts'
import { contactChange, contactRemovals } from '../wire/app-state-actions.ts'
import { cutOrNull, MAX_ABOUT } from '../wire/bounds.ts'
import { profileIn, profileQuery } from '../wire/business-profile.ts'
import { aboutIn, aboutQuery } from '../wire/person-query.ts'
import type { ActionContext, Handlers } from './types.ts'

type Contacts = Handlers<typeof import('../../../src/features/contacts.ts')>
type ContactObject = ReplyOfEndpoint<typeof import('../../../src/features/contacts.ts').list>['data'][number]

const MAX_NAME = 100
const NO_ACCOUNT = 'phone_not_on_whatsapp'

async function contactObject({ session }: ActionContext, entry: ContactEntry): Promise<ContactObject> {
  const { pn, lid, name, firstName, pushName, verifiedName } = entry
  return {
    ...(await session.identity.person(pn ?? lid ?? '', lid)),
    name,
    short_name: firstName,
    push_name: pushName,
    verified_name: verifiedName,
  }
}

async function known({ session, directory }: ActionContext, phone: UserIdentifier): Promise<ContactEntry | undefined> {
  await directory.ready()
  const jid = toJid(phone)
  const { identity } = session
  return (
    directory.contact([jid]) ?? directory.contact([phone.space === 'lid' ? await identity.pnOf(jid) : await identity.lidOf(jid)])
  )
}

/**
 * Returns the accounts of people, in the order of the identifiers; null for a number without an account. Only people
 * whose number is not in the directory are queried from the network.
 */
async function namesOf(context: ActionContext, phones: readonly UserIdentifier[]): Promise<(AccountNames | null)[]> {
  const entries = await Promise.all(phones.map((phone) => known(context, phone)))
  const unknown = phones.filter((_, index) => !entries[index]?.pn)
  const asked = await peopleOf(context, unknown)
  return phones.map((phone, index) => {
    const { pn = null, lid = null } = entries[index] ?? {}
    if (pn !== null) return { pn, lid }
    return asked[unknown.indexOf(phone)] ?? (lid === null ? null : { pn, lid })
  })
}

const hasBusinessProfile = ({ ask }: ActionContext, jid: string): Promise<boolean> =>
  ask(profileQuery(jid)).then(
    (answer) => profileIn(answer) !== null,
    (error) => {
      if (networkCodeOf(error) === null) throw error
      return false
    },
  )

async function shownAs({ session }: ActionContext, phone: UserIdentifier, person: AccountNames | null): Promise<string> {
  if (person === null) return renderIdentifier(phone)
  return (await session.identity.person(person.pn ?? person.lid ?? '', person.lid)).phone
}

export const addressBook: Pick<Contacts, 'contacts.list' | 'contacts.get' | 'contacts.add' | 'contacts.remove'> = {
  async 'contacts.list'(context, { page, page_size }) {
    const { directory } = context
    await directory.ready()
    const { entries, total } = directory.contacts(page, page_size)
    return { data: await Promise.all(entries.map((entry) => contactObject(context, entry))), page, page_size, total }
  },

  async 'contacts.get'(context, { phone }) {
    const { ask } = context
    const [names] = await namesOf(context, [phone])
    if (!names) throw new Failure(NO_ACCOUNT)
    const jid = names.lid ?? names.pn ?? ''
    const [answer, picture_url] = await Promise.all([ask((tag) => aboutQuery(jid, tag)), pictureOf(context, jid, 'image')])
    const { text, setAt, isBusiness, verifiedName } = answered(aboutIn(answer))
    const entry = context.directory.contact([names.pn, names.lid]) ?? newContact(names)
    const shown = await contactObject(context, entry)
    const isVerified = shown.verified_name !== null || isBusiness
    return {
      ...shown,
      verified_name: shown.verified_name ?? cutOrNull(verifiedName, MAX_NAME),
      about: cutOrNull(text, MAX_ABOUT),
      about_set_at: setAt,
      picture_url,
      is_business: isVerified ?? (await hasBusinessProfile(context, names.pn ?? jid)),
    }
  },

  async 'contacts.add'(context, { contacts }) {
    const { ask, session, clock } = context
    const people = await namesOf(
      context,
      contacts.map(({ phone }) => phone),
    )
    const changes = contacts.flatMap(({ first_name: firstName, last_name, sync_to_addressbook: onPhone }, index) => {
      const person = people[index]
      if (!person) return []
      const fullName = [firstName, last_name].filter(Boolean).join(' ')
      return [contactChange(person, { fullName, firstName, onPhone }, clock.now())]
    })
    // If two changes have the same index, they are about the same person, and the last one is used.
    const latest = new Map(changes.map((change) => [change.index.join(' '), change]))
    if (latest.size > 0) await ask.run(() => session.change([...latest.values()]))
    const results = await Promise.all(
      contacts.map(async ({ phone }, index) => {
        const person = people[index] ?? null
        return {
          phone: await shownAs(context, phone, person),
          saved: person !== null,
          error: person === null ? NO_ACCOUNT : null,
        }
      }),
    )
    return { value: results.every(({ saved }) => saved), results }
  },

  async 'contacts.remove'(context, { phones }) {
    const { ask, session } = context
    const people = await namesOf(context, phones)
    const removals = people.flatMap((person) => (person ? contactRemovals(person) : []))
    const each = new Map(removals.map((change) => [change.index.join(' '), change]))
    if (each.size > 0) await ask.run(() => session.change([...each.values()]))
    const results = await Promise.all(
      phones.map(async (phone, index) => {
        const person = people[index] ?? null
        return {
          phone: await shownAs(context, phone, person),
          removed: person !== null,
          error: person === null ? NO_ACCOUNT : null,
        }
      }),
    )
    return { value: results.every(({ removed }) => removed), results }
  },
}
