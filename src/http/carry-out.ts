/** Runs an operation for an authorized caller: in its own handler, or in the shard thread of the instance. */
import type { z } from 'zod'
import type { CallOrigin } from '../domain/call.ts'
import { SECOND } from '../domain/clock.ts'
import type { RightName } from '../domain/dashboard-rights.ts'
import { Failure } from '../domain/failures.ts'
import type { InstanceId, WorkspaceId } from '../domain/ids.ts'
import { maySend } from '../domain/workspace.ts'
import type { CallerPatience, CallOf, Engine, OperationId } from '../engine/engine.ts'
import { callOf } from '../features/call.ts'
import type { Endpoint, Queued } from '../features/endpoint.ts'
import type { Acknowledgement } from '../features/fields.ts'
import type { InstanceCall, Parts } from '../features/parts.ts'
import { orLate } from '../lib/deadline.ts'
import type { Tally } from '../metrics/tally.ts'
import { InstanceGone } from './errors.ts'

export interface Caller {
  workspace?: WorkspaceId
  instance?: InstanceId
  isStillAllowed?: () => boolean
  /**
   * True for a caller with only a connect link. Such a caller may use the operations that pair the instance, while no
   * account is linked.
   */
  isStranger?: true
  /**
   * Throws if the credential is no longer valid. Called directly before the operation, because the body may have taken
   * long to arrive, and again if the call has waited for the start of its instance.
   */
  checkAgain?: () => void
  /** True if a dashboard session has the right. Absent for callers that have every right. */
  may?: (right: RightName) => boolean
}

export interface CarryOutDeps {
  parts: Parts
  engine: Pick<Engine, 'call'>
  tally: Tally
  now(): number
  baseUrl: string | null
}

export interface Asked {
  request: Request
  source: string
  /** True if a program on this machine called directly. Absent for callers whose operations do not check this. */
  isOnThisMachine?: boolean
  file?: () => AsyncIterable<Uint8Array>
  origin: CallOrigin
}

export type Acknowledged = z.output<typeof Acknowledgement>

/** Throws if the subscription of the workspace does not allow sending. */
export function checkSubscription({ workspace }: Caller, { parts, now }: CarryOutDeps): void {
  if (workspace && !maySend(parts.account.workspace(workspace).subscription, now())) throw new Failure('subscription_required')
}

/**
 * Runs an operation. Resolves with its answer, or with the acknowledgement of a send. If the instance was deleted,
 * every `Failure` becomes `instance_not_found`.
 */
export async function carryOut(
  endpoint: Endpoint,
  caller: Caller,
  input: unknown,
  asked: Asked,
  deps: CarryOutDeps,
): Promise<unknown> {
  try {
    return await answer(endpoint, caller, input, asked, deps)
  } catch (error) {
    const isGone = caller.instance !== undefined && isDeleted(caller.instance, deps)
    throw isGone && error instanceof Failure ? new InstanceGone(error) : error
  }
}

const isDeleted = (instance: InstanceId, { parts }: CarryOutDeps) => parts.directory.tokenTagOf(instance) === undefined

async function answer(
  endpoint: Endpoint,
  caller: Caller,
  input: unknown,
  { request, source, isOnThisMachine = false, file, origin }: Asked,
  deps: CarryOutDeps,
): Promise<unknown> {
  const { parts, baseUrl } = deps
  const { workspace, instance, isStillAllowed, isStranger = false, may = () => true } = caller
  caller.checkAgain?.()
  const call = {
    parts,
    request,
    source,
    isOnThisMachine,
    file,
    workspace,
    instance,
    isStillAllowed,
    isStranger,
    may,
    get baseUrl() {
      return baseUrl ?? new URL(request.url).origin
    },
  }
  if (endpoint.handle) return endpoint.handle(call as never, input as never)
  if (!instance) throw new Error(`a shard must answer ${endpoint.id}, but its route names no instance`)
  const { fallback } = endpoint
  if (fallback?.isOfNow?.(call as InstanceCall)) return fallback.answer(call as InstanceCall)
  const patience = {
    // A call with a fallback does not wait for the start of its instance, because the last known state is a better
    // answer than a late one.
    waits: fallback === undefined,
    workspace,
    checkAgain: caller.checkAgain,
    get signal() {
      return request.signal
    },
  }
  const asked = askShard(endpoint, instance, input, { origin, isStranger, patience }, deps)
  const fallBack = async () => {
    // The last known state of a deleted instance must not be returned.
    if (isDeleted(instance, deps)) throw new InstanceGone()
    return fallback!.answer(call as InstanceCall)
  }
  const reply = await (fallback ? within(asked, fallback.ms, fallBack) : asked)
  return endpoint.kind === 'send' ? acknowledge(reply as Queued) : reply
}

async function askShard(
  endpoint: Endpoint,
  instance: InstanceId,
  input: unknown,
  { origin, isStranger, patience }: { origin: CallOrigin; isStranger: boolean; patience: CallerPatience },
  { engine, tally }: CarryOutDeps,
): Promise<unknown> {
  const { id, kind } = endpoint
  const begun = performance.now()
  // A send is only queued here; its outcome is counted when it is sent.
  const isImmediate = kind !== 'send'
  try {
    const call = callOf(endpoint, input)
    if (isStranger && call.kind === 'control') call.ifUnpaired = true
    return await engine.call(instance, call as CallOf<OperationId>, origin, patience)
  } catch (thrown) {
    const error = thrown instanceof Failure ? declared(endpoint, thrown) : thrown
    const code = error instanceof Failure ? error.code : 'internal'
    if (isImmediate) tally.add('svc_engine_action_errors_total', { operation: id, code })
    throw error instanceof Failure && error.code === 'instance_not_found' ? new InstanceGone(error) : error
  } finally {
    if (isImmediate) tally.observe('svc_engine_action_duration_seconds', { operation: id }, (performance.now() - begun) / SECOND)
  }
}

/**
 * Replaces a failure from WhatsApp that the operation does not declare by `action_failed`, with the network's code in
 * `details`. WhatsApp uses the same codes for every operation, even where they make no sense.
 */
function declared({ kind, errors }: Endpoint, failure: Failure): Failure {
  const isOfNetwork = kind === 'action' && failure.details?.network_code !== undefined
  if (!isOfNetwork || errors.includes(failure.code)) return failure
  return new Failure('action_failed', { details: failure.details, cause: failure })
}

/** Resolves with the fallback if the shard thread does not answer in time or rejects with `engine_unavailable`. */
async function within(asked: Promise<unknown>, ms: number, fallback: () => Promise<unknown>): Promise<unknown> {
  try {
    return await orLate(asked, ms, fallback)
  } catch (error) {
    if (error instanceof Failure && error.code === 'engine_unavailable') return fallback()
    throw error
  }
}

const acknowledge = ({ message_id, svc_id }: Queued): Acknowledged => ({ id: message_id, message_id, svc_id, status: 'queued' })
