/**
 * The network's notice that a collection of app state has a newer version. The library reads the first collection it names, and confirms it
 * whatever became of that, before anything it read is on disk; and it never reads app state again at a login. Here all that a notice names is
 * read, and it is confirmed when that is on disk. Until then the network keeps it: what this login cannot read is tried again when the phone
 * shares a key, and at the next login.
 */
import type { BinaryNode, WAPatchName, WASocket } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { escalateTrap } from '../baileys/thread/trap.ts'
import { collectionsIn } from '../wire/account-notices.ts'
import { idOf } from '../wire/envelope.ts'
import type { AppStateReader } from './reading.ts'

export interface ServerSyncDeps {
  sock: Pick<WASocket, 'ws' | 'ev'>
  read: AppStateReader['read']
  /** The version a collection was read to, undefined for none. */
  versionOf(collection: WAPatchName): Promise<number | undefined>
  /** Everything read until now is on disk. */
  settled(): Promise<void>
  /** Whether a notice that could not be followed is to come again. Counts. */
  isWorthAnother(notice: string): boolean
  /** Takes a notice anew. */
  again(notice: BinaryNode): void
  log: Pick<Logger, 'info'>
}

export interface ServerSync {
  /** `later`: it could not be followed yet, and must not be confirmed. Rejects when what was read is not on disk. */
  follow(notice: BinaryNode): Promise<'later' | undefined>
}

/** Notices that wait for a key; each is a few names. */
const MAX_WAITING = 100

export function createServerSync(deps: ServerSyncDeps): ServerSync {
  const { sock, read: readCollections, versionOf, settled, isWorthAnother, again, log } = deps
  const waiting: BinaryNode[] = []

  /** Collections with a version below that of the notice. One without a version is always read. */
  async function behind(notice: BinaryNode): Promise<WAPatchName[]> {
    const found: WAPatchName[] = []
    for (const { name, version } of collectionsIn(notice)) {
      const known = await versionOf(name as WAPatchName)
      if (known === undefined || version === null || !(known >= version)) found.push(name as WAPatchName)
    }
    return found
  }

  /** Rejects for what is still behind: its key has not come yet, or it cannot be read. */
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
