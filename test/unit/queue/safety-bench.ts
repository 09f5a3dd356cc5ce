/**
 * Bench for send safety: it runs a real queue, directory and store over several runs of the process. The network is
 * simulated, and the test controls the clocks.
 */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { WAMessage } from '@whiskeysockets/baileys'
import { createBoundedClock } from '../../../src/domain/bounded-clock.ts'
import { MINUTE, SECOND } from '../../../src/domain/clock.ts'
import { Failure } from '../../../src/domain/failures.ts'
import { DEFAULT_SETTINGS, type InstanceSettings } from '../../../src/domain/instance.ts'
import type { Delivery } from '../../../src/features/webhook-payloads.ts'
import { createTally } from '../../../src/metrics/tally.ts'
import type { OpenStore } from '../../../src/storage/open-store.ts'
import { createAccountDirectory } from '../../../workers/shard/directory/account-directory.ts'
import { type Queue, resultOf, type SendItem } from '../../../workers/shard/queue/contract.ts'
import { createQueue } from '../../../workers/shard/queue/queue.ts'
import { createSendSafety } from '../../../workers/shard/queue/safety/send-safety.ts'
import { createToldBudgets } from '../../../workers/shard/queue/safety/told-budgets.ts'
import { INSTANCE, manualTime, recordingLog, START, sealer, tempStore } from '../storage/fixtures.ts'

export const jidOf = (phone: string) => `${phone}@s.whatsapp.net`
const accepted = resultOf({ status: 'sent' })
type UsedUp = Delivery['used_up_budgets']
const OPTIONS = { unarchives: false, fromApi: true }

/** Steps of a send at which the test can end a run, as a kill does. */
export const ENDS = ['before-send', 'leaving', 'relayed', 'settled'] as const
export type End = (typeof ENDS)[number]

/**
 * Number of turns of the event loop without access to the store. After them, nothing more happens until the clocks
 * advance.
 */
const IDLE_TURNS = 3

function watched(store: OpenStore) {
  let running = 0
  const counted =
    <A extends unknown[], R>(run: (...args: A) => Promise<R>) =>
    async (...args: A) => {
      running++
      try {
        return await run(...args)
      } finally {
        running--
      }
    }
  return {
    store: { ...store, commit: counted(store.commit), get: counted(store.get) } as OpenStore,
    async idle() {
      for (let quiet = 0; quiet < IDLE_TURNS; quiet = running > 0 ? 0 : quiet + 1) await nextTurn()
    },
  }
}

interface Options {
  begin?: number
  /**
   * If true, the clock is a bounded one, as in a service: it does not follow a jump ahead that the network contradicts.
   */
  isBounded?: boolean
}

export async function safetyBench(
  t: TestContext,
  settings: Partial<InstanceSettings>,
  { begin = START, isBounded = false }: Options = {},
) {
  const { store, idle } = watched(await tempStore(t))
  const time = manualTime(begin)
  const log = recordingLog()
  /** Messages that the network received, in all runs. */
  const left: { phone: string; messageId: string; at: number; isClockRight: boolean }[] = []
  const sent: string[] = []
  const told: { at: number; budgets: UsedUp }[] = []
  const expired: { phone: string; at: number }[] = []
  const made = {
    isTold: true,
    /** Number of ms by which the machine's clock was changed. */
    step: 0,
    linkedAt: null as number | null,
    ages: 0,
    /** Map from a person to the JID to which the messages for this person are sent. */
    goTo: new Map<string, string>(),
    isOpen: true,
    end: undefined as End | undefined,
    isHanging: false,
    settings: { ...DEFAULT_SETTINGS, delay_message_min_ms: 0, delay_message_max_ms: 0, ...settings },
    log,
  }
  const wall = { now: () => time.clock.now() + made.step }
  const bounded = createBoundedClock({ wall, steady: time.clock, uptime: time.clock.now })
  const clock = isBounded ? bounded : wall
  /** Ids of the messages that were stored in the commit of their encryption keys, in all runs. */
  const stored = new Set<string>()
  let ids = 0

  /** Starts a run of the process. The run ends at the step `end` of a send. */
  async function run(end?: End) {
    made.end = end
    made.isHanging = false
    let isOver = false
    const directory = createAccountDirectory({ id: INSTANCE, store, sealer, log }, { own: () => [] })
    await directory.ready()
    const safety = createSendSafety({
      clock,
      steady: time.clock,
      settings: () => made.settings,
      directory,
      otherName: async () => null,
      hasWritten: async () => false,
      registered: () => undefined,
      isMe: () => false,
      linkedAt() {
        made.ages++
        return made.linkedAt
      },
      told: createToldBudgets({ id: INSTANCE, store, sealer, log }),
      isTold: () => made.isTold,
      onUntold: assert.ifError,
      steps: () => {},
      onError: assert.ifError,
    })
    /** Returns true if the run ends at this step, or has ended before. Then nothing more happens in this run. */
    const endsAt = (step: End) => isOver || made.end === step
    const hang = () => {
      made.isHanging = true
      return new Promise<never>(() => {})
    }
    const record = (message: Partial<WAMessage['key']>) =>
      directory.record(
        { key: message, message: { conversation: 'x' }, messageTimestamp: Math.floor(time.clock.now() / SECOND) },
        { ...OPTIONS, now: clock.now() },
      )

    async function send(item: SendItem) {
      const { messageId, phone } = item
      const to = made.goTo.get(phone) ?? jidOf(phone)
      if (endsAt('before-send')) return hang()
      if (!made.isOpen) throw new Failure('instance_not_connected')
      await safety.leaving(to, item, item.mayHaveLeft)
      item.leaves()
      if (endsAt('leaving')) return hang()
      // This flush replaces the commit of the keys, which would also contain the message and the changes of the
      // directory.
      await directory.flush()
      stored.add(messageId)
      sent.push(phone)
      left.push({ phone, messageId, at: time.clock.now(), isClockRight: clock.now() === time.clock.now() })
      if (endsAt('relayed')) return hang()
      record({ remoteJid: to, id: messageId, fromMe: true })
      await directory.flush()
      return safety.withUsedUp(accepted, queue)
    }

    /** Used-up budgets in the events that are not committed yet, by the id of the event. */
    const appended = new Map<string, UsedUp>()
    const queue: Queue = createQueue({
      instanceId: INSTANCE,
      store,
      sealer,
      clock,
      steady: time.clock,
      hasWritten: async () => false,
      policies: safety.policies,
      mayHaveLeft: async (messageId) => stored.has(messageId),
      timer: (ms, call) => time.timer(ms, () => !isOver && call()),
      random: () => 0.5,
      isOpen: () => made.isOpen,
      settings: () => made.settings,
      events: {
        wanted: () => true,
        append(event) {
          const { svc_id, phone, error_code, used_up_budgets } = event.body as Delivery
          appended.set(svc_id, used_up_budgets)
          if (error_code === 'send_timeout') expired.push({ phone, at: time.clock.now() })
          return { eventId: svc_id, ops: [] }
        },
        committed: (eventId) => void told.push({ at: time.clock.now(), budgets: appended.get(eventId) }),
        noted: () => [],
      },
      steps: (step) => (step === 'queue:settled' && endsAt('settled') ? hang() : undefined),
      log,
      tally: createTally(),
      announce() {},
      send,
    })
    await queue.start()
    queue.setConnected(true)
    t.after(() => queue.stop(0))
    const list = async () => (await queue.list({ page: 1, pageSize: 99 })).data
    return {
      queue,
      safety,
      async put(phone: string) {
        const messageId = `3EB0${++ids}`
        const request = { operation: 'send.sendText', phone, input: {}, preview: null, delayMessage: null, delayTyping: 0 }
        await queue.enqueue({ messageId: () => messageId, ...request })
        return messageId
      },
      heard(phone: string) {
        record({ remoteJid: jidOf(phone), id: `A${++ids}`, fromMe: false })
        safety.heard(jidOf(phone))
      },
      list,
      reasons: async () => (await list()).map((item) => [item.phone, item.waiting_reason]),
      flush: directory.flush,
      kill() {
        isOver = true
        made.end = undefined
        queue.setConnected(false)
      },
    }
  }

  /** Advances the clocks in steps of `stepMs`. After each step, the queue has time to do everything that is due. */
  async function pass(ms: number, stepMs = MINUTE) {
    const end = time.clock.now() + ms
    for (let now = time.clock.now(); now < end; now = time.clock.now()) {
      time.advance(Math.min(stepMs, end - now))
      // The network reports the true time. So a bounded clock does not follow if the machine's clock jumps ahead.
      bounded.learned(time.clock.now(), true)
      await idle()
    }
  }

  /** Advances the clocks minute by minute until only `count` items are left. Returns the number of minutes. */
  async function minutesUntil(items: () => Promise<unknown[]>, count: number) {
    for (let minutes = 0; minutes < 600; minutes++) {
      if ((await items()).length === count) return minutes
      await pass(MINUTE)
    }
    return assert.fail(`${(await items()).length} items are left`)
  }

  return {
    run,
    time,
    left,
    sent,
    expired,
    made,
    idle,
    pass,
    minutesUntil,
    toldAt: told,
    told: () => told.flatMap(({ budgets }) => budgets ?? []),
  }
}
