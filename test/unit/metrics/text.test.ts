/**
 * Tests the metrics with a parser that was written from the description of the format. It shares no code with the
 * service.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { DAY, MINUTE } from '../../../src/domain/clock.ts'
import { STATUSES, type Status } from '../../../src/domain/instance.ts'
import { CLAIMED_AFTER, MOVE_REASONS } from '../../../src/domain/nodes.ts'
import { createExposition } from '../../../src/metrics/exposition.ts'
import { createLedger } from '../../../src/metrics/ledger.ts'
import { measured } from '../../../src/metrics/measured.ts'
import { createTally } from '../../../src/metrics/tally.ts'
import { textOf, withZeros } from '../../../src/metrics/text.ts'
import { HOOKS, sameKind } from '../../harness/checkout.ts'
import { parse, total } from '../../harness/prometheus.ts'

const NO_STREAMS = { events: 2, dashboard: 0 }
const NONE = Object.fromEntries(STATUSES.map((status) => [status, 0])) as Record<Status, number>

test('a histogram has cumulative buckets, their sum and their count', async () => {
  const tally = createTally()
  for (const seconds of [0.001, 0.005, 0.3, 61]) tally.observe('svc_webhook_duration_seconds', { type: 'received' }, seconds)
  tally.observe('svc_webhook_duration_seconds', { type: 'delivery' }, 1)
  const families = parse(await textOf(tally.numbers()))
  const bucket = (le: string) => total(families, 'svc_webhook_duration_seconds_bucket', { type: 'received', le })
  assert.deepEqual(['0.005', '0.25', '0.5', '60', '+Inf'].map(bucket), [2, 2, 3, 3, 4])
  assert.equal(total(families, 'svc_webhook_duration_seconds_count', { type: 'received' }), 4)
  assert.equal(total(families, 'svc_webhook_duration_seconds_sum', { type: 'received' }), 61.306)
  assert.equal(total(families, 'svc_webhook_duration_seconds_count'), 5)
})

test('what an alert is set on is there as 0 before it happens', async () => {
  const families = parse(await textOf(withZeros(createTally().numbers())))
  for (const name of ['svc_inbound_stalled_total', 'svc_inbound_deaf_total'])
    for (const cause of ['message', 'receipt', 'notification', 'call', 'frame'])
      assert.ok(families.get(name)?.samples.some(({ labels, value }) => labels.cause === cause && value === 0))
})

const PAIR = {
  nodes: (['lost', 'active', 'standby', 'lost'] as const).map((state) => ({ state })),
  homes: { here: 3, elsewhere: 4, nowhere: 0 },
  isPair: true,
  notStarted: 2,
}

test('ages are cumulative, grow while a shard says nothing, and name nobody', async () => {
  const lastInboundAt = [0, -2 * MINUTE, -2 * DAY]
  const at = async (now: number) =>
    parse(await textOf(measured({ instances: NONE, streams: NO_STREAMS, ...PAIR, waiting: 0, backlog: 0, lastInboundAt, now })))
  const ages = async (now: number) => (await at(now)).get('svc_inbound_age_instances')!.samples.map(({ value }) => value)
  assert.deepEqual(await ages(0), [1, 2, 2, 2, 2, 2, 3, 3])
  assert.deepEqual(await ages(4 * MINUTE), [0, 1, 2, 2, 2, 2, 3, 3])
  assert.equal(total(await at(MINUTE), 'svc_inbound_age_max_seconds'), 2 * 86_400 + 60)
  assert.equal(total(await at(MINUTE), 'svc_standbys'), 1)
  assert.equal(total(await at(MINUTE), 'svc_instances_not_started'), 2)
  const nodes = (await at(MINUTE)).get('svc_nodes')!.samples.map(({ labels, value }) => [labels.state, value])
  assert.deepEqual(nodes, [
    ['active', 1],
    ['leaving', 0],
    ['standby', 1],
    ['lost', 2],
  ])
  const homes = (await at(MINUTE)).get('svc_homes')!.samples.map(({ labels, value }) => [labels.at, value])
  assert.deepEqual(homes, [
    ['here', 3],
    ['elsewhere', 4],
    ['nowhere', 0],
  ])
  // These series must begin at zero. Prometheus does not see the first increment of a new series, which may be the only
  // one of a process.
  const zeros = (await at(MINUTE))
    .get('svc_moves_total')!
    .samples.map(({ labels, value }) => [labels.reason, labels.result, value])
  assert.deepEqual(
    zeros,
    MOVE_REASONS.flatMap((reason) => [
      [reason, 'given', 0],
      [reason, 'failed', 0],
    ]),
  )
  const claims = (await at(MINUTE)).get('svc_homes_claimed_total')!.samples.map(({ labels, value }) => [labels.after, value])
  assert.deepEqual(
    claims,
    CLAIMED_AFTER.map((after) => [after, 0]),
  )
})

test('without a connected instance nothing is old', async () => {
  const families = parse(
    await textOf(
      measured({
        instances: NONE,
        streams: NO_STREAMS,
        ...PAIR,
        homes: undefined,
        isPair: false,
        waiting: 0,
        backlog: 0,
        lastInboundAt: [],
        now: 5,
      }),
    ),
  )
  assert.equal(total(families, 'svc_inbound_age_max_seconds'), 0)
  assert.equal(total(families, 'svc_inbound_age_instances'), 0)
  // A service that is not part of a pair reports no number of standbys, so that the alert for a missing standby stays
  // silent.
  assert.deepEqual(families.get('svc_standbys')?.samples ?? [], [])
  for (const name of ['svc_homes', 'svc_moves_total', 'svc_homes_claimed_total'])
    assert.deepEqual(families.get(name)?.samples ?? [], [], name)
})

test('two services in one process have numbers of their own, and those of the process in common', async () => {
  const service = () => {
    const tally = createTally()
    return {
      tally,
      text: createExposition({
        tally,
        ledger: createLedger(),
        clock: { now: Date.now },
        instances: () => NONE,
        notStarted: () => 0,
        streams: () => ({ events: 0, dashboard: 0 }),
        nodes: () => undefined,
        homes: () => undefined,
        isPair: false,
        refresh: async () => {},
      }),
    }
  }
  const [one, other] = [service(), service()]
  one.tally.add('svc_rate_limited_total', { scope: 'workspace' })
  const texts = [parse(await one.text()), parse(await other.text())]
  assert.deepEqual(
    texts.map((families) => total(families, 'svc_rate_limited_total')),
    [1, 0],
  )
  for (const families of texts) assert.ok(total(families, 'process_resident_memory_bytes') > 1_000_000)
})

test('collecting does not keep the process alive', { timeout: 30_000 }, async () => {
  const module = sameKind('../../../src/metrics/process', import.meta.url)
  const code = `const { processText } = await import('${module}'); process.stdout.write((await processText()).slice(0, 6))`
  const child = spawn(process.execPath, [...HOOKS, '--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 20_000,
  })
  let out = ''
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk
  })
  assert.deepEqual(await once(child, 'close'), [0, null])
  assert.equal(out, '# HELP')
})
