/**
 * Who is who: a person has a number (PN) and a LID, and the library learns the pairs from stanzas. Inside, the LID comes first; outside,
 * digits whenever the number is known.
 */
import { type AuthenticationState, isLidUser, isPnUser, jidDecode, type WASocket } from '@whiskeysockets/baileys'
import { bare, identifierOf } from '../wire/jid.ts'
import type { Identity } from '../wire/person.ts'

export type { Identity, Person } from '../wire/person.ts'

const userOf = (jid: string) => jidDecode(jid)?.user ?? ''

/**
 * Keeps pairs of number and LID that the network has told, as the library keeps those of stanzas: what was under the number is under the
 * LID from then on, sessions too. Pairs that are known already cost one read.
 */
export async function learnPairs(
  { signalRepository }: Pick<WASocket, 'signalRepository'>,
  keys: AuthenticationState['keys'],
  pairs: readonly { pn: string; lid: string }[],
): Promise<void> {
  const known = await keys.get(
    'lid-mapping',
    pairs.map(({ pn }) => userOf(pn)),
  )
  const fresh = pairs.filter(({ pn, lid }) => known[userOf(pn)] !== userOf(lid))
  if (fresh.length === 0) return
  await signalRepository.lidMapping.storeLIDPNMappings(fresh)
  for (const { pn, lid } of fresh) await signalRepository.migrateSession(pn, lid)
}

/** Reads the pairs the library stores as `lid-mapping` keys (`<pn>` to lid, `<lid>_reverse` to pn). */
export function createIdentity(auth: AuthenticationState): Identity {
  const read = async (id: string): Promise<string | null> => (await auth.keys.get('lid-mapping', [id]))[id] ?? null

  async function lidOf(pnJid: string) {
    const user = await read(userOf(pnJid))
    return user === null ? null : `${user}@lid`
  }
  async function pnOf(lidJid: string) {
    const user = await read(`${userOf(lidJid)}_reverse`)
    return user === null ? null : `${user}@s.whatsapp.net`
  }

  return {
    lidOf,
    pnOf,
    isMe(jid) {
      const { me } = auth.creds
      return me !== undefined && (bare(jid) === bare(me.id) || (me.lid !== undefined && bare(jid) === bare(me.lid)))
    },
    own() {
      const { me } = auth.creds
      return me === undefined ? [] : [bare(me.id), ...(me.lid === undefined ? [] : [bare(me.lid)])]
    },
    async person(jid, alt) {
      const names = [jid, alt ?? ''].filter(Boolean)
      let pn = names.find((name) => isPnUser(name)) ?? null
      let lid = names.find((name) => isLidUser(name)) ?? null
      if (pn === null && lid !== null) pn = await pnOf(lid)
      if (lid === null && pn !== null) lid = await lidOf(pn)
      const known = pn ?? lid
      return known === null
        ? { phone: identifierOf(jid), lid: null }
        : { phone: identifierOf(known), lid: lid === null ? null : bare(lid) }
    },
  }
}

/** People as a list of the network names them, as the API writes them. */
export const identifiersOf = (
  { person }: Pick<Identity, 'person'>,
  people: readonly { lid: string | null; pn: string | null }[],
): Promise<string[]> => Promise.all(people.map(async ({ lid, pn }) => (await person(pn ?? lid ?? '', lid)).phone))
