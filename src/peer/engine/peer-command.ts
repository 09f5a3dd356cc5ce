/** Commands that a service sends to the engine of another service of its store, which has the instance. */
import * as v from 'valibot'
import type { Call, CallOrigin } from '../../domain/call.ts'
import { FAILURES, Failure, type FailureCode } from '../../domain/failures.ts'
import type { InstanceConfig } from '../../domain/instance.ts'
import { START_HOWS } from '../../engine/engine.ts'

export const CALL_PATH = '/peer/call'
export const EVENTS_PATH = '/peer/events'
/** Answers with the measurements of the instances (`InstanceReading`). */
export const READINGS_PATH = '/peer/readings'
/**
 * Maximum number of bytes of other services' commands that a service has in memory at a time, in addition to the
 * requests of its own callers. The same limit applies separately to answers of other services, except short ones.
 */
export const LARGE_BUDGET = 192 * 1_048_576
/** Parameter in the query of `EVENTS_PATH`: the number of the last outcome that the reader has seen. */
export const AFTER = 'after'

const config = v.looseObject({ id: v.string() }) as unknown as v.GenericSchema<InstanceConfig>
const call = v.looseObject({
  kind: v.picklist(['send', 'action', 'control']),
  operation: v.string(),
}) as unknown as v.GenericSchema<Call>
const origin = v.looseObject({}) as unknown as v.GenericSchema<CallOrigin>

export const PeerCommand = v.variant('type', [
  v.object({ type: v.literal('start'), config, how: v.picklist(START_HOWS) }),
  v.object({ type: v.literal('stop'), instance: v.string(), how: v.picklist(['keep', 'erase']) }),
  v.object({
    type: v.literal('call'),
    instance: v.string(),
    call,
    origin,
    /** The fields of `CallerPatience` with these names. */
    waits: v.exactOptional(v.boolean()),
    workspace: v.exactOptional(v.string()),
    /**
     * True if the permission of the caller must be checked again when the call has waited for the start of its
     * instance.
     */
    isChecked: v.exactOptional(v.boolean()),
  }),
])
export type PeerCommand = v.InferOutput<typeof PeerCommand>

export const instanceOf = (command: PeerCommand): string => (command.type === 'start' ? command.config.id : command.instance)

/** Code of a failure. A code that only a newer release knows becomes `internal`. */
export const failureCode = v.pipe(
  v.string(),
  v.transform((code): FailureCode => (Object.hasOwn(FAILURES, code) ? (code as FailureCode) : 'internal')),
)

/**
 * The result of a command. After `again` and `busy`, nothing of it was carried out.
 *
 * - `done` and `failed`: the engine of the other service has returned `value` or has thrown `failure`.
 * - `again`: the instance has started; the sender must check the permission of its caller and send the command again.
 * - `busy`: the other service has no memory for the command at the moment, or the command arrived too slowly.
 */
const PeerResult = v.variant('is', [
  v.object({ is: v.literal('done'), value: v.exactOptional(v.unknown()) }),
  v.object({
    is: v.literal('failed'),
    failure: v.object({
      code: failureCode,
      message: v.string(),
      details: v.optional(v.record(v.string(), v.unknown())),
      retryAfter: v.exactOptional(v.number()),
    }),
  }),
  v.object({ is: v.picklist(['again', 'busy']) }),
])
export type PeerResult = v.InferOutput<typeof PeerResult>

/** Throws if the value is no result that this release understands. */
export const resultOf = (value: unknown): PeerResult => v.parse(PeerResult, value)

export const unreachable = () =>
  new Failure('engine_unavailable', {
    message: 'The service that has this instance cannot be reached at the moment; nothing of the request was carried out.',
    details: { reason: 'instance_unreachable' },
  })

/** Failure of a command whose instance was stopped while the command was carried out. */
export const cutOff = () =>
  new Failure('engine_unavailable', {
    message:
      'The instance was stopped before the answer, for example to give it to another service; the request may have been carried out. Repeat a send with the same Idempotency-Key.',
    details: { reason: 'outcome_unknown' },
  })

export const busy = () =>
  new Failure('engine_unavailable', {
    message: 'Too many commands wait for the service that has this instance; nothing of the request was carried out.',
    details: { reason: 'instance_busy' },
  })
