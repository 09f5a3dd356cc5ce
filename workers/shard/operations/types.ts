import type { Logger } from 'pino'
import type { Call, SendCall } from '../../../src/domain/call.ts'
import type { Clock } from '../../../src/domain/clock.ts'
import type { StatusChange } from '../../../src/domain/dashboard.ts'
import type { InstanceConfig, RuntimeState } from '../../../src/domain/instance.ts'
import type { HandlerContexts, HandlersOf, Queued } from '../../../src/features/endpoint.ts'
import type { KeyedMutex } from '../../../src/lib/keyed-mutex.ts'
import type { Asker, Session } from '../chats/session.ts'
import type { Pairing } from '../connection/pairing/pairing.ts'
import type { PasskeyPairing } from '../connection/pairing/passkey-pairing.ts'
import type { AccountDirectory } from '../directory/account-directory.ts'
import type { LifecycleEvent } from '../lifecycle/contract.ts'
import type { ActionFiles } from '../media/portrait.ts'
import type { MessageLedger } from '../messages/message-ledger.ts'
import type { MessageTimeline } from '../messages/message-timeline.ts'
import type { Queue } from '../queue/contract.ts'
import type { SendSafety } from '../queue/safety/send-safety.ts'
import type { ReceivedEvents } from '../receive/received-events.ts'
import type { Accepted, SendContext } from '../send/contract.ts'
import type { Sending } from '../send/sending.ts'
import type { Outbox } from '../webhooks/contract.ts'

export interface ActionContext extends Asker {
  messages: SendContext['messages']
  directory: AccountDirectory
  clock: Clock
  state: RuntimeState
  log: Logger
  files: ActionFiles
  /** Host of the pictures of channels, because the network usually sends only the paths of these pictures. */
  pictureHost: string
  /**
   * Runs changes of the same object one after another. If two changes were based on the same version, the network would
   * refuse the second.
   */
  inTurn: KeyedMutex['run']
  enqueue(call: SendCall): Promise<Queued>
  direct: Sending['direct']
}

export interface ControlContext {
  readonly config: InstanceConfig
  readonly state: RuntimeState
  readonly queue: Queue
  readonly pairing: Pairing
  readonly passkeys: Pick<PasskeyPairing, 'state' | 'respond' | 'confirm'>
  readonly outbox: Pick<Outbox, 'events' | 'resend' | 'resendMany' | 'test' | 'detail' | 'newest' | 'body'>
  history(): Promise<StatusChange[]>
  readonly safety: Pick<SendSafety, 'reading'>
  readonly timeline: Pick<MessageTimeline, 'find'>
  readonly messages: Pick<MessageLedger, 'newest' | 'get'>
  readonly inbound: Pick<ReceivedEvents, 'context' | 'shown' | 'namesOf'>
  readonly log: Logger
  readonly session: Session | null
  /** `isWanted` is called directly before the change of status; if it returns false, nothing changes. */
  request(what: Extract<LifecycleEvent['type'], `${string}Requested`>, isWanted?: () => boolean): Promise<RuntimeState>
}

export interface Contexts extends HandlerContexts {
  send: SendContext
  action: ActionContext
  control: ControlContext
  sent: Accepted
}

/** Handlers of one feature file: `F` is `typeof import('…/features/x.ts')`. A missing handler is a type error. */
export type Handlers<F> = HandlersOf<F, Contexts>

export type Handler<K extends Call['kind'] = Call['kind']> = (
  context: K extends 'send' ? SendContext : K extends 'action' ? ActionContext : ControlContext,
  input: never,
) => Promise<K extends 'send' ? Accepted : unknown>
