/**
 * The network's notice that a collection of app state has a newer version. The library reads the first collection it names, and confirms it
 * whatever became of that, before anything it read is on disk (Socket/messages-recv.js, `server_sync`); and it never reads app state again
 * at a login. So the notice is taken away from it: all that it names is read, and it is confirmed when that is on disk. Until then the
 * network keeps it, and the next login reads what this one could not.
 */
import { type BinaryNode, getBinaryNodeChildren, type WAPatchName, type WASocket } from '@whiskeysockets/baileys'
import { buildAckStanza } from '@whiskeysockets/baileys/lib/Utils/stanza-ack.js'
import { asError } from './rejections.ts'
import { escalateTrap } from './trap.ts'

export interface ServerSyncDeps {
  /** The version a collection was read to, undefined for none. */
  versionOf(collection: WAPatchName): Promise<number | undefined>
  /** What was read is on disk. */
  settled(): Promise<void>
  /** Whether a notice that could not be followed is to come again. Counts. */
  isWorthAnother(notice: string): boolean
  onError(error: Error): void
}

type SyncSocket = Pick<WASocket, 'ws' | 'sendNode' | 'resyncAppState'>

/** At once after the socket was made, before `watchLiveness`, which counts what is sent on behalf of a stanza. */
export function takeServerSync(sock: SyncSocket, { versionOf, settled, isWorthAnother, onError }: ServerSyncDeps): void {
  const { ws } = sock
  const listeners = ws.listeners('CB:notification')
  ws.removeAllListeners('CB:notification')
  let line: Promise<void> = Promise.resolve()

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
  async function follow(notice: BinaryNode) {
    const names = await behind(notice)
    if (names.length === 0) return
    await sock.resyncAppState(names, false)
    const left = await behind(notice)
    const isNumbered = getBinaryNodeChildren(notice, 'collection').every(({ attrs }) => attrs.version !== undefined)
    if (isNumbered && left.length > 0) throw new Error(`app state could not be read: ${left.join(', ')}`)
  }

  async function take(notice: BinaryNode) {
    // What an ended connection left in line comes again on the next.
    if (!ws.isOpen) return
    try {
      await follow(notice)
    } catch (thrown) {
      escalateTrap(thrown)
      if (!ws.isOpen) return
      onError(asError(thrown))
      if (isWorthAnother(notice.attrs.id ?? '')) return
    }
    await settled()
    if (ws.isOpen) await sock.sendNode(buildAckStanza(notice))
  }

  ws.on('CB:notification', (node: BinaryNode) => {
    if (node.attrs.type !== 'server_sync') {
      for (const listener of listeners) Reflect.apply(listener, ws, [node])
      return
    }
    line = line.then(() => take(node)).catch((error) => onError(asError(error)))
  })
}
