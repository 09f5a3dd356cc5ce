/** Sends commands to the engines of other services, and knows whether one may have been carried out. */
import type { IncomingMessage } from 'node:http'
import { type Agent, request as ask } from 'node:https'
import { bodyReader } from '../../body-reader.ts'
import { MINUTE, SECOND } from '../../domain/clock.ts'
import { Failure } from '../../domain/failures.ts'
import type { ActiveService } from '../forward-rules.ts'
import { LINK_ACTIVE, LINK_ELSEWHERE, LINK_ENGINE } from '../link-headers.ts'
import { whenConnected } from '../when-connected.ts'
import { endWith } from './end-with.ts'
import { type Packed, pack, unpack } from './packed.ts'
import { CALL_PATH, type PeerCommand, type PeerResult, resultOf } from './peer-command.ts'
import { createPlaces, type Places } from './places.ts'

/**
 * `answered`: the command was carried out, also if it failed. `unknown`: the connection was lost after it was sent. In all
 * other cases nothing of it was carried out. `unsent`: there was no connection. `busy`: too many others wait. `elsewhere`:
 * the other service has not the instance, or stops.
 */
export type CallEnding = { is: 'answered'; result: PeerResult } | { is: 'unsent' | 'busy' | 'elsewhere' | 'unknown' }

export interface EngineCaller {
  /** Rejects with the failure `internal` if the command is no plain data, and otherwise never. */
  send(to: ActiveService, command: PeerCommand): Promise<CallEnding>
  /** Ends all commands that wait for an answer of this service. */
  endAllAt(id: string): void
  close(): void
}

/** Commands at a time to one service, each on its own connection. */
const PLACES = { first: 32, most: 256, growEveryMs: 250, mostWaiting: 4_000 }
const PLACE_WAIT = 10 * SECOND
/** Milliseconds for a connection. A service that is lost is noticed earlier (`event-reader.ts`). */
const CONNECT = 5 * SECOND
/**
 * Milliseconds for an answer, which is more than a call may take in a thread. A start has no such limit, because it may
 * wait for others; it ends when the other service is lost.
 */
const CALL_LIMIT = MINUTE + 10 * SECOND

export function createEngineCaller(agent: Agent): EngineCaller {
  const places = new Map<string, Places>()
  const underWay = new Map<string, Set<() => void>>()
  let isClosed = false

  function placesAt(id: string): Places {
    const known = places.get(id) ?? createPlaces(PLACES)
    places.set(id, known)
    return known
  }

  async function send(to: ActiveService, command: PeerCommand): Promise<CallEnding> {
    const { pieces, size } = packed(command)
    const giveBack = await placesAt(to.id).take(PLACE_WAIT)
    if (giveBack === undefined) return { is: 'busy' }
    if (isClosed) {
      giveBack()
      return { is: 'unsent' }
    }
    const ends = underWay.get(to.id) ?? new Set()
    underWay.set(to.id, ends)
    const limitMs = command.type === 'start' ? undefined : CALL_LIMIT
    try {
      return await exchange(to, { agent, pieces, size, limitMs, ends })
    } finally {
      // The agent gets the connection back a little after the answer; the next command would otherwise open another one.
      setImmediate(giveBack)
    }
  }

  return {
    send,
    endAllAt(id) {
      for (const end of underWay.get(id) ?? []) end()
      underWay.delete(id)
      places.delete(id)
    },
    close() {
      isClosed = true
      for (const ends of underWay.values()) for (const end of ends) end()
      underWay.clear()
    },
  }
}

function packed(command: PeerCommand): Packed {
  try {
    return pack(command)
  } catch (cause) {
    throw new Failure('internal', { cause })
  }
}

interface Exchange {
  agent: Agent
  pieces: readonly Uint8Array[]
  size: number
  limitMs: number | undefined
  /** Functions that end a command early. */
  ends: Set<() => void>
}

const exchange = ({ id, host, port }: ActiveService, { agent, pieces, size, limitMs, ends }: Exchange): Promise<CallEnding> =>
  new Promise((resolve) => {
    const headers = { [LINK_ACTIVE]: id, [LINK_ENGINE]: '1', 'content-length': size }
    const request = ask({ host, port, agent, method: 'POST', path: CALL_PATH, headers })
    let isSent = false
    let isOver = false
    const connecting = setTimeout(stop, CONNECT)
    let answering: NodeJS.Timeout | undefined
    function end(ending: CallEnding) {
      isOver = true
      clearTimeout(connecting)
      clearTimeout(answering)
      ends.delete(stop)
      resolve(ending)
    }
    const lose = () => end({ is: isSent ? 'unknown' : 'unsent' })
    function stop() {
      lose()
      request.destroy()
    }
    ends.add(stop)
    whenConnected(request, () => {
      if (isOver) return
      isSent = true
      clearTimeout(connecting)
      if (limitMs !== undefined) answering = setTimeout(stop, limitMs)
      endWith(request, pieces).catch(() => request.destroy())
    })
    request.on('error', lose)
    request.once('response', (response) => {
      response.on('error', lose)
      if (response.headers[LINK_ELSEWHERE] !== undefined) {
        response.resume()
        // The other service does not read the rest of a command that is not for it.
        if (!request.writableFinished) request.destroy()
        return end({ is: 'elsewhere' })
      }
      resultIn(response).then(
        (result) => end({ is: 'answered', result }),
        () => stop(),
      )
    })
  })

async function resultIn(response: IncomingMessage): Promise<PeerResult> {
  if (response.statusCode !== 200) throw new Error(`The other service answered ${response.statusCode}.`)
  return resultOf(await unpack(bodyReader(response)))
}
