/** Sends commands to the engines of other services, and knows whether a command may have been carried out. */
import type { IncomingMessage } from 'node:http'
import { type Agent, request as ask } from 'node:https'
import { bodyReader } from '../../body-reader.ts'
import { MINUTE, SECOND } from '../../domain/clock.ts'
import type { ActiveService } from '../forward-rules.ts'
import { LEAVING, LINK_ACTIVE, LINK_ELSEWHERE, LINK_ENGINE } from '../link-headers.ts'
import { whenConnected } from '../when-connected.ts'
import { type AnswerRoom, createAnswerRoom } from './answer-room.ts'
import { endWith } from './end-with.ts'
import { type Packed, unpack } from './packed.ts'
import { CALL_PATH, LARGE_BUDGET, type PeerCommand, type PeerResult, resultOf } from './peer-command.ts'
import { createPlaces, type Places } from './places.ts'

/**
 * How the sending of a command has ended. Only after `answered` and `unknown` may it have been carried out.
 *
 * - `answered`: the other service has sent a result (`PeerResult`).
 * - `unknown`: the connection was lost after the whole command was sent.
 * - `unsent`: the command was not sent completely, for example because there was no connection.
 * - `busy`: too many other commands wait, or the command got no place in time.
 * - `elsewhere`: the other service does not have the instance, or stops (`isLeaving`).
 */
export type CallEnding =
  | { is: 'answered'; result: PeerResult }
  | { is: 'unsent' | 'busy' | 'unknown' }
  | { is: 'elsewhere'; isLeaving: boolean }

export interface Sending {
  type: PeerCommand['type']
  instance: string
  packed: Packed
  /** Milliseconds within which the command must have a place and a connection. */
  withinMs: number
  /** Called before the command gets its connection. If it throws, nothing is sent, and `send` rejects. */
  check(): void
  /** Ends the command if it is aborted, as `unsent` or `unknown`. */
  signal: AbortSignal | undefined
}

export interface EngineCaller {
  /** Sends a command. Rejects only with what `check` throws. */
  send(to: ActiveService, sending: Sending): Promise<CallEnding>
  /** Ends all commands to this service, and its connections. */
  endAllAt(id: string): void
  close(): void
}

/**
 * Limits for simultaneous calls to one service. Each call has its own connection. The key of a call is its instance.
 */
const PLACES = { first: 32, most: 256, growEveryMs: 250, mostWaiting: 4_000, mostOfKey: 32, mostWaitingOfKey: 500 }
/** Milliseconds within which a connection must be made. */
const CONNECT = 5 * SECOND
/** Milliseconds within which the other service must take the whole command. */
const UPLOAD = 2 * MINUTE
/**
 * Milliseconds within which an answer must arrive, by type. A stop that erases an instance may first start it, to log
 * it out. A start waits for its turn behind other starts.
 */
const ANSWER: Readonly<Record<PeerCommand['type'], number>> = {
  call: MINUTE + 10 * SECOND,
  stop: 2 * MINUTE + 10 * SECOND,
  start: 10 * MINUTE,
}

interface Line {
  agent: Agent
  places: Places
  /** Functions that end a command early. */
  ends: Set<() => void>
  /** Whether the service was lost. A command that still waited at that time is not sent. */
  isLost: boolean
}

/** Creates the caller. Each other service gets an agent of its own, whose connections end with `endAllAt`. */
export function createEngineCaller(newAgent: () => Agent): EngineCaller {
  const lines = new Map<string, Line>()
  const room = createAnswerRoom(LARGE_BUDGET)
  let isClosed = false

  function lineTo(id: string): Line {
    const known = lines.get(id) ?? { agent: newAgent(), places: createPlaces(PLACES), ends: new Set(), isLost: false }
    lines.set(id, known)
    return known
  }

  async function send(to: ActiveService, sending: Sending): Promise<CallEnding> {
    const begun = performance.now()
    const line = lineTo(to.id)
    const isStale = () => isClosed || sending.signal?.aborted === true || line.isLost
    if (isStale()) return { is: 'unsent' }
    // A stop does not wait for the calls of its instance, which it may have to end.
    const isCall = sending.type === 'call'
    const giveBack = isCall ? await line.places.take(sending.instance, sending.withinMs, sending.signal) : () => {}
    if (giveBack === undefined) return { is: isStale() ? 'unsent' : 'busy' }
    try {
      if (isStale()) return { is: 'unsent' }
      sending.check()
      return await exchange(to, line, room, { ...sending, withinMs: sending.withinMs - (performance.now() - begun) })
    } finally {
      // The agent gets the connection back a little after the answer. If the place became free earlier, the next
      // command would open another connection.
      setImmediate(giveBack)
    }
  }

  function endLine({ agent, places, ends }: Line) {
    places.endWaits()
    for (const end of ends) end()
    agent.destroy()
  }

  return {
    send,
    endAllAt(id) {
      const line = lines.get(id)
      if (line === undefined) return
      lines.delete(id)
      line.isLost = true
      endLine(line)
    },
    close() {
      isClosed = true
      for (const line of lines.values()) endLine(line)
    },
  }
}

const exchange = (
  { id, host, port }: ActiveService,
  { agent, ends }: Line,
  room: AnswerRoom,
  { type, packed: { pieces, size }, withinMs, signal }: Sending,
): Promise<CallEnding> =>
  new Promise((resolve) => {
    const headers = { [LINK_ACTIVE]: id, [LINK_ENGINE]: '1', 'content-length': size }
    const request = ask({ host, port, agent, method: 'POST', path: CALL_PATH, headers })
    /** True if the last piece of the command was sent. Without this piece, the other service carries out nothing. */
    let isSent = false
    let isOver = false
    let limit = setTimeout(stop, Math.max(1, Math.min(CONNECT, withinMs)))
    function end(ending: CallEnding) {
      if (isOver) return
      isOver = true
      clearTimeout(limit)
      ends.delete(stop)
      signal?.removeEventListener('abort', stop)
      // The other service does not read the rest of a command that it has refused.
      if (!request.writableFinished) request.destroy()
      resolve(ending)
    }
    const lose = () => end({ is: isSent ? 'unknown' : 'unsent' })
    function stop() {
      lose()
      request.destroy()
    }
    ends.add(stop)
    signal?.addEventListener('abort', stop)
    const setLimit = (ms: number) => {
      clearTimeout(limit)
      if (!isOver) limit = setTimeout(stop, ms)
    }
    whenConnected(request, () => {
      if (isOver) return
      setLimit(UPLOAD)
      const onLast = () => {
        isSent = true
        setLimit(ANSWER[type])
      }
      endWith(request, pieces, onLast).catch(() => request.destroy())
    })
    request.on('error', lose)
    request.once('response', (response) => {
      response.on('error', lose)
      const elsewhere = response.headers[LINK_ELSEWHERE]
      if (elsewhere !== undefined) {
        response.resume()
        return end({ is: 'elsewhere', isLeaving: elsewhere === LEAVING })
      }
      resultIn(response, room).then((result) => end({ is: 'answered', result }), stop)
    })
  })

async function resultIn(response: IncomingMessage, room: AnswerRoom): Promise<PeerResult> {
  if (response.statusCode !== 200) throw new Error(`The other service answered ${response.statusCode}.`)
  // The reader must exist while the answer waits for room, so that it notices if the connection ends.
  const body = bodyReader(response)
  const { entered, leave } = room.enter(Number(response.headers['content-length'] ?? LARGE_BUDGET))
  try {
    await entered
    return resultOf(await unpack(body))
  } finally {
    leave()
  }
}
