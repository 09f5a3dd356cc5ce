import type { Logger } from 'pino'
import type { Call, CallOrigin } from '../../src/domain/call.ts'
import { Failure } from '../../src/domain/failures.ts'
import type { RuntimeState, Status } from '../../src/domain/instance.ts'
import { createKeyedMutex } from '../../src/lib/keyed-mutex.ts'
import { runAs } from './baileys/thread/rejections.ts'
import type { Session } from './chats/session.ts'
import { actionFailure, meaningsOf } from './connection/failures.ts'
import type { Pairing } from './connection/pairing/pairing.ts'
import type { Context } from './context/instance-context.ts'
import type { AccountDirectory } from './directory/account-directory.ts'
import { refuseSend } from './lifecycle/moved.ts'
import type { StatusKeeper } from './lifecycle/status.ts'
import type { ActionFiles } from './media/portrait.ts'
import type { MessageLedger } from './messages/message-ledger.ts'
import { handlerOf } from './operations/index.ts'
import type { ActionContext, ControlContext } from './operations/types.ts'
import type { Sending } from './send/sending.ts'

export interface DispatchDeps {
  sending: Sending
  status: StatusKeeper
  shown(): RuntimeState
  pairing: Pairing
  passkeys: ControlContext['passkeys']
  outbox: ControlContext['outbox']
  messages: ActionContext['messages'] & Pick<MessageLedger, 'timeline'> & ControlContext['messages']
  inbound: ControlContext['inbound']
  directory: AccountDirectory
  files: ActionFiles
  pictureHost: string
  session(): Session | null
  safety: ControlContext['safety']
}

export type Dispatch = (call: Call, origin?: CallOrigin) => Promise<unknown>

export function createDispatch(context: Context<'id' | 'clock' | 'config'> & { log: Logger }, deps: DispatchDeps): Dispatch {
  const { id: instance, log, clock } = context
  const { sending, status, pairing, outbox, messages, directory, files, pictureHost } = deps

  const controlWith = (request: ControlContext['request']): ControlContext => ({
    get config() {
      return context.config()
    },
    get state() {
      return deps.shown()
    },
    get session() {
      return deps.session()
    },
    queue: sending.queue,
    pairing,
    passkeys: deps.passkeys,
    outbox,
    history: status.history,
    timeline: messages.timeline,
    messages,
    inbound: deps.inbound,
    log,
    safety: deps.safety,
    request,
  })
  const control = controlWith((what, isWanted) =>
    what === 'restartRequested' ? restart() : status.handle({ type: what }, isWanted),
  )

  function checkUnpaired() {
    if (deps.shown().paired) throw new Failure('instance_already_connected')
  }
  /**
   * The control for requests that need an account that is not linked. The account may be linked while a request
   * waits, so the state is checked directly before the request is carried out.
   */
  const unpairedControl = controlWith(async (what, isWanted = () => true) => {
    const state = await status.handle({ type: what }, () => !deps.shown().paired && isWanted())
    checkUnpaired()
    return state
  })

  let restarting: Promise<RuntimeState> | null = null
  /** A request that arrives during a restart gets the result of this restart. */
  function restart(): Promise<RuntimeState> {
    restarting ??= status.handle({ type: 'restartRequested' }).finally(() => {
      restarting = null
    })
    return restarting
  }

  /** Returns the session. Without one, throws the failure that callers get in the current state. */
  function connected(): Session {
    const session = deps.session()
    const state = deps.shown()
    if (state.status === 'connected' && session) return session
    throw new Failure(isComingUp(state.status) ? 'instance_starting' : 'instance_not_connected')
  }

  const { run: inTurn } = createKeyedMutex()

  async function act({ operation, input, deadlineMs, notFound }: Extract<Call, { kind: 'action' }>): Promise<unknown> {
    const handler = handlerOf('action', operation)
    if (!handler) throw new Failure('not_found')
    const session = connected()
    const ask = session.asking({
      deadline: { totalMs: deadlineMs },
      toFailure: actionFailure,
      meanings: meaningsOf(notFound),
    })
    const { enqueue, direct } = sending
    const known = { session, messages, directory, clock, state: deps.shown() }
    return handler({ ask, ...known, log, files, pictureHost, inTurn, enqueue, direct }, input as never)
  }

  async function controlled({ operation, input, ifUnpaired }: Extract<Call, { kind: 'control' }>): Promise<unknown> {
    const handler = handlerOf('control', operation)
    if (!handler) throw new Failure('not_found')
    if (!ifUnpaired) return handler(control, input as never)
    checkUnpaired()
    return handler(unpairedControl, input as never)
  }

  return async (call, origin) => {
    switch (call.kind) {
      case 'send':
        refuseSend(deps.shown())
        return sending.enqueue(call, origin)
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
