/**
 * Creates what tests of the store need: a real store in a temporary folder, a log whose lines a test can read, and a
 * clock that the test controls.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { WebhookSettings } from '../../../src/domain/instance.ts'
import type { Member, Members } from '../../../src/storage/members.ts'
import { type OpenStore, openStore } from '../../../src/storage/open-store.ts'
import { createSealer } from '../../../src/storage/sealer.ts'
import type { Timer } from '../../../src/storage/timer.ts'

export const INSTANCE = '7f8f1a52-9c0f-4a43-9a5e-0a7b8f6f2c11'
export const START = Date.parse('2026-01-31T12:00:00.000Z')

export const sealer = createSealer(new Uint8Array(32).fill(7))

export async function tempDir(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-test-'))
  t.after(() => rm(dir, { recursive: true, force: true }))
  return dir
}

export async function tempStore(t: TestContext): Promise<OpenStore & { dir: string }> {
  const dir = await tempDir(t)
  const store = await openStore(`lmdb:${dir}`)
  t.after(() => store.close())
  return { ...store, dir }
}

/** Returns what a member of a cluster knows of the others. */
export const membersOf = (others: () => readonly Member[] = () => []): Members => ({
  others,
  onLook() {},
  reachesStore: () => true,
  leave() {},
  leaveIfOthersStay: async () => true,
})

export function recordingLog() {
  const lines: { level: string; message: string; fields: Record<string, unknown> }[] = []
  const write = (level: string) => (fields: unknown, message?: unknown) => {
    lines.push({ level, message: String(message), fields: fields as Record<string, unknown> })
  }
  return { lines, debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
}

export function manualTime(now = START) {
  const pending = new Set<{ at: number; run: () => void }>()
  const timer: Timer = (delayMs, run) => {
    const entry = { at: now + Math.max(0, delayMs), run }
    pending.add(entry)
    if (delayMs <= 0) queueMicrotask(() => fire(entry))
    return { cancel: () => pending.delete(entry) }
  }
  const fire = (entry: { at: number; run: () => void }) => {
    if (pending.delete(entry)) entry.run()
  }
  /** Advances the clock, and calls each timer at its own time. */
  const advance = (ms: number) => {
    const until = now + ms
    for (;;) {
      const next = [...pending].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0]
      if (next === undefined) break
      now = Math.max(now, next.at)
      fire(next)
    }
    now = until
  }
  const armed = (inMs: number) => until(() => [...pending].some(({ at }) => at === now + inMs), `a timer in ${inMs} ms`)
  return {
    clock: { now: () => now },
    timer,
    advance,
    /** Waits until the tested code has set a timer. */
    idle: () => until(() => pending.size > 0, 'a timer', 120_000),
    /** Returns the time in ms until the next timer. */
    nextIn: () => Math.min(...[...pending].map(({ at }) => at)) - now,
    armed,
    /** Waits until a timer is due in exactly `ms`, and then advances the clock by `ms`. */
    async pass(ms: number) {
      await armed(ms)
      advance(ms)
    },
  }
}

/**
 * Number of turns of the event loop in which a condition is checked without a pause. There is a pause before each later
 * check, because a turn is expensive under the test runner.
 */
const TURNS = 20
/** Node's own timer function, which works even if a test has replaced the timers. */
const { setTimeout: systemTimeout } = globalThis

export async function until(condition: () => boolean | Promise<boolean>, what: string, ms = 15_000): Promise<void> {
  const end = Date.now() + ms
  for (let looks = 0; !(await condition()); looks++) {
    if (Date.now() > end) throw new Error(`never came: ${what}`)
    if (looks < TURNS) await nextTurn()
    else await new Promise((resolve) => systemTimeout(resolve, 1))
  }
}

export function webhookSettings(url: string | null, change: Partial<WebhookSettings> = {}): WebhookSettings {
  return {
    received_url: url,
    delivery_url: url,
    message_status_url: null,
    instance_status_url: null,
    chat_presence_url: null,
    notify_sent_by_me: false,
    ignore_groups: false,
    ignore_private: false,
    ignore_text: false,
    ignore_image: false,
    ignore_video: false,
    ignore_audio: false,
    ignore_document: false,
    ignore_received_callback: false,
    ignore_delivery_callback: false,
    ignore_message_status_callback: false,
    ignore_instance_status_callback: false,
    ignore_chat_presence_callback: false,
    secret: 'whsec_Zk3v1r0b8mQ5nT7yW2xC4dE6fG9hJ1kL',
    ...change,
  }
}
