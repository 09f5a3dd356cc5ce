/**
 * Stores changes of app state without loss. One commit contains the new version of a collection, its small changes and
 * the credentials; large data is written before it, in slices. The network's notice is confirmed only after the commit,
 * so after a kill the same changes are read again.
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
  reading: string
  name: string | null
  associations: readonly Association[]
  contacts: readonly Contact[]
  actions: readonly AppStateAction[]
}

/**
 * Writes the large effects of the changes; they are on disk when this resolves. Returns the operations for the small
 * effects, for the commit of the new version. Rejects if the changes must be read again.
 */
export type WriteChanges = (changes: Changes) => Promise<Pick<Alongside, 'ops' | 'applied'>>

export interface Reading extends Pick<Changes, 'associations' | 'contacts' | 'actions'> {
  collection: WAPatchName
  version: number
  /** The encoded collection. */
  bytes: Uint8Array
  /** Whether the collection was not stored before. Its entries are then not announced as changes. */
  isHistory: boolean
  name: string | null
}

export interface AppState {
  readonly state: AuthenticationState
  /** Must be called right after the socket is created. Nothing is written after `onFailure` was called. */
  attach(sock: Pick<NetworkSocket, 'ev'>, onFailure: (error: unknown) => void): void
  /** Returns the record even if it is not on disk yet; undefined if the collection was never read, or was forgotten. */
  stored(collection: WAPatchName): Promise<Uint8Array | undefined>
  take(reading: Reading): void
  /** Removes the stored collections, so that they are read in full again. */
  forget(collections: readonly WAPatchName[]): Promise<void>
  /** Saves the credentials, in one commit with other changes of the same turn of the event loop. */
  save(): void
  /** Resolves when all changes so far are on disk. After the first failed commit, it always rejects. */
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
  records: Map<WAPatchName, { version: number; bytes: Uint8Array } | null>
  name: string | null
  associations: Association[]
  contacts: Contact[]
  actions: AppStateAction[]
}

const VERSION = 'app-state-sync-version'

export function holdAppState({ auth, keys, creds, write, steps }: AppStateDeps): AppState {
  let name = creds.me?.name
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
    // Callers await `settled`, which reports the failure of this commit.
    written.catch(() => {})
    return opened
  }

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

  function learnName(rest: string | null | undefined, isNews: boolean) {
    const before = name
    if (!rest || rest === before) return
    name = rest
    // The first name that is learned does not count as a change. A business has a name since its pairing, so `isNews`
    // must be true too.
    if (before && isNews) hold().name = rest
  }

  /** Keeps the salt in the credentials, which are in the same commit as the version of the salt's collection. */
  function learnSalt(action: AppStateAction) {
    const salt = saltIn(action)
    if (salt !== undefined) keepFacts(creds, { chatTokenSalt: salt ?? undefined })
  }

  return {
    state: auth.forSocket(creds),
    attach({ ev }, onFailure) {
      tellFailure = onFailure
      // Before the first reading of app state, another source may report the name that the account already had at its
      // pairing. Such a name does not count as a change.
      ev.on('creds.update', ({ me }) => learnName(me?.name, Boolean(creds.accountSyncCounter)))
    },
    async stored(collection) {
      const waiting = held.get(collection)
      if (waiting !== undefined) return waiting ?? undefined
      const found = await keys.get(VERSION, collection)
      return held.has(collection) ? (held.get(collection) ?? undefined) : found
    },
    take({ collection, version, bytes, isHistory, name: rest, associations, contacts, actions }) {
      const open = hold()
      // A new name is a change if this collection was read before, even if the first reading of other collections was
      // interrupted.
      learnName(rest, !isHistory)
      keep(collection, { version, bytes })
      if (!isHistory) open.associations = open.associations.concat(associations)
      // There may be more entries than a call may have arguments, so the arrays are not spread into `push`.
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
