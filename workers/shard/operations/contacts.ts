import { Failure } from '../../../src/domain/failures.ts'
import { toJid, type UserIdentifier } from '../../../src/domain/ids.ts'
import { type AccountNames, accountsOf, peopleOf } from '../chats/accounts.ts'
import { pictureOf } from '../chats/picture-of.ts'
import { identifiersOf } from '../connection/identity.ts'
import { groupAt } from '../send/destination.ts'
import { type Blocked, blockedIn, blocklistQuery, blockQuery, unblockQuery } from '../wire/blocklist.ts'
import { identifierOf } from '../wire/jid.ts'
import { groupReport, personReport } from '../wire/report.ts'
import { addressBook } from './address-book.ts'
import type { ActionContext, Handlers } from './types.ts'

const MAX_BLOCKED = 64_000

const registered = (digits: string, account: AccountNames | null): string => (account?.pn ? identifierOf(account.pn) : digits)

const jidOf = ({ lid, pn }: AccountNames): string => lid ?? pn ?? ''

async function personOf(context: ActionContext, phone: UserIdentifier): Promise<AccountNames> {
  const [person] = await peopleOf(context, [phone])
  if (!person) throw new Failure('phone_not_on_whatsapp')
  return person
}

const readBlocked = async ({ ask }: ActionContext): Promise<Blocked[]> => blockedIn(await ask(blocklistQuery())) ?? []

const shown = async ({ session }: ActionContext, list: readonly Blocked[]) => ({
  blocked: await identifiersOf(session.identity, list.slice(0, MAX_BLOCKED)),
})

async function blockPerson(context: ActionContext, person: AccountNames): Promise<Blocked[]> {
  return blockedIn(await context.ask(blockQuery(person))) ?? readBlocked(context)
}

const isOf =
  ({ lid, pn }: AccountNames) =>
  (entry: Blocked) =>
    (lid !== null && entry.lid === lid) || (pn !== null && entry.pn === pn)

async function entryOf(context: ActionContext, list: readonly Blocked[], phone: UserIdentifier): Promise<Blocked | undefined> {
  const jid = toJid(phone)
  return list.find(({ lid, pn }) => lid === jid || pn === jid) ?? list.find(isOf(await personOf(context, phone)))
}

export const contacts: Handlers<typeof import('../../../src/features/contacts.ts')> = {
  ...addressBook,

  async 'contacts.exists'(context, { phone }) {
    const account = (await accountsOf(context, [phone])).get(phone) ?? null
    return { exists: account !== null, phone: registered(phone, account), lid: account?.lid ?? null }
  },

  async 'contacts.existsBatch'(context, { phones }) {
    const accounts = await accountsOf(context, phones)
    const data = phones.map((phone) => {
      const account = accounts.get(phone) ?? null
      return {
        input_phone: phone,
        output_phone: registered(phone, account),
        exists: account !== null,
        lid: account?.lid ?? null,
      }
    })
    return { data }
  },

  async 'contacts.picture'(context, { phone, size }) {
    if (phone.kind === 'group') return { url: await pictureOf(context, toJid(phone), size) }
    const [person] = await peopleOf(context, [phone])
    return { url: person ? await pictureOf(context, jidOf(person), size) : null }
  },

  async 'contacts.blocked'(context) {
    return shown(context, await readBlocked(context))
  },

  async 'contacts.block'(context, { phone }) {
    return shown(context, await blockPerson(context, await personOf(context, phone)))
  },

  async 'contacts.unblock'(context, { phone }) {
    const list = await readBlocked(context)
    const entry = await entryOf(context, list, phone)
    if (!entry) return shown(context, list)
    return shown(context, blockedIn(await context.ask(unblockQuery(entry.jid))) ?? (await readBlocked(context)))
  },

  async 'contacts.report'(context, { phone, block }) {
    const { ask, session } = context
    if (phone.kind === 'group') {
      const { id, subject } = await groupAt(context, toJid(phone))
      await ask(groupReport(id, subject))
      return { value: true } as const
    }
    const person = await personOf(context, phone)
    // The contact's token shows the network that the account and the contact know each other.
    await ask(personReport(jidOf(person), await session.tokens.node(jidOf(person))))
    if (block) await blockPerson(context, person)
    return { value: true } as const
  },
}
