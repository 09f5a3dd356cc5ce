/**
 * Changes of app state without loss. The library saves the new version of a collection first and tells what changed in it afterwards, when
 * nobody would read it again: a crash in between lost the labels, the name, the contacts for good. So what belongs together is ONE commit:
 *
 *   the versions the library saves    held back, and served from memory to whoever reads them meanwhile
 *   what it tells of them             labels and names as events in the outbox, saved contacts as records
 *   the credentials                   the name is in them, and a name that is known is not told by the library again
 *
 * The library tells everything in the turn in which its transaction has saved the versions, so a hold is open for that turn and written
 * behind it, one after the other: of one collection never a later version before an earlier one. A kill has all of it or nothing; then the
 * versions are the old ones and the same changes are read again, because the network's notice is confirmed behind the commit only
 * (`server-sync.ts`): a login reads nothing by itself. When a commit fails nothing behind it is written, and the connection ends.
 *
 * - Taken where it is emitted: the event buffer keeps contacts for seconds, and merges them.
 * - Without a version (the name in a message of our own phone) it is a hold of its own. So is every save of the credentials.
 * - A patch of ours reads its collection inside of its own transaction: what that read tells is written before the version, and were the
 *   patch refused it would be told again. We patch `regular_high` alone, where none of this is kept.
 * - Numbers of people that come as pairs (`lid-mapping.update`) are not held: every message brings them again.
 * - After an error the library reads a collection whole. Which labels are new in it cannot be told: events do not say which entry they are
 *   of, and what a chat was labelled with is not kept. They are told again, as they stand.
 */
import type {
  AuthenticationCreds,
  AuthenticationState,
  BaileysEventMap,
  Contact,
  SignalDataSet,
  SignalDataTypeMap,
  WAPatchName,
  WASocket,
} from '@whiskeysockets/baileys'
import type { Alongside, AuthState } from '../keys/credentials.ts'
import { bare } from '../wire/jid.ts'

/** A label put on a chat, or taken off. */
export interface Association {
  chat: string
  label: string
  assigned: boolean
}

export interface Changes {
  /** Collections and the versions they were read to: by it a further reading of the same is known. */
  reading: string
  /** Of the account, where it is news. */
  name: string | null
  /** Those that are news. */
  associations: readonly Association[]
  contacts: readonly Contact[]
}

/** What is written of changes, in the commit that writes their versions. Rejects when they have to be read again. */
export type WriteChanges = (changes: Changes) => Promise<Pick<Alongside, 'ops' | 'applied'>>

export interface AppState {
  /** For the socket. */
  readonly state: AuthenticationState
  /** Right after the socket was made. `isFirst`: what is told of this collection now is history. */
  attach(sock: Pick<WASocket, 'ev'>, isFirst: (collection: WAPatchName) => boolean): void
  /** The credentials, in one commit with what came in the same turn. */
  save(): void
  /** Everything up to now is on disk. Rejects from the first commit on that failed. */
  settled(): Promise<void>
}

export interface AppStateDeps {
  auth: Pick<AuthState, 'forSocket' | 'saveCreds'>
  creds: AuthenticationCreds
  write: WriteChanges
  /** Once: from then on nothing is written any more. */
  onFailure(error: unknown): void
  killAt(step: string): void
}

type Versions = { [name: string]: SignalDataTypeMap['app-state-sync-version'] | null }

interface Hold {
  versions: Versions
  name: string | null
  associations: Association[]
  contacts: Contact[]
}

const VERSION = 'app-state-sync-version'

export function holdAppState({ auth, creds, write, onFailure, killAt }: AppStateDeps): AppState {
  const stored = auth.forSocket(creds)
  const { keys } = stored
  let name = creds.me?.name
  /** Not on disk yet. */
  const held = new Map<string, Versions[string]>()
  let open: Hold | null = null
  let written: Promise<void> = Promise.resolve()
  let hasFailed = false

  function hold(): Hold {
    if (open) return open
    const opened: Hold = { versions: {}, name: null, associations: [], contacts: [] }
    const before = written
    open = opened
    written = new Promise((resolve) => {
      setImmediate(() => {
        open = null
        resolve(commit(opened, before))
      })
    })
    // Everybody who depends on it asks `settled`.
    written.catch(() => {})
    return opened
  }

  /** Called when the hold closes: the credentials are those of this moment. */
  async function commit({ versions, ...told }: Hold, before: Promise<void>): Promise<void> {
    const isNews = told.name !== null || told.associations.length + told.contacts.length > 0
    try {
      await auth.saveCreds(creds, async () => {
        await before
        if (isNews) killAt('app-state:held')
        const { ops, applied } = await write({ ...told, reading: readingOf(versions) })
        return {
          keys: { [VERSION]: versions },
          ops,
          applied() {
            applied()
            for (const [name, state] of Object.entries(versions)) if (held.get(name) === state) held.delete(name)
          },
        }
      })
    } catch (error) {
      if (!hasFailed) onFailure(error)
      hasFailed = true
      throw error
    }
    if (isNews) killAt('app-state:written')
  }

  async function get<T extends keyof SignalDataTypeMap>(type: T, ids: string[]) {
    if (type !== VERSION || held.size === 0) return keys.get(type, ids)
    const found = await keys.get(type, ids)
    for (const id of ids) {
      const state = held.get(id)
      if (state) found[id] = state as SignalDataTypeMap[T]
      if (state === null) delete found[id]
    }
    return found
  }

  async function set({ [VERSION]: versions, ...others }: SignalDataSet) {
    if (Object.keys(others).length > 0) await keys.set(others)
    if (versions === undefined) return
    const { versions: into } = hold()
    for (const [name, state] of Object.entries(versions)) {
      into[name] = state
      held.set(name, state)
    }
  }

  function collect<T extends keyof BaileysEventMap>(event: T, data: BaileysEventMap[T], isFirst: (of: WAPatchName) => boolean) {
    if (event === 'contacts.upsert') hold().contacts.push(...(data as BaileysEventMap['contacts.upsert']))
    if (event === 'creds.update') {
      const { me } = data as BaileysEventMap['creds.update']
      const before = name
      if (!me?.name || me.name === before) return
      name = me.name
      // The name comes with the first reading of the account's settings, also where the pairing brought the name of a business.
      if (before && creds.accountSyncCounter && !isFirst('critical_block')) hold().name = name
    }
    if (event === 'labels.association') {
      const { association, type } = data as BaileysEventMap['labels.association']
      // A label of a message is none of its chat.
      if ('messageId' in association || isFirst('regular')) return
      hold().associations.push({ chat: bare(association.chatId), label: association.labelId, assigned: type === 'add' })
    }
  }

  return {
    state: { ...stored, keys: { ...keys, get, set } },
    attach({ ev }, isFirst) {
      const { emit } = ev
      ev.emit = (event, data) => {
        collect(event, data, isFirst)
        return emit(event, data)
      }
    },
    save: () => void hold(),
    settled: () => written,
  }
}

const readingOf = (versions: Versions) =>
  Object.entries(versions)
    .map(([name, state]) => `${name} ${state?.version}`)
    .sort()
    .join(', ')
