/** Builds the parts of an outbox that most tests have in common. */
import { parseRanges } from '../../../src/egress/addresses.ts'
import type { StateStore } from '../../../src/storage/contract.ts'
import { createDelivery } from '../../../src/webhooks/delivery/delivery.ts'
import type { OutboxOptions } from '../../../workers/shard/webhooks/outbox.ts'
import { INSTANCE, type manualTime, sealer } from '../storage/fixtures.ts'

type Time = ReturnType<typeof manualTime>

type Varying = Pick<OutboxOptions, 'webhooks' | 'deliver' | 'log'> & Partial<OutboxOptions>

/** Returns the options of an outbox whose time the test sets. */
export const outboxOptions = (store: StateStore, { clock, timer }: Time, varying: Varying): OutboxOptions => ({
  steps: () => {},
  instanceId: INSTANCE,
  store,
  sealer,
  clock,
  steady: clock,
  timer,
  ...varying,
})

/** Returns a delivery that posts to receivers on this machine. The caller must close its connections. */
export const localDelivery = ({ clock }: Time) => createDelivery({ allow: parseRanges(['127.0.0.0/8']), clock })
