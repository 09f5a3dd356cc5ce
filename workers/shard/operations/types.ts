/** What a handler is given, by the way its operation was declared, and what it gives back. */
import type { Logger } from 'pino'
import type { Call, SendCall } from '../../../src/domain/call.ts'
import type { InstanceConfig, RuntimeState } from '../../../src/domain/instance.ts'
import type { HandlerContexts, HandlersOf, Queued } from '../../../src/features/endpoint.ts'
import type { Recent } from '../chats/recent.ts'
import type { Session } from '../chats/session.ts'
import type { Ask } from '../connection/ask.ts'
import type { Pairing } from '../connection/pairing/pairing.ts'
import type { Queue } from '../queue/contract.ts'
import type { Accepted, SendContext } from '../send/contract.ts'

/** An immediate operation on a connected instance. */
export interface ActionContext {
  /** How the network is reached: one total deadline, and what its answers mean here. */
  ask: Ask
  session: Session
  recent: Recent
  state: RuntimeState
  log: Logger
  /** For what an action sends besides, such as an invitation: it takes its place in the queue. */
  enqueue(call: SendCall): Promise<Queued>
}

/** The instance itself, in any state. */
export interface ControlContext {
  readonly config: InstanceConfig
  readonly state: RuntimeState
  readonly queue: Queue
  readonly pairing: Pairing
  /** The running session, null while none runs. */
  readonly session: Session | null
  request(what: 'restartRequested' | 'qrRequested' | 'disconnectRequested'): Promise<RuntimeState>
}

export interface Contexts extends HandlerContexts {
  send: SendContext
  action: ActionContext
  control: ControlContext
  sent: Accepted
}

/** `F` is `typeof import('…/features/x.ts')`: leave a handler out and it does not compile. */
export type Handlers<F> = HandlersOf<F, Contexts>

/** A handler as it is found by its id; `dispatch.ts` gives it what the kind of the call stands for. */
export type Handler<K extends Call['kind'] = Call['kind']> = (
  context: K extends 'send' ? SendContext : K extends 'action' ? ActionContext : ControlContext,
  input: never,
) => Promise<K extends 'send' ? Accepted : unknown>
