import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerOf, measuredOf, reachedBy, type Shown } from '../../../bench/reached.ts'

const FIGURE = 'texts per s, 50 instances'

function shown(idle: number, perS: number): Shown {
  const gateway = {
    per_s: { median: perS, spread: [perS - 10, perS + 10] },
    cpu_ms: { median: 4.4, spread: [4, 5] },
    cores: { idle },
  }
  const row = { bench: 'send-text', seconds: 1, load: 0, result: { saturated_50: { gateway } } }
  return reachedBy([row]).find(({ figure }) => figure === FIGURE)!
}

test('a rate below its target on a full machine is not a miss, and the cost of the service is shown', () => {
  const full = shown(0.1, 300)
  assert.equal(answerOf(full), '?')
  assert.equal(measuredOf(full), '300 [290–310] (machine full, own cost 4.4 ms)')
})

test('a rate below its target on a machine with an idle core is a miss', () => {
  assert.equal(answerOf(shown(0.5, 300)), 'no')
  assert.equal(measuredOf(shown(0.5, 300)), '300 [290–310]')
})

test('a rate that reaches its target on a full machine is reached', () => {
  assert.equal(answerOf(shown(0.1, 700)), 'yes')
})
