/**
 * Who sees a status post: the audience set in the phone app (shared/api/status-and-events.md), which the network tells, and from which
 * the saved contacts make a list. Always with the own address, so that the account's own devices show it too.
 */
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren, S_WHATSAPP_NET } from '@whiskeysockets/baileys'
import { SECOND } from '../../../src/domain/clock.ts'
import { bounded, boundedQuery } from '../baileys/query.ts'
import type { SavedContacts } from '../chats/saved-contacts.ts'
import type { Session } from '../chats/session.ts'
import { sendFailure } from '../connection/failures.ts'
import { bare } from '../wire/jid.ts'

const QUERY_DEADLINE = 20 * SECOND

export interface StatusAudience {
  jids: string[]
  /** How the network calls the setting in a post. */
  setting: 'contacts' | 'allowlist' | 'denylist'
  /** Addressed by LID; an account that has none yet uses numbers. */
  byLid: boolean
}

export async function statusAudience(session: Session, contacts: SavedContacts): Promise<StatusAudience> {
  const list = await chosenList(session)
  const named = getBinaryNodeChildren(list, 'user').flatMap(({ attrs }) => (attrs.jid ? [bare(attrs.jid)] : []))
  const { me } = session
  const own = me?.lid ?? me?.id
  const byLid = me?.lid !== undefined
  const inSpace = (jids: string[]) => (byLid ? toLids(session, jids) : toNumbers(session, jids))
  const withOwn = (jids: string[]) => [...new Set([...(own ? [bare(own)] : []), ...jids])]

  if (list?.attrs.type === 'whitelist') return { jids: withOwn(await inSpace(named)), setting: 'allowlist', byLid }
  const saved = await contacts.all()
  const everybody = await inSpace(saved.map(({ jid, lid }) => (byLid ? (lid ?? jid) : jid)))
  if (list?.attrs.type !== 'blacklist') return { jids: withOwn(everybody), setting: 'contacts', byLid }
  const left = new Set(await inSpace(named))
  return { jids: withOwn(everybody.filter((jid) => !left.has(jid))), setting: 'denylist', byLid }
}

async function chosenList({ sock }: Session): Promise<BinaryNode | undefined> {
  const question = {
    tag: 'iq',
    attrs: { to: S_WHATSAPP_NET, type: 'get', xmlns: 'status' },
    content: [{ tag: 'privacy', attrs: {} }],
  }
  const answer = await boundedQuery(sock, question, QUERY_DEADLINE).catch((error) => {
    throw sendFailure(error)
  })
  const lists = getBinaryNodeChildren(getBinaryNodeChild(answer, 'privacy'), 'list')
  return lists.find(({ attrs }) => attrs.default === 'true') ?? lists[0]
}

/** Those without a LID are left out: a post that names them by number is refused as a whole. */
async function toLids({ identity, sock }: Session, jids: string[]): Promise<string[]> {
  const known = await Promise.all(jids.map(async (jid) => (jid.endsWith('@lid') ? jid : identity.lidOf(jid))))
  const unknown = jids.filter((_, index) => known[index] === null)
  const asked =
    unknown.length === 0
      ? []
      : await bounded(QUERY_DEADLINE, async () => (await sock.signalRepository.lidMapping.getLIDsForPNs(unknown)) ?? []).catch(
          (error) => {
            throw sendFailure(error)
          },
        )
  return [...known.filter((lid) => lid !== null), ...asked.map(({ lid }) => lid)].map(bare)
}

async function toNumbers({ identity }: Session, jids: string[]): Promise<string[]> {
  const numbers = await Promise.all(jids.map(async (jid) => (jid.endsWith('@lid') ? identity.pnOf(jid) : jid)))
  return numbers.filter((jid) => jid !== null).map(bare)
}
