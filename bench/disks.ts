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
import { amount, type Measured, phoneNumbers, ROUNDS, report, shownSide, spread, startBench, startLoaded } from './measure.ts'
import { startPartIn } from './parts/calls.ts'
import { type ReceivingRound, receiveRound, sendInParts, sendRound, serviceSide, shownReceiving } from './parts/rounds.ts'
import type { Syncing } from './parts/syncing.ts'

const CONTACT = '5511988880001'
const MANY = amount(50, 3)
const RATE = amount(500, 20)
const SECONDS = amount(1.5, 1)
const TEXTS = amount(800, 20)
/** Number of texts before each measurement. V8 compiles during the first 4,500. */
const WARM = { 1: amount(6_000, 20), [MANY]: amount(1_500, 20), sent: amount(800, 20) }
const SENDERS = phoneNumbers(2_000, MANY)
const SYNC_MS = 4
const MEMORY = '/dev/shm'

interface Disk {
  /** Folder in which the service has its data. */
  base: string
  env: Record<string, string>
}

async function measure({ base, env }: Disk) {
  const bench = await startBench(base)
  try {
    for (const phone of SENDERS) await bench.sandbox.createContact(phone)
    await bench.sandbox.createContact(CONTACT, { sink: true, receipts: 'delivered' })
    const disk = await startPartIn<Syncing>(env, 'syncing.ts').call('syncTimes', bench.dir, amount(200, 20))
    const side = await startLoaded(bench, { instances: MANY, env: { SVC_SHARDS: '1', ...env } })
    const result: Record<string, unknown> = { disk_ms: disk }
    for (const count of [1, MANY]) {
      const accounts = serviceSide(side, phoneNumbers(0, count))
      await receiveRound(bench.sandbox, SENDERS, accounts, WARM[count]!, RATE)
      const rounds: ReceivingRound[] = []
      for (let at = 0; at < ROUNDS; at++) rounds.push(await receiveRound(bench.sandbox, SENDERS, accounts, RATE * SECONDS, RATE))
      result[`in_${RATE}_per_s_on_${count}`] = shownReceiving(rounds)
    }
    const texts = { urls: side.instances.map(({ api_url }) => `${api_url}/send-text`), contact: CONTACT }
    await sendInParts(side, { ...texts, count: WARM.sent })
    const sent: (Measured & { commits_each: number })[] = []
    for (let at = 0; at < ROUNDS; at++) sent.push(await sendRound(side, { ...texts, count: TEXTS }))
    const commits = spread(
      sent.map(({ commits_each }) => commits_each),
      1,
    )
    result[`out_${MANY}_saturated`] = { ...shownSide(sent), commits_per_text: commits }
    return result
  } finally {
    await bench.end()
  }
}

const folder = await mkdtemp(join(tmpdir(), 'svc-bench-'))
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
  const result: Record<string, unknown> = {}
  for (const [name, disk] of Object.entries(disks)) result[name] = await measure(disk)
  report(`texts with the store on the disk, in memory, and in memory with an fdatasync of ${SYNC_MS} ms`, {
    ...(noSlow ? { note: `not all disks were measured: ${noSlow}` } : {}),
    ...result,
  })
} finally {
  await rm(folder, { recursive: true })
}
