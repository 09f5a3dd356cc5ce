/**
 * The engine of this service for the other services of its store, at the port of the link. Commands are carried out only
 * for instances that this service has, and are never passed on again.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import * as v from 'valibot'
import { bodyReader } from '../../body-reader.ts'
import { Failure } from '../../domain/failures.ts'
import type { Log } from '../../domain/log.ts'
import type { CallOf, Engine, OperationId } from '../../engine/engine.ts'
import { createBodyBudget } from '../../http/body-budget.ts'
import { LINK_ELSEWHERE } from '../link-headers.ts'
import { endWith } from './end-with.ts'
import type { EventBoard } from './event-board.ts'
import { pack, unpack } from './packed.ts'
import { AFTER, CALL_PATH, EVENTS_PATH, instanceOf, PeerCommand, type PeerResult } from './peer-command.ts'

export interface EnginePortDeps {
  local: Pick<Engine, 'start' | 'stop' | 'call'>
  board: EventBoard
  isHere(instance: string): boolean
  log: Pick<Log, 'error' | 'warn'>
}

const MISDIRECTED = 421

export function createEnginePort({ local, board, isHere, log }: EnginePortDeps): RequestListener {
  const budget = createBodyBudget()

  async function carryOut(command: PeerCommand): Promise<unknown> {
    if (command.type === 'start') return local.start(command.config, command.how)
    if (command.type === 'stop') return local.stop(command.instance, command.how)
    return local.call(command.instance, command.call as CallOf<OperationId>, command.origin)
  }

  async function resultOf(command: PeerCommand): Promise<PeerResult> {
    try {
      return { is: 'done', value: await carryOut(command) }
    } catch (error) {
      if (!(error instanceof Failure)) log.error({ err: error }, 'a command of another service failed')
      return { is: 'failed', failure: (error instanceof Failure ? error : new Failure('internal')).toData() }
    }
  }

  async function answerCall(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const lease = budget.lease(incoming.socket.remoteAddress ?? '')
    try {
      let command: PeerCommand
      try {
        command = v.parse(PeerCommand, await unpack(bodyReader(incoming), lease.hold))
      } catch (error) {
        // The memory for bodies is in use, or the other service has another release.
        const failure = error instanceof Failure ? error : new Failure('internal')
        if (failure !== error) log.error({ err: error }, 'another service sent a command that this one does not know')
        await send(outgoing, { is: 'failed', failure: failure.toData() })
        incoming.removeAllListeners('data')
        incoming.resume()
        return
      }
      if (!isHere(instanceOf(command))) {
        outgoing.writeHead(MISDIRECTED, { [LINK_ELSEWHERE]: '1' }).end()
        return
      }
      await send(outgoing, await resultOf(command))
    } finally {
      lease.release()
    }
  }

  return (incoming, outgoing) => {
    const [pathname, query] = (incoming.url ?? '').split('?')
    if (pathname === CALL_PATH && incoming.method === 'POST') {
      answerCall(incoming, outgoing).catch((error) => {
        log.warn({ err: error }, 'another service has left before the answer to its command')
        outgoing.destroy()
      })
      return
    }
    if (pathname !== EVENTS_PATH || incoming.method !== 'GET') return void outgoing.writeHead(404).end()
    const after = new URLSearchParams(query).get(AFTER)
    outgoing.writeHead(200, { 'Content-Type': 'application/x-ndjson' })
    board.stream(outgoing, after === null ? undefined : Number(after))
  }
}

async function send(outgoing: ServerResponse, result: PeerResult): Promise<void> {
  const { pieces, size } = packed(result)
  // The rest of a command that was not read must not count as the next request.
  const isWhole = outgoing.req.complete
  outgoing.writeHead(200, { 'Content-Length': size, ...(isWhole ? {} : { Connection: 'close' }) })
  await endWith(outgoing, pieces)
}

/** A result that is no plain data could not leave its thread, so this is a fault of this service. */
function packed(result: PeerResult) {
  try {
    return pack(result)
  } catch (cause) {
    return pack({ is: 'failed', failure: new Failure('internal', { cause }).toData() } satisfies PeerResult)
  }
}
