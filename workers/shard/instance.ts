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
  /** Returns by how many ms the ids of queue items or of events are ahead of the clock; 0 if they are not. */
  aheadMs(): number
}

export type Reading = Omit<InstanceReading, 'instance'>

/**
 * Maximum time in ms that a stop waits for the message in flight, and again for webhooks that are being delivered.
 * Unfinished ones are repeated after the next start.
 */
const STOP_DEADLINE = 3 * SECOND

export function createInstance(deps: ShardDeps, initial: InstanceConfig, key: Uint8Array): HostedInstance {
  const parts = createInstanceParts(deps, initial, key)
  const {
    context,
    config,
    session,
    state,
    messages,
    outbox,
    attempts,
    refusedSince,
    sending,
    safety,
    usage,
    presence,
    link,
    status,
    call,
  } = parts
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
        return how === 'create' ? await createdState(parts) : await bootedState(parts, how === 'takeover')
      } catch (error) {
        // The parts are stopped after a failed start. Otherwise nothing could stop them later, and they could open a
        // session at the same time as the next start.
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
        refusedSince: refusedSince(),
        work: {
          ...usage.work(),
          cpuMs: deps.meter.cpuMs(id),
          heldBytes: messages.heldBytes() + outbox.heldBytes(),
        },
      }
    },
  }
}

async function startParts({ outbox, receiving, messages, sending, idempotency }: InstanceParts) {
  await outbox.start()
  await Promise.all([receiving.load(), messages.load()])
  await sending.queue.start()
  messages.start(sending.queue.undecided)
  idempotency.start()
}

async function createdState({ context, state, status }: InstanceParts): Promise<RuntimeState> {
  await status.create()
  context.tally.add('svc_instance_status_changes_total', { to: state.get().status, reason: 'none' })
  return status.handle({ type: 'created' })
}

/** Determines the first state after a restart of the process, or of an imported device. */
async function bootedState(
  { context, state, status, link, restriction, announce }: InstanceParts,
  isTakenOver: boolean,
): Promise<RuntimeState> {
  const saved = await status.load(isTakenOver)
  // After a crash the saved credentials may be newer than the saved state, so the state is corrected.
  const paired = await link.isPaired()
  if (saved && paired !== null) status.correct({ paired })
  // An imported device that no shard has hosted yet has credentials, but no saved state.
  const isImported = !saved && paired === true
  if (isImported) status.correct({ paired, status: 'disconnected', reason: 'connection_lost', importedAt: context.clock.now() })
  restriction.change(state.get().restriction)
  // Without a saved state and a device, the first start never completed. The instance stays `created` until it is
  // restarted or a QR code is requested.
  if (saved || isImported) await status.handle({ type: 'booted' })
  else await status.create()
  announce()
  return state.get()
}

async function stopParts(parts: InstanceParts, how: StopHow) {
  const { context, pairing, session, sending, status, link, messages, idempotency, receiving, statuses, records } = parts
  const deadlineMs = how === 'erase' ? 0 : STOP_DEADLINE
  pairing.giveUp()
  // The message that is being sent needs the network's answer, so the queue is stopped before the session ends.
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
 * Whether the instance stopped because of an error that a proxy can cause. Such an instance is started again if its
 * proxy is changed or removed.
 */
const endedAtStart = ({ status, reason }: RuntimeState) =>
  status === 'stopped' && (reason === 'proxy_error' || reason === 'start_failed')

const isRunning = (status: Status) => !(['created', 'logged_out', 'banned', 'stopped'] as const).some((each) => each === status)
