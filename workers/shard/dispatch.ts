/** What main asks of an instance by an operation's name: each kind of twin is run with what its kind is given. */
import { Failure } from '../../src/domain/failures.ts'
import type { InstanceConfig, RuntimeState, Status } from '../../src/domain/instance.ts'
import { runAs } from './baileys/rejections.ts'
import type { Recent } from './chats/recent.ts'
import type { Pairing } from './connection/pairing.ts'
import type { Session } from './connection/session.ts'
import type { StatusKeeper } from './lifecycle/status.ts'
import { operations } from './operations/index.ts'
import type { ControlContext } from './operations/types.ts'
import type { SendingLine } from './send/outgoing.ts'

export interface OperationCallDeps {
  instance: string
  line: SendingLine
  status: StatusKeeper
  pairing: Pairing
  recent: Recent
  config(): InstanceConfig
  session(): Session | null
}

export type CallOperation = (operation: string, input: unknown, idempotencyKey?: string) => Promise<unknown>

export function createOperationCalls(deps: OperationCallDeps): CallOperation {
  const { instance, line, status, pairing, recent } = deps

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

  return async (operation, input, idempotencyKey) => {
    const twin = operations.get(operation)
    if (!twin) throw new Failure('not_found')
    switch (twin.kind) {
      case 'send':
        return line.enqueue(operation, input as Record<string, unknown>, idempotencyKey)
      case 'action':
        return runAs(instance, () => twin.run({ session: connected(), recent, state: status.state }, input as never))
      case 'control':
        return runAs(instance, () => twin.run(control, input as never))
      default:
        return twin satisfies never
    }
  }
}

const isComingUp = (status: Status) => status === 'starting' || status === 'connecting'
