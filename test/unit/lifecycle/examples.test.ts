/**
 * Tests the statuses in the examples of the OpenAPI description and in the test webhook. For each example
 * there must be one state of an instance that gives all of its status fields.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CREATED, type RuntimeState, STATUS_REASONS, STATUSES } from '../../../src/domain/instance.ts'
import { sentence } from '../../../src/domain/sentences.ts'
import { eventExamples } from '../../../src/features/event-examples.ts'
import { endpoints } from '../../../src/features/index.ts'
import { statusEvent } from '../../../workers/shard/lifecycle/status.ts'
import { sampleEvent } from '../../../workers/shard/webhooks/sample.ts'

type Fields = Record<string, unknown>

const states: RuntimeState[] = STATUSES.flatMap((status) =>
  [null, ...STATUS_REASONS].map((reason) => ({ ...CREATED, status, reason })),
)

const has = (given: object, wanted: Fields) =>
  Object.entries(given).every(([name, value]) => !(name in wanted) || value === wanted[name])

test('an example of instance_status is an event that a state gives', () => {
  const { body: sample } = sampleEvent('instance_status', 0)
  for (const { name, value } of [...eventExamples.instance_status, { name: 'sample', value: { ...sample } as Fields }]) {
    const { phone: _, ...fields } = value
    const isGiven = states.some((state) =>
      has(statusEvent(state, value.previous_status as never, 0).body, { phone: null, ...fields }),
    )
    assert.ok(isGiven, `${name}: ${JSON.stringify(fields)}`)
  }
})

const shownIn = (reply: unknown): Fields[] => {
  if (typeof reply !== 'object' || reply === null) return []
  const inner = Object.values(reply).flatMap(shownIn)
  return 'status' in reply && 'connected' in reply ? [reply as Fields, ...inner] : inner
}

test('an example of an answer with the status of an instance is one that a state gives', () => {
  let checked = 0
  for (const { id, examples } of endpoints)
    for (const { name, reply } of examples)
      for (const shown of shownIn(reply)) {
        checked++
        const isGiven = states.some((state) =>
          has(
            {
              status: state.status,
              status_reason: state.reason,
              connected: state.status === 'connected',
              error: sentence(state),
            },
            shown,
          ),
        )
        assert.ok(isGiven, `${id}, ${name}: ${JSON.stringify(shown)}`)
      }
  assert.ok(checked > 3)
})
