import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_SETTINGS, type InstanceConfig, type WebhookSettings } from '../../../src/domain/instance.ts'
import { createPlacement } from '../../../src/engine/placement.ts'
import type { Shard } from '../../../src/engine/shard-supervisor.ts'

test('an instance that was taken over from a failed service is started like that until it leaves', () => {
  const placement = createPlacement([{ index: 0, generation: () => 1 } as Shard])
  const config: InstanceConfig = { id: 'i', tokenTag: 'tag', settings: DEFAULT_SETTINGS, webhooks: {} as WebhookSettings }
  assert.equal(placement.place(config, 'takeover')!.again, 'takeover')
  assert.equal(placement.place(config, 'boot')!.again, 'takeover')
  placement.remove('i')
  assert.equal(placement.place(config, 'boot')!.again, 'boot')
})
