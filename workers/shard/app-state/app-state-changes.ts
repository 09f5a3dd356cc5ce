/**
 * Changes app state. A change applies to the newest version of its collection. If another device was first (409), the
 * change is refused, and `ask` (`connection/ask.ts`) repeats it once.
 * A record on disk marks a change as pending before it is sent. If its outcome is unknown, the network's version of the
 * collection is read.
 */
import type { AuthenticationCreds, WAPatchName } from '@whiskeysockets/baileys'
import type { Mutex } from 'async-mutex'
import { SECOND } from '../../../src/domain/clock.ts'
import { Failure } from '../../../src/domain/failures.ts'
import { keys as records } from '../../../src/storage/record-keys.ts'
import type { Context } from '../context/instance-context.ts'
import type { NetworkSocket } from '../network/network-socket.ts'
import type { AppStateChange, ChangeAppState, LaterChange } from '../wire/app-state-actions.ts'
import type { CollectionState } from '../wire/app-state-collection.ts'
import { appStatePatch, patchQuery, patchRefusal } from '../wire/app-state-patch.ts'
import type { AppState } from './app-state.ts'
import type { AppStateReader } from './app-state-reader.ts'

export interface ChangeDeps {
  sock: Pick<NetworkSocket, 'query'>
  changing: Pick<Mutex, 'runExclusive'>
  creds: AuthenticationCreds
  keyOf(id: string): Promise<Uint8Array | undefined>
  reader: Pick<AppStateReader, 'read' | 'change' | 'take'>
  appState: Pick<AppState, 'settled'>
}

export interface AppStateChanges {
  /**
   * The changes are on disk when this resolves. Rejects with `instance_starting` while the phone has not shared the key
   * of app state.
   */
  change: ChangeAppState
  /** Called after the login. If the outcome of an earlier change is unknown, the collection of this change is read. */
  recover(): Promise<void>
}

const PRESENT = Uint8Array.of(1)
/**
 * Deadline of a patch, in ms. Other changes wait for the patch, so its deadline is not longer than that of any
 * operation.
 */
const PATCH_DEADLINE = 20 * SECOND

class Refused extends Error {
  readonly data: number
  constructor(collection: string, code: number) {
    super(`the network refused a change of ${collection}`)
    this.data = code
  }
}

export function createAppStateChanges(
  { id: instance, store, log, steps }: Context<'id' | 'store' | 'log' | 'steps'>,
  deps: ChangeDeps,
): AppStateChanges {
  const { sock, changing, creds, reader, appState } = deps
  /** Whether the outcome of a change is unknown. The collection must then be read. */
  let isOpen = false
  const markOf = (collection: string) => records.openChange(instance, collection)

  async function patchKey(id: string) {
    const data = await deps.keyOf(id)
    if (!data) throw new Failure('instance_starting')
    return { id: Buffer.from(id, 'base64'), data }
  }

  /**
   * Sends the changes of one collection. The caller holds the mutex, so the collection is not read at the same time.
   */
  async function patch(collection: WAPatchName, changes: readonly AppStateChange[], before: CollectionState) {
    const made = appStatePatch(collection, changes, await patchKey(creds.myAppStateKeyId ?? ''), before)
    if (!made) return
    const answer = await sock.query(patchQuery(collection, before.version, made.patch), PATCH_DEADLINE)
    const code = patchRefusal(answer, collection)
    if (code !== null) throw new Refused(collection, code)
    steps('app-state:changed')
    // Our own changes are applied like those from the network, so that a new name is known immediately.
    const actions = changes.map(({ index, value }) => ({ index, value }))
    await reader.take(collection, made.state, actions, false)
  }

  async function write({ collection, make }: LaterChange) {
    if (!creds.myAppStateKeyId) throw new Failure('instance_starting')
    await reader.read([collection])
    await appState.settled()
    const changes = make()
    await store.commit({ ops: [[markOf(collection), PRESENT]] })
    steps('app-state:marked')
    try {
      await reader.change(collection, (state) => patch(collection, changes, state))
      await appState.settled()
    } catch (error) {
      // If the network refuses the change, the outcome is known. After any other failure the network may have accepted
      // the change.
      if (isRefusal(error)) await store.commit({ ops: [[markOf(collection), null]] })
      else isOpen = true
      throw error
    }
    await store.commit({ ops: [[markOf(collection), null]] })
  }

  /** If the outcome of a change is unknown, starts `recover` after the tasks that already wait for the mutex. */
  function recoverBehind() {
    if (!isOpen) return
    isOpen = false
    changing
      .runExclusive(recover)
      .catch((error) =>
        log.info({ err: error }, 'app state could not be read after an interrupted change; it is read at the next login'),
      )
  }

  async function recover() {
    const collections: WAPatchName[] = []
    for await (const [key] of store.range(records.openChanges(instance)))
      collections.push(key.slice(records.openChanges(instance).length) as WAPatchName)
    if (collections.length === 0) return
    await reader.read(collections)
    await appState.settled()
    await store.commit({ ops: collections.map((collection) => [markOf(collection), null]) })
    log.info({ collections }, 'app state was read after an interrupted change')
  }

  return {
    change: (changes) =>
      changing
        .runExclusive(async () => {
          for (const each of 'make' in changes ? [changes] : byCollection(changes)) await write(each)
        })
        .finally(recoverBehind),
    recover: () => changing.runExclusive(recover),
  }
}

const byCollection = (changes: readonly AppStateChange[]): LaterChange[] =>
  [...new Set(changes.map(({ collection }) => collection))].map((collection) => ({
    collection,
    make: () => changes.filter((change) => change.collection === collection),
  }))

const isRefusal = (error: unknown) => error instanceof Refused || typeof (error as { data?: unknown } | null)?.data === 'number'
