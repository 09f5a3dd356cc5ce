/**
 * Reports the events of a socket to the instance. After the socket has ended, only a pairing and the end itself are
 * reported.
 */
import type { NetworkSocket } from '../../network/network-socket.ts'
import type { ConnectionDeps } from '../contract.ts'
import { closedBy } from '../disconnect.ts'

/** State of a connection, changed only in `connection.ts` and in this file. */
export interface Phase {
  isOpen: boolean
  hasEnded: boolean
  /** Whether the end was intended. An intended close is not reported as a loss of the connection. */
  isLeaving: boolean
}

export interface SocketReportsDeps extends Pick<ConnectionDeps, 'events' | 'save' | 'settled'> {
  sock: Pick<NetworkSocket, 'ws' | 'ev'>
  phase: Phase
  onLinked(): void
  onOpen(): void
  onEnd(): void
  /** Logs an error for which no caller waits. */
  stray(error: unknown): void
}

export function reportSocket({ sock, phase, events, save, settled, onLinked, onOpen, onEnd, stray }: SocketReportsDeps): void {
  function opened() {
    phase.isOpen = true
    onOpen()
    settled().then(() => (phase.hasEnded ? undefined : events.opened()), stray)
  }

  function linked() {
    onLinked()
    // The network closes the socket right after the pairing, often before the credentials are saved. The pairing is
    // reported even then, unless the session was ended on purpose.
    settled().then(() => (phase.isLeaving ? undefined : events.paired()), stray)
  }

  function ended(error: Error | undefined) {
    onEnd()
    if (phase.isLeaving) return
    const closed = closedBy(error)
    // The close is reported even if the save has failed. Otherwise the next session would never be opened.
    const notify = () => events.closed(closed)
    settled().then(notify, notify)
  }

  sock.ws.on('open', () => {
    if (!phase.hasEnded) events.socketOpened()
  })
  sock.ev.on('creds.update', (update) => {
    save()
    if (update.me?.name && !phase.hasEnded) events.named(update.me.name)
  })
  sock.ev.on('connection.update', ({ connection, isNewLogin, error }) => {
    if (phase.hasEnded) return
    if (isNewLogin) linked()
    if (connection === 'open') opened()
    if (connection === 'close') ended(error)
  })
}
