/**
 * Stores changes of app state without loss: data that belongs together is written in ONE commit.
 *
 *   the version of a collection       held back, and served from memory until it is written
 *   its changes                       labels and names as events in the outbox
 *   the credentials                   they contain the name; a known name is no change
 *
 * Commits are written one after the other, so a later version of a collection never precedes an earlier one. After a kill either all of a commit or
 * nothing of it is stored. In the latter case the version is the old one and the same changes are read again, because the network's notice is
 * confirmed only after the commit (`server-sync.ts`); a login by itself reads nothing. When a commit fails, no later one is written and the
 * connection ends.
 *
 * - Everything that is passed in during one turn goes into one commit.
 * - A change without a version (the name in a message of our own phone) and a save of the credentials cause a commit too.
 * - Data that may be as large as an address book is written before the commit, in slices, and reading it again gives the same data: the
 *   numbers of people that come as pairs (`app-state-reader.ts`), the directory, and the saved contacts.
 */
import type { AuthenticationCreds, AuthenticationState, Contact, WAPatchName } from '@whiskeysockets/baileys'
import type { Steps } from '../../../src/domain/steps.ts'
import type { Alongside, AuthState } from '../keys/auth-state.ts'
import type { KeyStore } from '../keys/key-store.ts'
import { keepFacts } from '../keys/own-facts.ts'
import type { NetworkSocket } from '../network/network-socket.ts'
import type { AppStateAction, Association } from '../wire/app-state-actions.ts'
import { saltIn } from '../wire/chat-token.ts'

export interface Changes {
  /** Names and new versions of the collections that were read, as one text. Two readings with the same text are the same reading. */
  reading: string
  /** New name of the account; null if it did not change. */
  name: string | null
  /** New label associations. */
  associations: readonly Association[]
  contacts: readonly Contact[]
  /** All actions that were read, including history. */
  actions: readonly AppStateAction[]
}

/**
 * Writes the effects of changes. Large effects are on disk when it resolves; the others are part of the commit that writes the versions of the
 * collections. Rejects if the changes must be read again.
 */
export type WriteChanges = (changes: Changes) => Promise<Pick<Alongside, 'ops' | 'applied'>>

/** State of a collection at a version, which was read from the network or which our own change created. */
export interface Reading extends Pick<Changes, 'associations' | 'contacts' | 'actions'> {
  collection: WAPatchName
  version: number
  /** Record of the collection (`wire/app-state-collection.ts`). */
  bytes: Uint8Array
  /** Whether the entries were made before this device was linked. If so, they are not announced as changes. */
  isHistory: boolean
  /** Name of the account, if the collection contains it. */
  name: string | null
}

export interface AppState {
  /** Authentication state for the socket. */
  readonly state: AuthenticationState
  /**
   * Connects the socket. Must be called right after the socket is created. `onFailure` is called when a commit has failed; nothing is written after
   * that.
   */
  attach(sock: Pick<NetworkSocket, 'ev'>, onFailure: (error: unknown) => void): void
  /** Record of a collection, even if it is not on disk yet; undefined if it was never read. */
  stored(collection: WAPatchName): Promise<Uint8Array | undefined>
  /** Stores a collection that was read. It is on disk when `settled` resolves. */
  take(reading: Reading): void
  /** Removes the collections, so that they are read in full again. */
  forget(collections: readonly WAPatchName[]): Promise<void>
  /** Saves the credentials, in one commit with other changes of the same turn. */
  save(): void
  /** Resolves when everything that was passed in so far is on disk. After the first failed commit, it always rejects. */
  settled(): Promise<void>
}

export interface AppStateDeps {
  auth: Pick<AuthState, 'forSocket' | 'saveCreds'>
  keys: Pick<KeyStore, 'get'>
  creds: AuthenticationCreds
  write: WriteChanges
  steps: Steps
}

interface Hold {
  /** Record of each collection; null if the collection is forgotten. */
  records: Map<WAPatchName, { version: number; bytes: Uint8Array } | null>
  name: string | null
  associations: Association[]
  contacts: Contact[]
  actions: AppStateAction[]
}

const VERSION = 'app-state-sync-version'

export function holdAppState({ auth, keys, creds, write, steps }: AppStateDeps): AppState {
  let name = creds.me?.name
  /** Records of collections that are not on disk yet, by collection; null for a collection that is removed. */
  const held = new Map<WAPatchName, Uint8Array | null>()
  let open: Hold | null = null
  let written: Promise<void> = Promise.resolve()
  let hasFailed = false
  let tellFailure = (_error: unknown): void => {}

  function hold(): Hold {
    if (open) return open
    const opened: Hold = { records: new Map(), name: null, associations: [], contacts: [], actions: [] }
    const before = written
    open = opened
    written = new Promise((resolve) => {
      setImmediate(() => {
        open = null
        resolve(commit(opened, before))
      })
    })
    // The callers that depend on this commit await `settled`, which reports its failure.
    written.catch(() => {})
    return opened
  }

  /** Commits the collected changes, with the credentials of that moment. */
  async function commit({ records, ...rest }: Hold, before: Promise<void>): Promise<void> {
    const isNews = rest.name !== null || rest.associations.length + rest.contacts.length + rest.actions.length > 0
    try {
      await auth.saveCreds(creds, async () => {
        await before
        if (isNews) steps('app-state:held')
        const { ops, applied } = await write({ ...rest, reading: readingOf(records) })
        return {
          keys: [...records].map(([collection, record]) => [VERSION, collection, record?.bytes ?? null] as const),
          ops,
          applied() {
            applied()
            for (const [collection, record] of records)
              if (held.get(collection) === (record?.bytes ?? null)) held.delete(collection)
          },
        }
      })
    } catch (error) {
      if (!hasFailed) tellFailure(error)
      hasFailed = true
      throw error
    }
    if (isNews) steps('app-state:written')
  }

  function keep(collection: WAPatchName, record: { version: number; bytes: Uint8Array } | null) {
    hold().records.set(collection, record)
    held.set(collection, record?.bytes ?? null)
  }

  /** Learns the name of the account. `isNews`: whether a name that differs from the known one is announced as a change. */
  function learnName(rest: string | null | undefined, isNews: boolean) {
    const before = name
    if (!rest || rest === before) return
    name = rest
    // The first name is no change. `before` may be the name of a business, which its pairing has provided.
    if (before && isNews) hold().name = rest
  }

  /**
   * Stores the salt of chat tokens in the credentials. The credentials are written in the same commit as the version of the collection that has the
   * salt.
   */
  function learnSalt(action: AppStateAction) {
    const salt = saltIn(action)
    if (salt !== undefined) keepFacts(creds, { chatTokenSalt: salt ?? undefined })
  }

  return {
    state: auth.forSocket(creds),
    attach({ ev }, onFailure) {
      tellFailure = onFailure
      // Until app state has been read for the first time, a name from another source may be the name that the account had at the pairing, so it does
      // not count as a change.
      ev.on('creds.update', ({ me }) => learnName(me?.name, Boolean(creds.accountSyncCounter)))
    },
    async stored(collection) {
      const waiting = held.get(collection)
      if (waiting !== undefined) return waiting ?? undefined
      const found = await keys.get(VERSION, collection)
      // During the read from disk, `held` may have got a newer state of the collection.
      return held.has(collection) ? (held.get(collection) ?? undefined) : found
    },
    take({ collection, version, bytes, isHistory, name: rest, associations, contacts, actions }) {
      const open = hold()
      // If this collection was read before, a new name in it counts as a change, even if the first reading of the other collections was interrupted.
      learnName(rest, !isHistory)
      keep(collection, { version, bytes })
      if (!isHistory) open.associations = open.associations.concat(associations)
      // The arrays are not spread into arguments of `push`, because there may be more entries than a call may have arguments.
      open.contacts = open.contacts.concat(contacts)
      open.actions = open.actions.concat(actions)
      for (const action of actions) learnSalt(action)
    },
    async forget(collections) {
      for (const collection of collections) keep(collection, null)
      await written
    },
    save: () => void hold(),
    settled: () => written,
  }
}

const readingOf = (records: Hold['records']) =>
  [...records]
    .map(([name, record]) => `${name} ${record?.version}`)
    .sort()
    .join(', ')
