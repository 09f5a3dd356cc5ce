/**
 * Measures received and sent texts with the store on three disks, so that figures of machines with different disks can
 * be compared: the disk of this machine, files in memory, and files in memory with an `fdatasync` of 4 ms. The slow
 * disk is in memory, because otherwise its time would have the time of the real disk too. Calls of `fdatasync` and
 * `fsync` are delayed, but not the small record that lmdb writes to a file with O_DSYNC.
 */
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compilePreloaded } from '../test/harness/preloaded.ts'
import {
  amount,
  type Bench,
  type Loaded,
  phoneNumbers,
  ROUNDS,
  report,
  shownSide,
  spread,
  startBench,
  startLoaded,
} from './measure.ts'
import { startPartIn } from './parts/calls.ts'
import { type ReceivingRound, receiveRound, sendInParts, sendRound, serviceSide, shownReceiving } from './parts/rounds.ts'
import type { Syncing } from './parts/syncing.ts'

const CONTACT = '5511988880001'
const MANY = amount(50, 3)
const RATE = amount(500, 20)
const SECONDS = amount(1.5, 1)
const TEXTS = amount(800, 20)
/** Number of texts before each measurement. V8 compiles during the first 4,500. */
const WARM = { 1: amount(6_000, 20), [MANY]: amount(1_500, 20), sent: amount(3_000, 20) }
const SENDERS = phoneNumbers(2_000, MANY)
const SYNC_MS = 4
const MEMORY = '/dev/shm'

interface Disk {
  /** Folder in which the service has its data. */
  base: string
  env: Record<string, string>
}

interface Side {
  bench: Bench
  loaded: Loaded
  result: Record<string, unknown>
}

async function open({ base, env }: Disk): Promise<Side> {
  const bench = await startBench(base)
  for (const phone of SENDERS) await bench.sandbox.createContact(phone)
  await bench.sandbox.createContact(CONTACT, { sink: true, receipts: 'delivered' })
  const disk = await startPartIn<Syncing>(env, 'syncing.ts').call('syncTimes', bench.dir, amount(200, 20))
  const loaded = await startLoaded(bench, { instances: MANY, env: { SVC_SHARDS: '1', ...env } })
  return { bench, loaded, result: { disk_ms: disk } }
}

/** Measures all sides in alternating rounds, because the speed of a rented machine changes within minutes. */
async function inTurns<T>(sides: readonly Side[], warm: (side: Side) => Promise<unknown>, one: (side: Side) => Promise<T>) {
  for (const side of sides) await warm(side)
  const rounds = new Map<Side, T[]>(sides.map((side) => [side, []]))
  for (let at = 0; at < ROUNDS; at++) for (const side of sides) rounds.get(side)!.push(await one(side))
  return rounds
}

async function receiveTexts(sides: readonly Side[], count: number) {
  const receive = ({ bench, loaded }: Side, total: number): Promise<ReceivingRound> =>
    receiveRound(bench.sandbox, SENDERS, serviceSide(loaded, phoneNumbers(0, count)), total, RATE)
  const rounds = await inTurns(
    sides,
    (side) => receive(side, WARM[count]!),
    (side) => receive(side, RATE * SECONDS),
  )
  for (const [{ result }, received] of rounds) result[`in_${RATE}_per_s_on_${count}`] = shownReceiving(received)
}

async function sendTexts(sides: readonly Side[]) {
  const textsOf = ({ loaded }: Side) => ({
    urls: loaded.instances.map(({ api_url }) => `${api_url}/send-text`),
    contact: CONTACT,
  })
  const rounds = await inTurns(
    sides,
    (side) => sendInParts(side.loaded, { ...textsOf(side), count: WARM.sent }),
    (side) => sendRound(side.loaded, { ...textsOf(side), count: TEXTS }),
  )
  for (const [{ result }, sent] of rounds) {
    const commits = sent.map(({ commits_each }) => commits_each)
    result[`out_${MANY}_saturated`] = { ...shownSide(sent), commits_per_text: spread(commits, 1) }
  }
}

const folder = await mkdtemp(join(tmpdir(), 'svc-bench-'))
const opened: Bench[] = []
try {
  const library = join(folder, 'slow-sync.so')
  const source = fileURLToPath(new URL('./parts/slow-sync.c', import.meta.url))
  const noMemory = !existsSync(MEMORY) && `this machine has no ${MEMORY}`
  const noSlow = noMemory || compilePreloaded(source, library, `-DSYNC_MS=${SYNC_MS}`)
  const disks: Record<string, Disk> = {
    real: { base: tmpdir(), env: {} },
    ...(noMemory ? {} : { memory: { base: MEMORY, env: {} } }),
    ...(noSlow ? {} : { slow: { base: MEMORY, env: { LD_PRELOAD: library } } }),
  }
  const sides: Record<string, Side> = {}
  for (const [name, disk] of Object.entries(disks)) {
    sides[name] = await open(disk)
    opened.push(sides[name].bench)
  }
  for (const count of [1, MANY]) await receiveTexts(Object.values(sides), count)
  await sendTexts(Object.values(sides))
  report(`texts with the store on the disk, in memory, and in memory with an fdatasync of ${SYNC_MS} ms`, {
    ...(noSlow ? { note: `not all disks were measured: ${noSlow}` } : {}),
    ...Object.fromEntries(Object.entries(sides).map(([name, { result }]) => [name, result])),
  })
} finally {
  for (const bench of opened) await bench.end()
  await rm(folder, { recursive: true })
}
