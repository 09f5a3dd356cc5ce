/**
 * Maps the numbers of people to LIDs, and LIDs to numbers. Internally the LID is preferred; the API shows the number
 * whenever it is known.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type AuthenticationState, isLidUser, isPnUser, type SignalDataTypeMap } from '@whiskeysockets/baileys'
import { Failure } from '../../../src/domain/failures.ts'
import { boundedCache } from '../../../src/lib/bounded-cache.ts'
import type { NetworkSocket } from '../network/network-socket.ts'
import { bare, identifierOf, jidUser } from '../wire/jid.ts'
import type { Identity, Person } from '../wire/person.ts'

export type { Identity, Person } from '../wire/person.ts'

export interface LidPair {
  pn: string
  lid: string
}

/** Maximum number of pairs per read and per turn of the event loop. A full slice takes about 10 ms. */
const SLICE = 200

/**
 * Stores new pairs, and moves the data under each number, including sessions, to the LID. An answer about a large group
 * has thousands of pairs, so they are stored in slices.
 */
export async function learnPairs(
  sock: Pick<NetworkSocket, 'signalRepository'>,
  keys: AuthenticationState['keys'],
  pairs: readonly LidPair[],
): Promise<void> {
  for (let from = 0; from < pairs.length; from += SLICE) {
    if (from > 0) await nextTurn()
    await learnSlice(sock, keys, pairs.slice(from, from + SLICE))
  }
}

async function learnSlice(
  { signalRepository }: Pick<NetworkSocket, 'signalRepository'>,
  keys: AuthenticationState['keys'],
  pairs: readonly LidPair[],
): Promise<void> {
  const known = await keys.get(
    'lid-mapping',
    pairs.map(({ pn }) => jidUser(pn)),
  )
  const fresh = pairs.filter(({ pn, lid }) => known[jidUser(pn)] !== jidUser(lid))
  if (fresh.length === 0) return
  await signalRepository.lidMapping.storeLIDPNMappings(fresh)
  for (const { pn, lid } of fresh) await signalRepository.migrateSession(pn, lid)
}

const REVERSE = '_reverse'
/** Maximum number of entries in each of the two caches of a session. A person can have two entries. */
const REMEMBERED = 128

/** The pairs that a session has in memory. */
export interface RememberedPairs {
  get(id: string): string | undefined
  /** Number of changes so far. A result that was derived from pairs is valid while this number stays the same. */
  changes(): number
}

export type IdentityState = AuthenticationState & { readonly pairs?: RememberedPairs }

/**
 * Returns the state with a memory for pairs. It remembers the pairs that were read, and reports the pairs that are
 * stored.
 */
export function keepingPairs(
  { creds, keys }: AuthenticationState,
  onPairs: (pairs: { pn: string; lid: string }[]) => void,
): IdentityState {
  const remembered = boundedCache<string, string>(REMEMBERED)
  /** Number of changes so far. A pair is not remembered if its read began before the last change. */
  let changes = 0

  async function read(id: string) {
    const before = changes
    const found = await keys.get('lid-mapping', [id])
    const user = found[id]
    if (user !== undefined && changes === before) remembered.set(id, user)
    return found
  }

  function changed(ids: readonly string[]) {
    changes++
    for (const id of ids) remembered.delete(id)
  }

  return {
    creds,
    pairs: { get: (id) => remembered.get(id), changes: () => changes },
    keys: {
      ...keys,
      get<T extends keyof SignalDataTypeMap>(type: T, ids: string[]) {
        const [only] = ids
        if (type !== 'lid-mapping' || ids.length !== 1 || only === undefined) return keys.get(type, ids)
        const user = remembered.get(only)
        const found = user === undefined ? read(only) : { [only]: user }
        return found as ReturnType<typeof keys.get<T>>
      },
      async set(data) {
        const changing = Object.keys(data['lid-mapping'] ?? {})
        try {
          await keys.set(data)
        } finally {
          if (changing.length > 0) changed(changing)
        }
        const pairs = Object.entries(data['lid-mapping'] ?? {}).flatMap(([pn, lid]) =>
          lid === null || pn.endsWith(REVERSE) ? [] : [{ pn: `${pn}@s.whatsapp.net`, lid: `${lid}@lid` }],
        )
        if (pairs.length > 0) onPairs(pairs)
      },
    },
  }
}

/** Reads the pairs that the library stores as `lid-mapping` keys (`<pn>` to lid, `<lid>_reverse` to pn). */
export function createIdentity(auth: IdentityState): Identity {
  const { pairs } = auth
  const people = boundedCache<string, Promise<Person>>(REMEMBERED)
  /** Number of changes of the pairs when `people` was last cleared. */
  let changesSeen = 0

  const stored = async (id: string): Promise<string | null> => (await auth.keys.get('lid-mapping', [id]))[id] ?? null
  const read = (id: string) => pairs?.get(id) ?? stored(id)

  async function lidOf(pnJid: string) {
    const user = await read(jidUser(pnJid))
    return user === null ? null : `${user}@lid`
  }
  async function pnOf(lidJid: string) {
    const user = await read(`${jidUser(lidJid)}_reverse`)
    return user === null ? null : `${user}@s.whatsapp.net`
  }

  async function find(jid: string, alt?: string | null): Promise<Person> {
    let pn: string | null = null
    let lid: string | null = null
    for (const either of alt ? [jid, alt] : [jid]) {
      const name = bare(either)
      if (isPnUser(name)) pn ??= name
      else if (isLidUser(name)) lid ??= name
    }
    if (pn === null && lid !== null) pn = await pnOf(lid)
    if (lid === null && pn !== null) lid = await lidOf(pn)
    const known = pn ?? lid
    return known === null ? { phone: identifierOf(jid), lid: null } : { phone: identifierOf(known), lid }
  }

  /** Returns a person from memory, if possible, because a sent text needs the person of its chat many times. */
  function rememberedPerson(jid: string, { changes }: RememberedPairs): Promise<Person> {
    const now = changes()
    if (now !== changesSeen) people.clear()
    changesSeen = now
    const known = people.get(jid)
    if (known) return known
    const finding = find(jid)
    finding.then(
      ({ phone, lid }) => {
        // A person is kept only if number and LID are known, and if the pairs have not changed during the search:
        // otherwise the result may be stale.
        if (lid !== null && phone !== lid && changes() === now) people.set(jid, finding)
      },
      () => {},
    )
    return finding
  }

  return {
    lidOf,
    pnOf,
    isMe(jid) {
      const { me } = auth.creds
      if (me === undefined) return false
      const name = bare(jid)
      return name === bare(me.id) || (me.lid !== undefined && name === bare(me.lid))
    },
    own() {
      const { me } = auth.creds
      return me === undefined ? [] : [bare(me.id), ...(me.lid === undefined ? [] : [bare(me.lid)])]
    },
    person: (jid, alt) => (alt || pairs === undefined ? find(jid, alt) : rememberedPerson(jid, pairs)),
  }
}

export const identifiersOf = (
  { person }: Pick<Identity, 'person'>,
  people: readonly { lid: string | null; pn: string | null }[],
): Promise<string[]> => Promise.all(people.map(async ({ lid, pn }) => (await person(pn ?? lid ?? '', lid)).phone))

const BUSINESS = new Set(['smba', 'smbi'])

/** Whether the account is a business, by the platform of its phone. Null if the platform is unknown. */
export const isBusiness = ({ platform }: { platform: string | undefined }): boolean | null =>
  platform === undefined ? null : BUSINESS.has(platform)

/**
 * Throws `not_allowed` for an account that is certainly not a business. If the kind of the account is unknown, nothing
 * is thrown, and the network decides.
 */
export function assertBusiness(session: { platform: string | undefined }, message = 'This needs a business account.'): void {
  if (isBusiness(session) === false) throw new Failure('not_allowed', { message })
}
