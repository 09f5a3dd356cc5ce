/** What main asks of an instance: the handler of the operation is run with what its kind is given. */
import type { Logger } from 'pino'
import type { Call } from '../../src/domain/call.ts'
import { Failure } from '../../src/domain/failures.ts'
import type { InstanceConfig, RuntimeState, Status } from '../../src/domain/instance.ts'
import { runAs } from './baileys/thread/rejections.ts'
import type { Recent } from './chats/recent.ts'
import type { Session } from './chats/session.ts'
import { createAsk } from './connection/ask.ts'
import type { Pairing } from './connection/pairing/pairing.ts'
import type { StatusKeeper } from './lifecycle/status.ts'
import { handlerOf } from './operations/index.ts'
import type { ControlContext } from './operations/types.ts'
import type { SendingLine } from './send/outgoing.ts'

export interface DispatchDeps {
  instance: string
  log: Logger
  line: SendingLine
  status: StatusKeeper
  pairing: Pairing
  recent: Recent
  config(): InstanceConfig
  session(): Session | null
}

export type Dispatch = (call: Call, idempotencyKey?: string) => Promise<unknown>

export function createDispatch(deps: DispatchDeps): Dispatch {
  const { instance, log, line, status, pairing, recent } = deps

  const control: ControlContext = {
    get config() {
      return deps.config()
    },
    get state() {
      return status.state
    },
    get session() {
      return deps.session()
    },
    queue: line.queue,
    pairing,
    request: (what) => (what === 'restartRequested' ? restart() : status.tell({ type: what })),
  }

  let restarting: Promise<RuntimeState> | null = null
  /** At most one at a time: whoever asks meanwhile joins it. */
  function restart(): Promise<RuntimeState> {
    restarting ??= status.tell({ type: 'restartRequested' }).finally(() => {
      restarting = null
    })
    return restarting
  }

  /** shared/api/states.md, "What each state answers". */
  function connected(): Session {
    const session = deps.session()
    if (status.state.status === 'connected' && session?.isOpen) return session
    throw new Failure(isComingUp(status.state.status) ? 'instance_starting' : 'instance_not_connected')
  }

  async function act({ operation, input, ...rest }: Extract<Call, { kind: 'action' }>): Promise<unknown> {
    const handler = handlerOf('action', operation)
    if (!handler) throw new Failure('not_found')
    const session = connected()
    const ask = createAsk(session, rest)
    return handler({ ask, session, recent, state: status.state, log, enqueue: line.enqueue }, input as never)
  }

  async function controlled({ operation, input }: Extract<Call, { kind: 'control' }>): Promise<unknown> {
    const handler = handlerOf('control', operation)
    if (!handler) throw new Failure('not_found')
    return handler(control, input as never)
  }

  return async (call, idempotencyKey) => {
    switch (call.kind) {
      case 'send':
        return line.enqueue(call, idempotencyKey)
      case 'action':
        return runAs(instance, () => act(call))
      case 'control':
        return runAs(instance, () => controlled(call))
      default:
        return call satisfies never
    }
  }
}

const isComingUp = (status: Status) => status === 'starting' || status === 'connecting'
