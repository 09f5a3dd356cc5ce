/**
 * Carries out commands of the other services of the store, which arrive at the port of the link. It does so only for
 * instances that this service has, and never passes a command on.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import * as v from 'valibot'
import { bodyReader } from '../../body-reader.ts'
import { steadyClock } from '../../domain/clock.ts'
import { Failure } from '../../domain/failures.ts'
import type { Log } from '../../domain/log.ts'
import type { InstanceReading } from '../../domain/readings.ts'
import type { CallerPatience, CallOf, Engine, OperationId } from '../../engine/engine.ts'
import { NotHosted } from '../../engine/unavailable.ts'
import { createBodyBudget } from '../../http/body-budget.ts'
import { Busy } from '../../http/errors.ts'
import { steady } from '../../http/steady-reader.ts'
import { LEAVING, LINK_ELSEWHERE } from '../link-headers.ts'
import { endWith } from './end-with.ts'
import type { EventBoard } from './event-board.ts'
import { pack, unpack } from './packed.ts'
import { AFTER, CALL_PATH, EVENTS_PATH, LARGE_BUDGET, PeerCommand, type PeerResult, READINGS_PATH } from './peer-command.ts'

export interface EnginePortDeps {
  local: Pick<Engine, 'start' | 'stop' | 'call'>
  readings(): Promise<InstanceReading[]>
  board: EventBoard
  /** Whether this service can carry out the command now. */
  takes(command: PeerCommand): boolean
  isClosed(): boolean
  log: Pick<Log, 'error' | 'warn'>
}

const MISDIRECTED = 421

/**
 * Thrown after the wait for a start, because only the service that has sent the call can check the permission of its
 * caller.
 */
const CHECK_AGAIN = new Error('The caller must check its permission again.')

export function createEnginePort({ local, readings, board, takes, isClosed, log }: EnginePortDeps): RequestListener {
  // One command may take half of the budget. That is enough, because the media of a command have at most 48 MB.
  const budget = createBodyBudget(LARGE_BUDGET)
  let commands = 0

  async function carryOut(command: PeerCommand, signal: AbortSignal): Promise<unknown> {
    if (command.type === 'start') return local.start(command.config, command.how)
    if (command.type === 'stop') return local.stop(command.instance, command.how)
    const { instance, call, origin, waits = true, workspace, isChecked = false } = command
    const checkAgain = () => {
      throw CHECK_AGAIN
    }
    const patience: CallerPatience = { waits, workspace, signal, checkAgain: isChecked ? checkAgain : undefined }
    return local.call(instance, call as CallOf<OperationId>, origin, patience)
  }

  /**
   * Carries out the command. Resolves with undefined if the instance was given away while the call waited for its
   * start.
   */
  async function resultOf(command: PeerCommand, signal: AbortSignal): Promise<PeerResult | undefined> {
    try {
      return { is: 'done', value: await carryOut(command, signal) }
    } catch (error) {
      if (error === CHECK_AGAIN) return { is: 'again' }
      if (command.type === 'call' && error instanceof NotHosted) return undefined
      if (!(error instanceof Failure)) log.error({ err: error }, 'a command of another service failed')
      return { is: 'failed', failure: (error instanceof Failure ? error : new Failure('internal')).toData() }
    }
  }

  /**
   * Reads a command. Resolves with `busy` if it arrives too slowly or there is no memory for it, and with `elsewhere`
   * if it cannot be read, for example because a newer release has sent it.
   */
  async function commandIn(
    incoming: IncomingMessage,
    hold: (bytes: number) => void,
  ): Promise<PeerCommand | 'busy' | 'elsewhere'> {
    const arriving = steady(bodyReader(incoming), steadyClock)
    const read = async () => {
      const value = await arriving.read()
      return value === undefined ? { done: true as const, value } : { done: false as const, value }
    }
    try {
      return v.parse(PeerCommand, await unpack({ read }, hold))
    } catch (error) {
      if (error instanceof Busy || (error instanceof Failure && error.code === 'invalid_request')) return 'busy'
      if (!incoming.destroyed) log.warn({ err: error }, 'a command of another service could not be read')
      return 'elsewhere'
    } finally {
      arriving.end()
    }
  }

  async function answerCall(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    // The budget has a limit for each key. All commands of a service have the same address, so each command has its own
    // key.
    const lease = budget.lease(String(commands++))
    const left = new AbortController()
    outgoing.once('close', () => {
      if (!outgoing.writableFinished) left.abort()
    })
    try {
      const command = await commandIn(incoming, lease.hold)
      if (command === 'busy' || command === 'elsewhere') {
        if (command === 'elsewhere') elsewhere(outgoing, false)
        else await send(outgoing, { is: 'busy' })
        incoming.removeAllListeners('data')
        incoming.resume()
        return
      }
      if (isClosed() || !takes(command)) return elsewhere(outgoing, isClosed())
      const result = await resultOf(command, left.signal)
      if (result === undefined) elsewhere(outgoing, isClosed())
      else await send(outgoing, result)
    } finally {
      lease.release()
    }
  }

  async function send(outgoing: ServerResponse, result: PeerResult): Promise<void> {
    const { pieces, size } = packed(result, log)
    // The rest of a command that was not read must not count as the next request.
    const isWhole = outgoing.req.complete
    outgoing.writeHead(200, { 'Content-Length': size, ...(isWhole ? {} : { Connection: 'close' }) })
    await endWith(outgoing, pieces)
  }

  async function answerReadings(outgoing: ServerResponse): Promise<void> {
    const { pieces, size } = pack(await readings())
    outgoing.writeHead(200, { 'Content-Length': size })
    await endWith(outgoing, pieces)
  }

  function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> | void {
    const [pathname, query] = (incoming.url ?? '').split('?')
    const asked = `${incoming.method} ${pathname}`
    if (asked === `POST ${CALL_PATH}`) return answerCall(incoming, outgoing)
    if (isClosed()) return elsewhere(outgoing, true)
    if (asked === `GET ${READINGS_PATH}`) return answerReadings(outgoing)
    if (asked !== `GET ${EVENTS_PATH}`) return void outgoing.writeHead(404).end()
    const after = new URLSearchParams(query).get(AFTER)
    outgoing.writeHead(200, { 'Content-Type': 'application/x-ndjson' })
    board.stream(outgoing, after === null ? undefined : Number(after))
  }

  return (incoming, outgoing) => {
    Promise.resolve(answer(incoming, outgoing)).catch((error) => {
      // If the answer is destroyed, the other service or its caller has left, so nothing is logged.
      if (!outgoing.destroyed) log.warn({ err: error }, 'the answer to another service could not be sent')
      outgoing.destroy()
    })
  }
}

/** If the result is not plain data, the other service gets a failure, although the command was carried out. */
function packed(result: PeerResult, log: EnginePortDeps['log']) {
  try {
    return pack(result)
  } catch (cause) {
    log.error({ err: cause }, 'the result of a command of another service could not be sent; please report it')
    return pack({ is: 'failed', failure: new Failure('internal').toData() } satisfies PeerResult)
  }
}

const elsewhere = (outgoing: ServerResponse, isLeaving: boolean) =>
  void outgoing
    // The rest of a command that was not read must not count as the next request.
    .writeHead(MISDIRECTED, {
      [LINK_ELSEWHERE]: isLeaving ? LEAVING : '1',
      ...(outgoing.req.complete ? {} : { Connection: 'close' }),
    })
    .end()
