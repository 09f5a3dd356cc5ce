/**
 * The network's notice that a collection of app state has a newer version. The library reads the first collection it names, and confirms it
 * whatever became of that, before anything it read is on disk; and it never reads app state again at a login. Here all that a notice names is
 * read, and it is confirmed when that is on disk. Until then the network keeps it: what this login cannot read is tried again when the phone
 * shares a key, and at the next login.
 */
import { type BinaryNode, getBinaryNodeChildren, type WAPatchName, type WASocket } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { escalateTrap } from '../baileys/thread/trap.ts'

export interface ServerSyncDeps {
  sock: Pick<WASocket, 'ws' | 'ev' | 'resyncAppState'>
  /** The version a collection was read to, undefined for none. */
  versionOf(collection: WAPatchName): Promise<number | undefined>
  /** What was read is on disk. */
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
  const { sock, versionOf, settled, isWorthAnother, again, log } = deps
  const waiting: BinaryNode[] = []

  /** Those that are behind what the notice says. One that names no version is read anyway. */
  async function behind(notice: BinaryNode): Promise<WAPatchName[]> {
    const found: WAPatchName[] = []
    for (const { attrs } of getBinaryNodeChildren(notice, 'collection')) {
      const name = attrs.name as WAPatchName
      const known = await versionOf(name)
      if (known === undefined || !(known >= Number(attrs.version))) found.push(name)
    }
    return found
  }

  /** Rejects for what is still behind: its key has not come yet, or it cannot be read. */
  async function read(notice: BinaryNode) {
    const names = await behind(notice)
    if (names.length === 0) return
    await sock.resyncAppState(names, false)
    const left = await behind(notice)
    const isNumbered = getBinaryNodeChildren(notice, 'collection').every(({ attrs }) => attrs.version !== undefined)
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
        log.info({ err: error }, 'a change of app state could not be followed')
        if (isWorthAnother(notice.attrs.id ?? '')) {
          if (waiting.length < MAX_WAITING) waiting.push(notice)
          return 'later'
        }
      }
      await settled()
      return undefined
    },
  }
}
