/**
 * Which changes of app state are history. When a device reads a collection for the first time the library reports everything that stands
 * in it as if it had just been changed; the labels a chat had before the device was linked are no news. What is read for the first time is
 * told by the stored version: there is none yet.
 */
import {
  type AuthenticationState,
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  newLTHashState,
  type SignalDataSet,
  type WAPatchName,
  type WASocket,
} from '@whiskeysockets/baileys'
import type { Logger } from 'pino'

export interface FirstSync {
  /** For the socket. */
  readonly state: AuthenticationState
  /** At once after the socket was made. */
  attach(sock: Pick<WASocket, 'authState'>, log: Pick<Logger, 'warn'>): void
  /** The network has answered a question for app state. */
  answered(answer: BinaryNode): void
  /** Asked while an event of app state is emitted: it tells what was there before. */
  isFirst(collection: WAPatchName): boolean
}

const VERSION = 'app-state-sync-version'

export function watchFirstSync({ creds, keys }: AuthenticationState): FirstSync {
  const first = new Set<string>()
  let attached: Pick<WASocket, 'authState'> | undefined
  let log: Pick<Logger, 'warn'> | undefined

  async function set(data: SignalDataSet) {
    const names = Object.keys(data[VERSION] ?? {})
    const before = names.length === 0 ? {} : await keys.get(VERSION, names)
    await keys.set(data)
    const fresh = names.filter((name) => !before[name])
    for (const name of fresh) first.add(name)
    // The library emits what it has read in the turn in which the version is saved.
    if (fresh.length > 0)
      setImmediate(() => {
        for (const name of fresh) first.delete(name)
      })
  }

  /**
   * Of an empty collection the library saves no version: its first entry, which may come years later, would read like history. An empty one
   * is what the library itself begins with.
   */
  async function rememberEmpty(name: WAPatchName) {
    const { creds, keys } = attached!.authState
    // In line with the library's own reads and writes of it.
    await keys.transaction(async () => {
      const known = await keys.get(VERSION, [name])
      if (!known[name]) await keys.set({ [VERSION]: { [name]: newLTHashState() } })
    }, creds.me?.id ?? 'resync-app-state')
  }

  return {
    state: { creds, keys: { ...keys, set } },
    isFirst: (collection) => first.has(collection),
    attach(sock, itsLog) {
      attached = sock
      log = itsLog
    },
    answered(answer) {
      for (const name of emptyCollections(answer))
        rememberEmpty(name).catch((error) => log?.warn({ err: error, name }, 'an empty collection was not remembered'))
    },
  }
}

/** Those the network has an answer for, and nothing in it. */
function emptyCollections(answer: BinaryNode): WAPatchName[] {
  return getBinaryNodeChildren(getBinaryNodeChild(answer, 'sync'), 'collection')
    .filter(({ attrs, content }) => attrs.type !== 'error' && (!Array.isArray(content) || content.length === 0))
    .map(({ attrs }) => attrs.name as WAPatchName)
}
