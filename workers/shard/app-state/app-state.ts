/**
 * Changes of app state without loss: what belongs together is ONE commit.
 *
 *   the version of a collection       held back, and served from memory to any reader meanwhile
 *   its changes                       labels and names as events in the outbox
 *   the credentials                   the name is in them, and a known name is no change
 *
 * Commits are written one after the other: of one collection never a later version before an earlier one. A kill has all of it or nothing;
 * then the version is the old one and the same changes are read again, because the network's notice is confirmed behind the commit only
 * (`server-sync.ts`): a login reads nothing by itself. When a commit fails nothing behind it is written, and the connection ends.
 *
 * - Everything passed in during one turn is one commit.
 * - Without a version (the name in a message of our own phone) it is a commit of its own. So is every save of the credentials.
 * - What may be as large as an address book is on disk before it, in slices, and is the same when it is read again: the numbers of people
 *   that come as pairs (`reading.ts`), the directory, and the saved contacts.
 */
import type { AuthenticationCreds, AuthenticationState, Contact, WAPatchName, WASocket } from '@whiskeysockets/baileys'
import type { Steps } from '../../../src/domain/steps.ts'
import type { Alongside, AuthState } from '../keys/credentials.ts'
import type { KeyStore } from '../keys/key-store.ts'
import { keepFacts } from '../keys/own-facts.ts'
import type { AppStateAction, Association } from '../wire/app-state-actions.ts'
import { saltIn } from '../wire/chat-token.ts'

export interface Changes {
  /** Collections and the versions they were read to: by it a further reading of the same is known. */
  reading: string
  /** Of the account, where it is news. */
  name: string | null
  /** Those that are news. */
  associations: readonly Association[]
  contacts: readonly Contact[]
  /** Everything that was read, history too. */
  actions: readonly AppStateAction[]
}

/**
 * Writes the effects of changes: large ones before it resolves, the others in the commit that writes their versions. Rejects when they have to
 * be read again.
 */
export type WriteChanges = (changes: Changes) => Promise<Pick<Alongside, 'ops' | 'applied'>>

/** A collection as it was read, or changed by us, to a version. */
export interface Reading extends Pick<Changes, 'associations' | 'contacts' | 'actions'> {
  collection: WAPatchName
  version: number
  /** The record of it (`wire/app-state-collection.ts`). */
  bytes: Uint8Array
  /** Entries from before this device was linked: not announced as changes. */
  isHistory: boolean
  /** Of the account. */
  name: string | null
}

export interface AppState {
  /** For the socket. */
  readonly state: AuthenticationState
  /** Right after the socket was made. */
  attach(sock: Pick<WASocket, 'ev'>): void
  /** The record of a collection, also of one that is not on disk yet; undefined: it was never read. */
  stored(collection: WAPatchName): Promise<Uint8Array | undefined>
  /** On disk once `settled` resolves. */
  take(reading: Reading): void
  /** They are read whole again. */
  forget(collections: readonly WAPatchName[]): Promise<void>
  /** The credentials, in one commit with what came in the same turn. */
  save(): void
  /** Everything up to now is on disk. Rejects from the first commit on that failed. */
  settled(): Promise<void>
}

export interface AppStateDeps {
  auth: Pick<AuthState, 'forSocket' | 'saveCreds'>
  keys: Pick<KeyStore, 'get'>
  creds: AuthenticationCreds
  write: WriteChanges
  /** Once: from then on nothing is written any more. */
  onFailure(error: unknown): void
  steps: Steps
}

interface Hold {
  /** Null: the collection is forgotten. */
  records: Map<WAPatchName, { version: number; bytes: Uint8Array } | null>
  name: string | null
  associations: Association[]
  contacts: Contact[]
  actions: AppStateAction[]
}

const VERSION = 'app-state-sync-version'

export function holdAppState({ auth, keys, creds, write, onFailure, steps }: AppStateDeps): AppState {
  let name = creds.me?.name
  /** Not on disk yet. */
  const held = new Map<WAPatchName, Uint8Array | null>()
  let open: Hold | null = null
  let written: Promise<void> = Promise.resolve()
  let hasFailed = false

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
    // Callers that depend on it await `settled`.
    written.catch(() => {})
    return opened
  }

  /** Called when the hold closes: the credentials are those of this moment. */
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
      if (!hasFailed) onFailure(error)
      hasFailed = true
      throw error
    }
    if (isNews) steps('app-state:written')
  }

  function keep(collection: WAPatchName, record: { version: number; bytes: Uint8Array } | null) {
    hold().records.set(collection, record)
    held.set(collection, record?.bytes ?? null)
  }

  /** `isNews`: beside that the account has read its settings once, because the name comes with the first reading. */
  function learnName(rest: string | null | undefined, isNews: boolean) {
    const before = name
    if (!rest || rest === before) return
    name = rest
    // A pairing may have brought the name of a business.
    if (before && creds.accountSyncCounter && isNews) hold().name = rest
  }

  /** The credentials, which it is kept with, are written with the version that it came in. */
  function learnSalt(action: AppStateAction) {
    const salt = saltIn(action)
    if (salt !== undefined) keepFacts(creds, { chatTokenSalt: salt ?? undefined })
  }

  return {
    state: auth.forSocket(creds),
    attach({ ev }) {
      ev.on('creds.update', ({ me }) => learnName(me?.name, true))
    },
    async stored(collection) {
      const waiting = held.get(collection)
      if (waiting !== undefined) return waiting ?? undefined
      const found = await keys.get(VERSION, collection)
      // It may have been read, or forgotten, meanwhile.
      return held.has(collection) ? (held.get(collection) ?? undefined) : found
    },
    take({ collection, version, bytes, isHistory, name: rest, associations, contacts, actions }) {
      const open = hold()
      learnName(rest, !isHistory)
      keep(collection, { version, bytes })
      if (!isHistory) open.associations = open.associations.concat(associations)
      // No spread: there may be very many of them.
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
