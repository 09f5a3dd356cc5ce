/** Reads the events of another service until `stop` is called, and connects again whenever the connection is lost. */
import type { IncomingMessage } from 'node:http'
import { type Agent, request as ask } from 'node:https'
import { createInterface } from 'node:readline'
import { SECOND } from '../../domain/clock.ts'
import type { Log } from '../../domain/log.ts'
import type { ActiveService } from '../forward-rules.ts'
import { LINK_ACTIVE, LINK_ENGINE } from '../link-headers.ts'
import { type EventLine, lineIn } from './event-line.ts'
import { AFTER, EVENTS_PATH } from './peer-command.ts'

export interface EventReaderDeps {
  peer: ActiveService
  agent: Agent
  /** Number of the last outcome that an earlier reader of this service has seen. */
  after: number | undefined
  /** Milliseconds without a line after which the service counts as lost. */
  lostAfterMs: number
  log: Pick<Log, 'warn'>
  onLine(line: EventLine): void
  /** Called when the service is lost. It counts as reachable again at its next line. */
  onLost(): void
}

export interface EventReader {
  /** Ends the reading. Returns the number of the last outcome that was read. */
  stop(): number | undefined
}

const FIRST_PAUSE = 100
const LAST_PAUSE = 2 * SECOND
/** Milliseconds without a line after which this reader connects again. A service writes a line each second. */
const SILENCE = 3 * SECOND
const LATE = 500

export function readEvents({ peer, agent, after: seen, lostAfterMs, log, onLine, onLost }: EventReaderDeps): EventReader {
  const { id, host, port } = peer
  let after = seen
  let failures = 0
  let isStopped = false
  let isLost = false
  let end = () => {}
  let next: NodeJS.Timeout | undefined
  let losing = loseIn(lostAfterMs)

  function loseIn(ms: number): NodeJS.Timeout {
    const due = performance.now() + ms
    return setTimeout(() => {
      // If the timer is late, this thread was busy, so lines may have arrived that it has not read.
      if (performance.now() - due > LATE) losing = loseIn(SECOND)
      else lose()
    }, ms)
  }

  function lose() {
    if (isLost || isStopped) return
    isLost = true
    log.warn({ host, port }, 'another service cannot be reached, so the states of its instances are not known')
    onLost()
  }

  function take(line: EventLine) {
    failures = 0
    isLost = false
    clearTimeout(losing)
    losing = loseIn(lostAfterMs)
    after = line.last ?? after
    onLine(line)
  }

  function connect() {
    const path = after === undefined ? EVENTS_PATH : `${EVENTS_PATH}?${AFTER}=${after}`
    const request = ask({ host, port, agent, path, headers: { [LINK_ACTIVE]: id, [LINK_ENGINE]: '1' } })
    let isOver = false
    let silent = setTimeout(over, SILENCE)
    function over() {
      if (isOver) return
      isOver = true
      clearTimeout(silent)
      request.destroy()
      if (isStopped) return
      next = setTimeout(connect, Math.min(LAST_PAUSE, FIRST_PAUSE * 2 ** failures++))
    }
    end = over
    request.on('error', over)
    request.once('response', (response: IncomingMessage) => {
      response.on('error', over).once('close', over)
      // The service stops, or another service has its address now.
      if (response.statusCode !== 200) return over()
      const lines = createInterface({ input: response, crlfDelay: Number.POSITIVE_INFINITY })
      // The `readline` interface emits the errors of the response again.
      lines.on('error', over)
      lines.on('line', (text) => {
        if (isOver) return
        clearTimeout(silent)
        silent = setTimeout(over, SILENCE)
        const line = lineIn(text)
        if (line === undefined) over()
        else take(line)
      })
    })
    request.end()
  }
  connect()

  return {
    stop() {
      isStopped = true
      clearTimeout(losing)
      clearTimeout(next)
      end()
      return after
    },
  }
}
