/** One hosted instance: starts and stops its parts in the order of their dependencies, and answers the calls of the host. */
import type { Call, CallOrigin } from '../../src/domain/call.ts'
import { SECOND } from '../../src/domain/clock.ts'
import type { InstanceConfig, RuntimeState, Status } from '../../src/domain/instance.ts'
import type { InstanceReading } from '../../src/domain/readings.ts'
import type { StartHow, StopHow } from '../../src/engine/engine.ts'
import { eraseInstance } from './erase.ts'
import { createInstanceParts, type InstanceParts, LOGOUT_DEADLINE } from './instance-parts.ts'
import type { ShardDeps } from './shard-deps.ts'

export interface HostedInstance {
  start(how: StartHow): Promise<RuntimeState>
  configure(config: InstanceConfig): Promise<void>
  call(call: Call, origin?: CallOrigin): Promise<unknown>
  stop(how: StopHow): Promise<void>
  reading(): Reading
  /** Returns how far the ids or times that were given out are ahead of the clock, in ms; 0 if they are not ahead. */
  aheadMs(): number
}

/** Values of an instance for the metrics, in addition to the counters. */
export type Reading = Omit<InstanceReading, 'instance'>

/**
 * Time in ms that a stop waits for the message and the webhook that are being sent. If they have not ended by then, they are repeated after the next
 * start.
 */
const STOP_DEADLINE = 3 * SECOND

/** Creates an instance. `key` encrypts all stored data of the instance. */
export function createInstance(deps: ShardDeps, initial: InstanceConfig, key: Uint8Array): HostedInstance {
  const parts = createInstanceParts(deps, initial, key)
  const { context, config, session, state, messages, outbox, attempts, sending, safety, usage, presence, link, status, call } =
    parts
  const { id, clock, steady, log } = context

  async function stop(how: StopHow) {
    await stopParts(parts, how)
    deps.meter.forget(id)
    if (how === 'erase') await eraseInstance(id, deps)
  }

  return {
    async start(how) {
      try {
        await startParts(parts)
        return how === 'create' ? await createdState(parts) : await bootedState(parts)
      } catch (error) {
        // An instance that failed to start is not hosted. If one of its parts kept running, nothing could stop it, and it could open a session at the
        // same time as the next start.
        await stop('keep').catch((cause) => log.error({ err: cause }, 'an instance that failed to start could not be stopped'))
        throw error
      }
    },

    async configure(next) {
      const isNewProxy = next.settings.proxy_url !== config.get().settings.proxy_url
      config.set(next)
      outbox.configured()
      presence.announce()
      safety.configured()
      if (!isNewProxy) return
      await link.reroute(async () => {
        if (isRunning(state.get().status) || endedAtStart(state.get())) await status.handle({ type: 'restartRequested' })
      })
    },

    call(request, origin) {
      context.working()
      return call(request, origin)
    },
    stop,
    aheadMs: () => Math.max(outbox.ahead(), sending.queue.idsAhead()),
    reading() {
      const current = session.get()
      const lastInboundAt = current?.isOpen ? current.lastInboundAt() : null
      return {
        waiting: sending.queue.waiting(),
        backlog: outbox.backlog(),
        lastInboundAt: lastInboundAt === null ? null : clock.now() - (steady.now() - lastInboundAt),
        attempts: { ...attempts },
        work: {
          ...usage.work(),
          cpuMs: deps.meter.cpuMs(id),
          heldBytes: messages.heldBytes() + outbox.heldBytes(),
        },
      }
    },
  }
}

/** Starts the parts one after another, so that after a failure no part is still starting. */
async function startParts({ outbox, receiving, messages, sending, idempotency }: InstanceParts) {
  await outbox.start()
  await Promise.all([receiving.load(), messages.load()])
  await sending.queue.start()
  messages.start(sending.queue.undecided)
  idempotency.start()
}

/** Determines the first state of an instance that was just created. */
async function createdState({ context, state, status }: InstanceParts): Promise<RuntimeState> {
  await status.create()
  context.tally.add('svc_instance_status_changes_total', { to: state.get().status, reason: 'none' })
  return status.handle({ type: 'created' })
}

/** Determines the first state of an instance after a restart of the process, or of an imported device. */
async function bootedState({ context, state, status, link, restriction, announce }: InstanceParts): Promise<RuntimeState> {
  const saved = await status.load()
  // A crash can happen after the credentials of a pairing are saved and before the state is, so the saved credentials show whether the account is
  // linked.
  const paired = await link.isPaired()
  if (saved && paired !== null) status.correct({ paired })
  // An imported device has saved credentials and no saved state, because no shard has hosted it yet.
  const isImported = !saved && paired === true
  if (isImported) status.correct({ paired, status: 'disconnected', reason: 'connection_lost', importedAt: context.clock.now() })
  restriction.change(state.get().restriction)
  // Without a saved state and a device, the first start of the instance never completed. The instance stays `created` until a QR code is requested.
  if (saved || isImported) await status.handle({ type: 'booted' })
  else await status.create()
  announce()
  return state.get()
}

async function stopParts(parts: InstanceParts, how: StopHow) {
  const { context, pairing, session, sending, status, link, messages, idempotency, receiving, statuses, records } = parts
  const deadlineMs = how === 'erase' ? 0 : STOP_DEADLINE
  pairing.giveUp()
  // The queue is stopped before the session ends, because the message that is being sent ends only with the network's answer.
  await sending.queue.stop(deadlineMs)
  if (how === 'erase') await session.get()?.logout(LOGOUT_DEADLINE)
  await status.stop()
  await link.leave((current) => current.end())
  await idempotency.stop()
  await receiving.stop()
  await statuses.stop()
  await messages.stop()
  await records.stop()
  await parts.outbox.stop(deadlineMs)
  await link.close()
  await context.store.close()
}

/**
 * Whether a start ended with an error that a proxy can cause. The instance is then started again if it gets another proxy, or if its proxy is
 * removed.
 */
const endedAtStart = ({ status, reason }: RuntimeState) =>
  status === 'stopped' && (reason === 'proxy_error' || reason === 'start_failed')

const isRunning = (status: Status) => !(['created', 'logged_out', 'banned', 'stopped'] as const).some((each) => each === status)
