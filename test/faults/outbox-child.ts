/**
 * A process that writes numbered events into an outbox, and delivers them until all are delivered or it is killed.
 * Usage: `node outbox-child <store folder> <url> <first number> <number after the last>`.
 */
import { pino } from 'pino'
import { steadyClock, systemClock } from '../../src/domain/clock.ts'
import { parseRanges } from '../../src/egress/addresses.ts'
import { openStore } from '../../src/storage/open-store.ts'
import { createDelivery } from '../../src/webhooks/delivery/delivery.ts'
import { createOutbox } from '../../workers/shard/webhooks/outbox.ts'
import { textEvent } from '../harness/received-event.ts'
import { INSTANCE, sealer, webhookSettings } from '../unit/storage/fixtures.ts'

const AT_ONCE = 10

const [dir, url, from, to] = process.argv.slice(2) as [string, string, string, string]
const store = await openStore(`lmdb:${dir}`)
const { deliver } = createDelivery({ allow: parseRanges(['127.0.0.0/8']), clock: systemClock })
const outbox = createOutbox({
  instanceId: INSTANCE,
  store,
  sealer,
  clock: systemClock,
  steady: steadyClock,
  webhooks: () => webhookSettings(url),
  deliver,
  log: pino({ enabled: false }),
  steps: () => {},
})
await outbox.start()
for (let n = Number(from); n < Number(to); n += AT_ONCE) {
  const numbers = Array.from({ length: Math.min(AT_ONCE, Number(to) - n) }, (_, index) => n + index)
  const events = numbers.map((number) => ({ number, ...outbox.append(textEvent(`m${number}`, Date.now())) }))
  await store.commit({ ops: events.flatMap(({ ops }) => ops) })
  for (const { eventId } of events) outbox.committed(eventId)
  // The process prints an event only after the event is on disk.
  process.stdout.write(events.map(({ number, eventId }) => `${number} ${eventId}\n`).join(''))
}
setInterval(() => {
  if (outbox.backlog() === 0) process.exit(0)
}, 50)
