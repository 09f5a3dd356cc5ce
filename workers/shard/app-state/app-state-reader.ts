/**
 * Reads the collections of the app state. Baileys would block the thread until everything is decoded, for most of a
 * second with 20,000 people. This reader verifies each file first, and decodes it in slices.
 * If a collection cannot be read:
 *   its key is missing              queried once more, in full, because the second answer may use another key; then it waits for a key
 *   an entry or a MAC is wrong      queried once more, in full; unreadable entries of the second answer are skipped, the others are used
 *   the media host refuses a file   (4xx, but not 429) queried once more, in full; if that fails too, it is not updated, and a warning is logged
 *   a file is not the right one     as if the media host refused it
 *   the network refuses to send it  not updated, and this is logged
 *   no answer, or no download       the reading fails, and the error is passed to the caller
 */
import {
  ALL_WA_PATCH_NAMES,
  type AuthenticationCreds,
  type BinaryNode,
  type Contact,
  type WAPatchName,
} from '@whiskeysockets/baileys'
import { Mutex } from 'async-mutex'
import type { Logger } from 'pino'
import { createTurns } from '../../../src/lib/turns.ts'
import { isFinalAnswer } from '../../../src/media/fetched.ts'
import { QUERY_DEADLINE } from '../connection/within.ts'
import type { NetworkSocket } from '../network/network-socket.ts'
import { type AppStateAction, type Association, CONTACTS, factsOf, type PersonNames } from '../wire/app-state-actions.ts'
import {
  type CollectionState,
  collectionBytes,
  collectionFrom,
  collectionVersion,
  newCollection,
} from '../wire/app-state-collection.ts'
import { type CollectionAnswer, collectionAnswers, DamagedAppState, readQuery } from '../wire/app-state-reading.ts'
import type { AppState, Reading } from './app-state.ts'
import { type CollectionOpenerDeps, createCollectionOpener, MissingKey } from './collection-opener.ts'
import { removalsOf } from './gone-people.ts'

export interface ReaderDeps extends Pick<CollectionOpenerDeps, 'keyOf' | 'readFile'> {
  sock: Pick<NetworkSocket, 'query' | 'ev'>
  creds: AuthenticationCreds
  appState: Pick<AppState, 'stored' | 'take' | 'forget' | 'settled'>
  learnPairs(pairs: { pn: string; lid: string }[]): Promise<void>
  savedPeople(): Promise<readonly PersonNames[]>
  log: Pick<Logger, 'info' | 'warn'>
}

export interface AppStateReader {
  read(collections: readonly WAPatchName[]): Promise<void>
  /** Removes the stored collections and reads them in full. Their entries count as history, not as changes. */
  readAnew(collections: readonly WAPatchName[]): Promise<void>
  /** Called after the login. A device that has never read app state reads it as soon as it has a key. */
  loggedIn(): void
  version(collection: WAPatchName): Promise<number | undefined>
  /** Runs `work` with the current state of the collection. Nothing is read while `work` runs. */
  change<T>(collection: WAPatchName, work: (state: CollectionState) => Promise<T>): Promise<T>
  take(collection: WAPatchName, state: CollectionState, actions: readonly AppStateAction[], isHistory: boolean): Promise<void>
}

const TRIES = 2
const PAIRS = 200

export function createAppStateReader(deps: ReaderDeps): AppStateReader {
  const { sock, creds, appState, savedPeople, log } = deps
  const { open } = createCollectionOpener(deps)
  const take: AppStateReader['take'] = (...reading) => passOn(deps, ...reading)
  const mutex = new Mutex()
  const blocked = new Set<WAPatchName>()
  const stateOf = async (collection: WAPatchName) => {
    const stored = await appState.stored(collection)
    return stored && (await collectionFrom(stored))
  }

  async function ask(names: readonly WAPatchName[], whole: ReadonlySet<WAPatchName>): Promise<CollectionAnswer[]> {
    const asked = await Promise.all(
      names.map(async (name) => {
        const version = (await versionOf(name)) ?? 0
        return { name, version, wantsSnapshot: version === 0 || whole.has(name) }
      }),
    )
    const answer: BinaryNode = await sock.query(readQuery(asked), QUERY_DEADLINE)
    return collectionAnswers(answer).filter(({ name }) => names.includes(name))
  }

  async function versionOf(collection: WAPatchName) {
    const stored = await appState.stored(collection)
    return stored && collectionVersion(stored)
  }

  async function readOne(answer: CollectionAnswer, tries: number): Promise<boolean> {
    const { name, code, hasMore } = answer
    if (code !== null) {
      log.info({ collection: name, code }, 'the network refused to send an app state collection')
      return false
    }
    const before = await stateOf(name)
    const opened = await open(answer, before, tries + 1 >= TRIES)
    if (!opened) return false
    const { change, version, actions } = opened
    const standing = [...actions.values()]
    const gone = opened.isAll && name === CONTACTS ? removalsOf(await savedPeople(), standing) : []
    await take(name, change.done(version), standing.concat(gone), before === undefined)
    blocked.delete(name)
    return hasMore && version > (before?.version ?? 0)
  }

  const readNow = (collections: readonly WAPatchName[]) => readInRounds(collections, { ask, readOne, blocked, log })

  const read = (collections: readonly WAPatchName[]) => mutex.runExclusive(() => readNow(collections))

  /**
   * Reads all collections of a newly linked device, and is repeated until it has succeeded once. The entries of a
   * collection that was not stored before are history, not changes.
   */
  async function readFirst() {
    if (creds.accountSyncCounter) return
    await readNow(ALL_WA_PATCH_NAMES)
    await appState.settled()
    sock.ev.emit('creds.update', { accountSyncCounter: 1 })
  }

  function behind(work: () => Promise<void>) {
    mutex
      .runExclusive(work)
      .catch((error) => log.info({ err: error }, 'app state could not be read; it is read again at the next login'))
  }

  function keyCame() {
    if (!creds.accountSyncCounter) return behind(readFirst)
    if (blocked.size > 0) behind(() => readNow([...blocked]))
  }

  sock.ev.on('creds.update', ({ myAppStateKeyId }) => {
    if (myAppStateKeyId) keyCame()
  })

  return {
    read,
    readAnew: (collections) =>
      mutex.runExclusive(async () => {
        await appState.forget(collections)
        await readNow(collections)
      }),
    loggedIn() {
      if (!creds.accountSyncCounter && creds.myAppStateKeyId) behind(readFirst)
    },
    version: versionOf,
    change: (collection, work) => mutex.runExclusive(async () => work((await stateOf(collection)) ?? newCollection())),
    take,
  }
}

interface Round {
  ask(names: readonly WAPatchName[], whole: ReadonlySet<WAPatchName>): Promise<CollectionAnswer[]>
  readOne(answer: CollectionAnswer, tries: number): Promise<boolean>
  blocked: Set<WAPatchName>
  log: Pick<Logger, 'warn'>
}

/**
 * Queries the collections until the network has no more entries. A collection that cannot be read is queried once more,
 * in full.
 */
async function readInRounds(collections: readonly WAPatchName[], { ask, readOne, blocked, log }: Round): Promise<void> {
  let left = collections
  const tries = new Map<WAPatchName, number>()
  const whole = new Set<WAPatchName>()

  function failed(name: WAPatchName, error: unknown): boolean {
    const isMissing = error instanceof MissingKey
    if (!isMissing && !(error instanceof DamagedAppState) && !isFinalAnswer(error)) throw error
    const count = (tries.get(name) ?? 0) + 1
    tries.set(name, count)
    whole.add(name)
    if (count < TRIES) return true
    if (isMissing) blocked.add(name)
    log.warn({ err: error, collection: name }, 'an app state collection could not be read')
    return false
  }

  while (left.length > 0) {
    const again: WAPatchName[] = []
    for (const answer of await ask(left, whole)) {
      try {
        if (await readOne(answer, tries.get(answer.name) ?? 0)) again.push(answer.name)
      } catch (error) {
        if (failed(answer.name, error)) again.push(answer.name)
      }
    }
    left = again
  }
}

async function passOn(
  { sock, creds, appState, learnPairs }: Pick<ReaderDeps, 'sock' | 'creds' | 'appState' | 'learnPairs'>,
  collection: WAPatchName,
  state: CollectionState,
  actions: readonly AppStateAction[],
  isHistory: boolean,
): Promise<void> {
  const { pairs, unarchives, ...facts } = await gathered(actions)
  for (let from = 0; from < pairs.length; from += PAIRS) await learnPairs(pairs.slice(from, from + PAIRS))
  appState.take({
    collection,
    version: state.version,
    bytes: await collectionBytes(state),
    isHistory,
    actions,
    ...facts,
  })
  // The listeners of this event run immediately, so the changed credentials are in the same commit as the version.
  const { me, accountSettings } = creds
  const isRenamed = facts.name !== null && me !== undefined && me.name !== facts.name
  const isSet = unarchives !== null && accountSettings?.unarchiveChats !== unarchives
  if (!isRenamed && !isSet) return
  sock.ev.emit('creds.update', {
    ...(isRenamed ? { me: { ...me, name: facts.name! } } : {}),
    ...(isSet ? { accountSettings: { ...accountSettings, unarchiveChats: unarchives } } : {}),
  })
}

interface Facts extends Pick<Reading, 'associations' | 'contacts' | 'name'> {
  pairs: { pn: string; lid: string }[]
  unarchives: boolean | null
}

async function gathered(actions: readonly AppStateAction[]): Promise<Facts> {
  const turn = createTurns()
  const contacts: Contact[] = []
  const associations: Association[] = []
  const pairs: { pn: string; lid: string }[] = []
  let name: string | null = null
  let unarchives: boolean | null = null
  for (const action of actions) {
    const facts = factsOf(action)
    if (facts.contact) contacts.push(facts.contact)
    if (facts.association) associations.push(facts.association)
    if (facts.pair) pairs.push(facts.pair)
    name = facts.name ?? name
    unarchives = facts.unarchives ?? unarchives
    await turn()
  }
  return { contacts, associations, pairs, name, unarchives }
}
