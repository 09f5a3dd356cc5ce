/**
 * Reads the collections that the network reports as changed. The notice is confirmed after they are on disk, or after
 * too many failed attempts. Baileys would read only the first of them and confirm too early.
 */
import type { BinaryNode, WAPatchName } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { escalateTrap } from '../baileys/thread/trap.ts'
import type { NetworkSocket } from '../network/network-socket.ts'
import { collectionsIn } from '../wire/account-notices.ts'
import { idOf } from '../wire/envelope.ts'
import type { AppStateReader } from './app-state-reader.ts'

export interface ServerSyncDeps {
  sock: Pick<NetworkSocket, 'ws' | 'ev'>
  read: AppStateReader['read']
  versionOf(collection: WAPatchName): Promise<number | undefined>
  settled(): Promise<void>
  /** Whether the network should deliver a notice again after its handling failed. Each call counts as an attempt. */
  isWorthAnother(notice: string): boolean
  again(notice: BinaryNode): void
  log: Pick<Logger, 'info'>
}

export interface ServerSync {
  /**
   * Resolves with `later` if the notice could not be processed yet and must not be confirmed. Rejects if the data is
   * not on disk.
   */
  follow(notice: BinaryNode): Promise<'later' | undefined>
}

/**
 * Maximum number of failed notices that are handled again when a key arrives. Each needs little memory, because it
 * consists of a few names of collections.
 */
const MAX_WAITING = 100

export function createServerSync(deps: ServerSyncDeps): ServerSync {
  const { sock, read: readCollections, versionOf, settled, isWorthAnother, again, log } = deps
  const waiting: BinaryNode[] = []

  async function behind(notice: BinaryNode): Promise<WAPatchName[]> {
    const found: WAPatchName[] = []
    for (const { name, version } of collectionsIn(notice)) {
      const known = await versionOf(name as WAPatchName)
      if (known === undefined || version === null || !(known >= version)) found.push(name as WAPatchName)
    }
    return found
  }

  /**
   * Reads the collections of a notice. If the notice has the version of each, rejects if one is still older: its key is
   * missing, or it cannot be read.
   */
  async function read(notice: BinaryNode) {
    const names = await behind(notice)
    if (names.length === 0) return
    await readCollections(names)
    const left = await behind(notice)
    const isNumbered = collectionsIn(notice).every(({ version }) => version !== null)
    if (isNumbered && left.length > 0) throw new Error(`app state could not be read: ${left.join(', ')}`)
  }

  sock.ev.on('creds.update', ({ myAppStateKeyId }) => {
    if (myAppStateKeyId) for (const notice of waiting.splice(0)) again(notice)
  })

  return {
    async follow(notice) {
      try {
        await read(notice)
      } catch (error) {
        escalateTrap(error)
        if (!sock.ws.isOpen) return 'later'
        log.info({ err: error }, 'an app state change could not be applied')
        if (isWorthAnother(idOf(notice))) {
          if (waiting.length < MAX_WAITING) waiting.push(notice)
          return 'later'
        }
      }
      await settled()
      return undefined
    },
  }
}
