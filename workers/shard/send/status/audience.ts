/**
 * Determines the recipients of a status post: the phone app's privacy setting, applied to the saved contacts. The
 * account itself is always included, so that its own devices show the post.
 */
import type { Asker } from '../../chats/session.ts'
import { bare } from '../../wire/jid.ts'
import { statusPrivacyIn, statusPrivacyQuery } from '../../wire/status-privacy.ts'
import type { Audience, SendContext } from '../contract.ts'

export interface StatusAudience extends Audience {
  setting: 'contacts' | 'allowlist' | 'denylist'
}

type Context = Pick<SendContext, 'ask' | 'session' | 'contacts'>

export async function statusAudience(context: Context): Promise<StatusAudience> {
  const { ask, session, contacts } = context
  const { kind, named } = statusPrivacyIn(await ask(statusPrivacyQuery()))
  const { me } = session
  const own = me?.lid ?? me?.id
  const byLid = me?.lid !== undefined
  const inSpace = (jids: string[]) => (byLid ? toLids(context, jids) : toNumbers(context, jids))
  const withOwn = (jids: string[]) => [...new Set([...(own ? [bare(own)] : []), ...jids])]

  if (kind === 'whitelist') return { jids: withOwn(await inSpace(named)), setting: 'allowlist', byLid }
  const saved = await contacts.all()
  const everybody = await inSpace(saved.map(({ jid, lid }) => (byLid ? (lid ?? jid) : jid)))
  if (kind !== 'blacklist') return { jids: withOwn(everybody), setting: 'contacts', byLid }
  const left = new Set(await inSpace(named))
  return { jids: withOwn(everybody.filter((jid) => !left.has(jid))), setting: 'denylist', byLid }
}

/**
 * Returns the LIDs of these people. People without a LID are omitted, because the network refuses a whole post if one
 * recipient is a number.
 */
async function toLids({ ask, session }: Asker, jids: string[]): Promise<string[]> {
  const known = await Promise.all(jids.map(async (jid) => (jid.endsWith('@lid') ? jid : session.identity.lidOf(jid))))
  const unknown = jids.filter((_, index) => known[index] === null)
  const asked = unknown.length === 0 ? [] : await ask.run(() => session.fetchLids(unknown))
  return [...known.filter((lid) => lid !== null), ...asked.map(({ lid }) => lid)].map(bare)
}

async function toNumbers({ session: { identity } }: Asker, jids: string[]): Promise<string[]> {
  const numbers = await Promise.all(jids.map(async (jid) => (jid.endsWith('@lid') ? identity.pnOf(jid) : jid)))
  return numbers.filter((jid) => jid !== null).map(bare)
}
