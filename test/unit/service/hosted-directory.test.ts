import assert from 'node:assert/strict'
import { test } from 'node:test'
import { steadyClock } from '../../../src/domain/clock.ts'
import { hostedDirectory } from '../../../src/service/cluster/hosted-directory.ts'

test('only an instance whose session is open counts as connected', () => {
  const statuses = new Map([
    ['open', 'connected'],
    ['opening', 'connecting'],
    ['shut', 'disconnected'],
  ])
  const { isConnected } = hostedDirectory({
    directory: {
      ids: () => [],
      isKnown: (id) => statuses.has(id),
      config: () => assert.fail('the settings are not needed'),
      state: (id) => ({ status: statuses.get(id) ?? assert.fail('an unknown instance has no state') }) as never,
    },
    main: { catchUp: async () => {} },
    isPaused: () => false,
    clock: steadyClock,
  })
  assert.deepEqual(['open', 'opening', 'shut', 'deleted'].map(isConnected), [true, false, false, false])
})
