import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOwnerWatch, type Verdict } from '../../../src/storage/drivers/postgres/owner/owner-watch.ts'

const HOLDER = '1 today'

interface Look {
  /** Time in ms between the previous look and this one. */
  after?: number
  beat?: number | null
  isLocked?: boolean
  holder?: string
}

/**
 * Returns what the standby decides after each look at the owner. If a look has no counter, it finds the same counter as
 * the look before it.
 */
function verdicts(looks: readonly Look[]): Verdict[] {
  let now = 0
  let beat: number | null = 1
  const watch = createOwnerWatch(() => now)
  return looks.map((look) => {
    now += look.after ?? 1_000
    if (look.beat !== undefined) beat = look.beat
    const node = beat === null ? undefined : { writer: 'a', beat }
    return watch.judge({ node, holder: (look.isLocked ?? true) ? (look.holder ?? HOLDER) : undefined }, now)
  })
}
const times = (count: number, look: Look = {}): Look[] => Array.from({ length: count }, () => look)
/** Returns the index of the first look after which the owner may be replaced, or -1. */
const isReplacedAt = (looks: readonly Look[]) => verdicts(looks).findIndex((verdict) => verdict !== 'alive')

test('an owner whose counter grows is alive, however long', () => {
  assert.equal(isReplacedAt(Array.from({ length: 100 }, (_, beat) => ({ beat }))), -1)
})

test('an owner that holds its lock stands still when its counter has been the same for 5 s', () => {
  assert.equal(verdicts(times(6)).at(-1), 'still')
  assert.equal(isReplacedAt(times(20)), 5)
  assert.equal(isReplacedAt([...times(5), { beat: 2 }, ...times(20)]), 10)
  assert.equal(isReplacedAt(times(20, { after: 1_400 })), 4)
})

test('an owner that lost its lock is dead when its counter has been the same for 2 s', () => {
  assert.equal(verdicts([{}, ...times(3, { isLocked: false })]).at(-1), 'dead')
  assert.equal(isReplacedAt([{}, ...times(20, { isLocked: false })]), 3)
  assert.equal(isReplacedAt([...times(4), ...times(20, { isLocked: false })]), 6)
  // Here the owner was only disconnected, and has taken its lock again.
  assert.equal(isReplacedAt([...times(2, { isLocked: false }), { beat: 2 }, ...times(4)]), -1)
})

test('an owner that was never seen with its lock, or at work, gets the longer time', () => {
  assert.equal(isReplacedAt(times(20, { isLocked: false })), 5)
  assert.equal(isReplacedAt([{ isLocked: false }, { isLocked: false, beat: 2 }, ...times(20, { isLocked: false })]), 3)
})

test('another connection with the lock begins a new observation', () => {
  assert.equal(isReplacedAt([...times(5), ...times(20, { holder: '2 today' })]), 10)
})

test('after a failover the owner gets the longer time, because the new server never had its lock', () => {
  let now = 0
  const watch = createOwnerWatch(() => now)
  const look = (holder: string | undefined, writer = 'a') => {
    now += 1_000
    return watch.judge({ node: { writer, beat: 1 }, holder }, now)
  }
  look(HOLDER)
  watch.forget()
  const found = Array.from({ length: 6 }, () => look(undefined))
  assert.deepEqual(found, [...times(5).map(() => 'alive'), 'dead'])
  // Service `b` has replaced the owner, and the standby has not seen `b` at work yet. So the longer time applies.
  look(HOLDER)
  const other = Array.from({ length: 6 }, () => look(undefined, 'b'))
  assert.deepEqual(other, [...times(5).map(() => 'alive'), 'dead'])
})

test('after a gap between two looks the owner gets the whole time again', () => {
  assert.equal(isReplacedAt([...times(4), { after: 1_501 }, ...times(20)]), 9)
  assert.equal(isReplacedAt(times(100, { after: 1_501 })), -1)
})

test('a look whose answer came late counts from its beginning', () => {
  let now = 0
  const watch = createOwnerWatch(() => now)
  const node = { writer: 'a', beat: 1 }
  const found: Verdict[] = []
  for (let count = 0; count < 7; count++) {
    now += 1_000
    found.push(watch.judge({ node, holder: HOLDER }, now - 900))
  }
  assert.deepEqual(found.slice(4), ['alive', 'alive', 'still'])
})

test('a schema that nobody owns is free, and one whose owner has just begun is not', () => {
  assert.deepEqual(verdicts([{ beat: null, isLocked: false }]), ['free'])
  assert.deepEqual(
    verdicts(times(9, { beat: null })),
    times(9).map(() => 'alive'),
  )
})

test('another owner, and a database that was away, begin a new observation', () => {
  let now = 0
  const watch = createOwnerWatch(() => now)
  const look = (writer: string) => {
    now += 1_000
    return watch.judge({ node: { writer, beat: 0 }, holder: HOLDER }, now)
  }
  for (let count = 0; count < 5; count++) assert.equal(look('a'), 'alive')
  assert.equal(look('b'), 'alive')
  watch.forget()
  for (let count = 0; count < 5; count++) assert.equal(look('b'), 'alive')
  assert.equal(look('b'), 'still')
})
