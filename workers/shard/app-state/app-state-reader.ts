/**
 * Reads app state. The library's own function (Socket/chats.js, resyncAppState) blocks the thread until everything that the account's phone has ever
 * saved is decoded: 20,000 people in an address book took most of a second. Here the file of a collection is decoded and its entries are decrypted in
 * slices, and a file of the network is verified before it is read. (The copy of a collection with which a change begins is made in one turn, some
 * milliseconds for 20,000 entries.)
 *
 * Only one reading runs at a time. Each collection is passed to `AppState` as soon as it is read, together with its changes. If a collection cannot
 * be read, nothing of it is used:
 *
 *   its key is missing              queried in full once, because that answer may use another key; then it waits for a key
 *   an entry or a patch is damaged  read in full once, and then the readable entries are used
 *   no answer, no file              rejected; the caller retries
 */
import {
  ALL_WA_PATCH_NAMES,
  type AuthenticationCreds,
  type BinaryNode,
  type Contact,
  proto,
  type WAPatchName,
  type WASocket,
} from '@whiskeysockets/baileys'
import { Mutex } from 'async-mutex'
import type { Logger } from 'pino'
import type { SealedFile } from '../../../src/domain/file-download.ts'
import { createTurns } from '../../../src/lib/turns.ts'
import { isFinalAnswer, type ReadFile } from '../../../src/media/fetched.ts'
import { boundedQuery } from '../baileys/query.ts'
import { QUERY_DEADLINE } from '../connection/within.ts'
import { type AppStateAction, type Association, CONTACTS, factsOf, type PersonNames } from '../wire/app-state-actions.ts'
import {
  type CollectionChange,
  type CollectionState,
  changeCollection,
  collectionBytes,
  collectionFrom,
  collectionVersion,
  newCollection,
} from '../wire/app-state-collection.ts'
import { type MutationKeys, mutationKeys, snapshotMacOf } from '../wire/app-state-patch.ts'
import {
  type CollectionAnswer,
  collectionAnswers,
  DamagedAppState,
  decryptEntry,
  type Entries,
  externalEntries,
  patchEntries,
  readQuery,
  type SealedEntry,
  snapshotEntries,
  verifyPatch,
} from '../wire/app-state-reading.ts'
import type { AppState, Reading } from './app-state.ts'
import { removalsOf } from './gone-people.ts'

export interface ReaderDeps {
  sock: Pick<WASocket, 'query' | 'ev'>
  creds: AuthenticationCreds
  appState: Pick<AppState, 'stored' | 'take' | 'forget' | 'settled'>
  /** The key of the account's devices with this id (base64). */
  keyOf(id: string): Promise<Uint8Array | undefined>
  readFile: ReadFile
  /** Stores pairs of number and LID; they are on disk when it resolves. */
  learnPairs(pairs: { pn: string; lid: string }[]): Promise<void>
  /** People who are stored as saved on the phone. */
  savedPeople(): Promise<readonly PersonNames[]>
  log: Pick<Logger, 'info' | 'warn'>
}

export interface AppStateReader {
  /** Reads the changes of these collections, or the whole collection if it was never read. When it resolves, they are passed to `AppState`. */
  read(collections: readonly WAPatchName[]): Promise<void>
  /** Removes the collections and reads them in full, as history. */
  readAnew(collections: readonly WAPatchName[]): Promise<void>
  /** Called after the login: a device that has never read anything does so as soon as it has a key. */
  loggedIn(): void
  version(collection: WAPatchName): Promise<number | undefined>
  /** Holds the mutex, so that nothing is read at the same time. `work` gets the current state of the collection. */
  change<T>(collection: WAPatchName, work: (state: CollectionState) => Promise<T>): Promise<T>
  /** Passes a collection to `AppState`. */
  take(collection: WAPatchName, state: CollectionState, actions: readonly AppStateAction[], isHistory: boolean): Promise<void>
}

/** A key that the phone has not shared. */
class MissingKey extends Error {}

/** Number of queries for a collection that cannot be read. */
const TRIES = 2
/** Largest file of a snapshot or patch, in bytes. */
const MAX_FILE = 128 * 2 ** 20
/** Number of pairs that are stored at a time. */
const PAIRS = 200

/** Content of one collection in one answer. */
interface Opened {
  change: CollectionChange
  version: number
  /** The last action of each index: if an entry was changed twice, only the second change counts. */
  actions: Map<string, AppStateAction>
  /** If true, unreadable entries are skipped; otherwise they end the reading. */
  isLenient: boolean
  /** True if nothing was known of the collection and nothing was skipped, so that entries which it lacks do not exist. */
  isAll: boolean
}

export function createAppStateReader(deps: ReaderDeps): AppStateReader {
  const { sock, creds, appState, keyOf, readFile, learnPairs, savedPeople, log } = deps
  const mutex = new Mutex()
  /** Collections whose key is missing. */
  const blocked = new Set<WAPatchName>()
  const known = new Map<string, MutationKeys>()

  async function keysOf(id: Uint8Array): Promise<MutationKeys> {
    const name = Buffer.from(id).toString('base64')
    const found = known.get(name)
    if (found) return found
    const data = await keyOf(name)
    if (!data?.length) throw new MissingKey(`app state is encrypted with key ${name}, which the phone has not sent yet`)
    const keys = mutationKeys(data)
    known.set(name, keys)
    return keys
  }

  const stateOf = async (collection: WAPatchName) => {
    const stored = await appState.stored(collection)
    return stored && (await collectionFrom(stored))
  }

  async function fileBytes(reference: proto.IExternalBlobReference): Promise<Uint8Array> {
    const { mediaKey, directPath, fileSha256, fileEncSha256 } = reference
    if (!mediaKey?.length || !directPath) throw new DamagedAppState('the reference to an external file is incomplete')
    const file: SealedFile = {
      kind: 'app-state',
      mediaKey,
      fileSha256: fileSha256?.length ? fileSha256 : null,
      fileEncSha256: fileEncSha256?.length ? fileEncSha256 : null,
      fileLength: null,
    }
    return readFile(file, directPath, async (bytes) => {
      const parts: Uint8Array[] = []
      let size = 0
      for await (const part of bytes) {
        size += part.length
        if (size > MAX_FILE) throw new DamagedAppState('an external file is too large')
        parts.push(part)
      }
      return Buffer.concat(parts)
    })
  }

  /** Processes all entries in slices, then the rest of their message. */
  async function each<Rest>(entries: Entries<Rest>, work: (entry: SealedEntry) => Promise<void> | void): Promise<Rest> {
    const turn = createTurns()
    for (let next = entries.next(); ; next = entries.next()) {
      if (next.done) return next.value
      if (next.value) await work(next.value)
      await turn()
    }
  }

  async function openOne(opened: Opened, entry: SealedEntry) {
    const { change, actions } = opened
    const keys = await keysOf(entry.keyId)
    const action = orLeftOut(opened, () => decryptEntry(entry, keys))
    if (!action) return
    if (entry.isRemoval) change.remove(entry.indexMac)
    else change.set(entry.indexMac, entry.valueMac)
    actions.set(JSON.stringify(action.index), action)
  }

  function orLeftOut<T>(opened: Opened, read: () => T): T | null {
    try {
      return read()
    } catch (error) {
      if (!opened.isLenient) throw error
      opened.isAll = false
      log.info({ err: error }, 'an unreadable app state entry was skipped')
      return null
    }
  }

  async function openSnapshot(name: WAPatchName, reference: Uint8Array, before: CollectionState, how: HowOpened) {
    const bytes = await fileBytes(decodeReference(reference))
    // An entry with the same value as before is no change.
    const standing = changeCollection(before)
    const opened: Opened = { change: changeCollection(newCollection()), version: 0, actions: new Map(), ...how }
    const { version, mac, keyId } = await each(snapshotEntries(bytes), async (entry) => {
      const isNews = standing.set(entry.indexMac, entry.valueMac)
      if (isNews) return openOne(opened, entry)
      opened.change.set(entry.indexMac, entry.valueMac)
    })
    opened.version = Number(version?.version ?? 0)
    const keys = await keysOf(keyId?.id ?? new Uint8Array(0))
    // Every entry has its own MAC. A skipped entry is missing from the sum.
    if (!isEqual(snapshotMacOf(keys, name, opened.version, opened.change.hash), mac)) {
      opened.isAll = false
      log.info({ collection: name }, 'an app state snapshot does not match its MAC; it is used without its unreadable entries')
    }
    return opened
  }

  async function openPatch(name: WAPatchName, patch: Uint8Array, opened: Opened, versionSaid: number) {
    const entries: SealedEntry[] = []
    const rest = await each(patchEntries(patch), (entry) => void entries.push(entry))
    if (rest.externalMutations)
      await each(externalEntries(await fileBytes(rest.externalMutations)), (entry) => void entries.push(entry))
    const version = rest.version ? Number(rest.version.version) : versionSaid
    // The patch is already part of the snapshot.
    if (version <= opened.version) return
    const keys = await keysOf(rest.keyId?.id ?? new Uint8Array(0))
    const macs = entries.map(({ valueMac }) => valueMac)
    const isVerified = orLeftOut(opened, () => {
      verifyPatch(name, rest, version, macs, keys)
      return true
    })
    opened.version = version
    if (!isVerified) return
    const turn = createTurns()
    for (const entry of entries) {
      await openOne(opened, entry)
      await turn()
    }
    if (isEqual(snapshotMacOf(keys, name, version, opened.change.hash), rest.snapshotMac)) return
    if (!opened.isLenient) throw new DamagedAppState('the collection does not match the MAC of its patch')
    opened.isAll = false
    log.info(
      { collection: name, version },
      'an app state collection does not match the MAC of its last patch; it is used as it is',
    )
  }

  /** Null if the answer has no changes and the collection is known. */
  async function open(answer: CollectionAnswer, before: CollectionState | undefined, isLenient: boolean): Promise<Opened | null> {
    const { name, snapshot, patches } = answer
    if (!snapshot && patches.length === 0 && before) return null
    const from = before ?? newCollection()
    const how = { isLenient, isAll: !before && (snapshot !== null || patches.length > 0) }
    const opened: Opened = snapshot
      ? await openSnapshot(name, snapshot, from, how)
      : { change: changeCollection(from), version: from.version, actions: new Map(), ...how }
    for (const patch of patches) await openPatch(name, patch, opened, answer.version + 1)
    return opened
  }

  async function take(
    collection: WAPatchName,
    state: CollectionState,
    actions: readonly AppStateAction[],
    isHistory: boolean,
  ): Promise<void> {
    const { pairs, ...facts } = await gathered(actions)
    for (let from = 0; from < pairs.length; from += PAIRS) await learnPairs(pairs.slice(from, from + PAIRS))
    const reading: Reading = {
      collection,
      version: state.version,
      bytes: await collectionBytes(state),
      isHistory,
      actions,
      ...facts,
    }
    appState.take(reading)
    // Runs in the same turn, because the library puts the name into the credentials.
    const { me } = creds
    if (facts.name && me && me.name !== facts.name) sock.ev.emit('creds.update', { me: { ...me, name: facts.name } })
  }

  async function ask(names: readonly WAPatchName[], whole: ReadonlySet<WAPatchName>): Promise<CollectionAnswer[]> {
    const asked = await Promise.all(
      names.map(async (name) => {
        const version = (await versionOf(name)) ?? 0
        return { name, version, wantsSnapshot: version === 0 || whole.has(name) }
      }),
    )
    const answer: BinaryNode = await boundedQuery(sock, readQuery(asked), QUERY_DEADLINE)
    return collectionAnswers(answer).filter(({ name }) => names.includes(name))
  }

  async function versionOf(collection: WAPatchName) {
    const stored = await appState.stored(collection)
    return stored && collectionVersion(stored)
  }

  /** True if there is more of the collection. */
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

  async function readNow(collections: readonly WAPatchName[]) {
    let left = collections
    const tries = new Map<WAPatchName, number>()
    const whole = new Set<WAPatchName>()

    /** True if the collection is queried again. */
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

  const read = (collections: readonly WAPatchName[]) => mutex.runExclusive(() => readNow(collections))

  /** Reads everything, once per linked device; these entries are history. */
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

function decodeReference(bytes: Uint8Array): proto.IExternalBlobReference {
  try {
    return proto.ExternalBlobReference.decode(bytes)
  } catch (cause) {
    throw new DamagedAppState('the reference to an external file is incomplete', { cause })
  }
}

type HowOpened = Pick<Opened, 'isLenient' | 'isAll'>

const isEqual = (one: Uint8Array, other: Uint8Array | null | undefined) => Buffer.compare(one, other ?? new Uint8Array(0)) === 0

interface Facts extends Pick<Reading, 'associations' | 'contacts' | 'name'> {
  pairs: { pn: string; lid: string }[]
}

async function gathered(actions: readonly AppStateAction[]): Promise<Facts> {
  const turn = createTurns()
  const contacts: Contact[] = []
  const associations: Association[] = []
  const pairs: { pn: string; lid: string }[] = []
  let name: string | null = null
  for (const action of actions) {
    const facts = factsOf(action)
    if (facts.contact) contacts.push(facts.contact)
    if (facts.association) associations.push(facts.association)
    if (facts.pair) pairs.push(facts.pair)
    name = facts.name ?? name
    await turn()
  }
  return { contacts, associations, pairs, name }
}
