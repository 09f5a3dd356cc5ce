/**
 * Ends an attempt to connect that fails without an event: the server answers the upgrade with an ordinary HTTP
 * response, or the login is not answered in time.
 */
import type { ClientRequest, IncomingMessage } from 'node:http'
import { SECOND } from '../../../src/domain/clock.ts'
import { endReason } from './end-reason.ts'
import type { NetworkSocket } from './network-socket.ts'

/** Default time limit in ms from the attempt to the call of `answered`. */
const LOGIN_DEADLINE = 20 * SECOND

/**
 * Status code of both failures (an HTTP response, or no answer to the login), as for a lost connection. `data.watchdog`
 * shows which of them it was.
 */
const LOST = 408

export interface Watchdog {
  /** Stops the watchdog. Called when the server has accepted the login, offered a pairing, or sent a `<failure>`. */
  answered(): void
}

export function watchConnection(
  sock: Pick<NetworkSocket, 'ws' | 'ev' | 'end'>,
  { deadlineMs = LOGIN_DEADLINE, onError }: { deadlineMs?: number; onError: (error: unknown) => void },
): Watchdog {
  const { ws } = sock
  const timer = setTimeout(() => {
    finish(endReason('No answer to the login', LOST, { watchdog: 'no_success' }))
  }, deadlineMs)

  function stop(): void {
    clearTimeout(timer)
    ws.off('unexpected-response', onHttp)
    sock.ev.off('connection.update', onUpdate)
  }

  function finish(reason: Error): void {
    stop()
    sock.end(reason, 'abrupt').catch(onError)
  }

  function onHttp(request: ClientRequest, response: IncomingMessage): void {
    const status = response.statusCode ?? 0
    finish(endReason(`HTTP ${status} in place of the connection`, LOST, { watchdog: 'http', status }))
    response.resume()
    request.destroy()
  }

  function onUpdate({ connection }: { connection?: string }): void {
    if (connection === 'close') stop()
  }

  ws.on('unexpected-response', onHttp)
  sock.ev.on('connection.update', onUpdate)
  return { answered: stop }
}
