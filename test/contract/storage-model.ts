/**
 * Compares a store with a model, which is a sorted map. Both get the same commits, reads, ranges and counts, in random
 * order.
 */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Op, RangeOptions } from '../../src/storage/contract.ts'
import type { OpenStore } from '../../src/storage/open-store.ts'

const UUIDS = [
  '00000000-0000-0000-0000-000000000000',
  '00000000-0000-0000-0000-000000000001',
  '7f8f1a52-9c0f-4a43-9a5e-0a7b8f6f2c11',
  '7f8f1a52-9c0f-4a43-9a5e-0a7b8f6f2c12',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
]
/**
 * Generates keys that sort before, between and after the keys of instances, and keys that look like keys of instances
 * but are not.
 */
const key = fc.oneof(
  fc.constantFrom(
    'a',
    'instance',
    'instance:',
    'instance;',
    'instance:7',
    'instance:7f8f1a52-',
    'instance:zz',
    'meta:x',
    '~',
    '!',
  ),
  fc
    .tuple(fc.constantFrom(...UUIDS), fc.constantFrom('', ':', ':a', ':queue:1', ':queue:2', ';', '0', ':~'))
    .map(([uuid, rest]) => `instance:${uuid}${rest}`),
  fc.constantFrom(...UUIDS).map((uuid) => `instance:${uuid.toUpperCase()}:a`),
)
const bound = fc.oneof(
  key,
  fc.tuple(key, fc.nat(45)).map(([each, length]) => each.slice(0, length)),
  fc.tuple(key, fc.constantFrom('!', '~', 'g', ':', '-')).map(([each, more]) => each.slice(0, 20) + more),
)
const prefix = fc.oneof(fc.constant(''), bound)
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
const value = fc.uint8Array({ maxLength: 40 })
const ops = fc.array(fc.tuple(key, fc.option(value)), { maxLength: 8 })
const action = fc.oneof(
  { weight: 3, arbitrary: ops.map((each) => ({ type: 'commit', ops: each as Op[] }) as const) },
  {
    weight: 1,
    arbitrary: fc
      .record({ key, isRight: fc.boolean(), ops })
      .map(({ isRight, ...each }) => ({ type: 'guarded', isRight, ...each }) as const),
  },
  { weight: 2, arbitrary: fc.array(key, { maxLength: 5 }).map((keys) => ({ type: 'get', keys }) as const) },
  {
    weight: 4,
    arbitrary: fc
      .record({ prefix, after: optional(bound), limit: optional(fc.nat(6)), reverse: fc.boolean() })
      .map((each) => ({ type: 'range', ...each }) as const),
  },
  {
    weight: 2,
    arbitrary: fc
      .record({ prefix, from: optional(bound), before: optional(bound) })
      .map((each) => ({ type: 'count', ...each }) as const),
  },
)
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never

class Model {
  entries = new Map<string, Uint8Array>()

  apply(all: readonly Op[]) {
    for (const [each, bytes] of all) {
      if (bytes === null) this.entries.delete(each)
      else this.entries.set(each, bytes)
    }
  }

  under(begin: string) {
    return [...this.entries].filter(([each]) => each.startsWith(begin)).sort(([one], [other]) => (one < other ? -1 : 1))
  }
}

const hex = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString('hex')

async function check(store: OpenStore, model: Model, each: Action): Promise<void> {
  if (each.type === 'commit') {
    model.apply(each.ops)
    assert.equal(await store.commit({ ops: each.ops }), true)
  } else if (each.type === 'guarded') {
    const found = model.entries.get(each.key)
    const equals = each.isRight ? (found ?? null) : found === undefined ? Buffer.from('?') : null
    if (each.isRight) model.apply(each.ops as Op[])
    assert.equal(await store.commit({ guard: { key: each.key, equals }, ops: each.ops as Op[] }), each.isRight)
  } else if (each.type === 'get') {
    const found = await Promise.all(each.keys.map((one) => store.get(one)))
    assert.deepEqual(
      found.map(hex),
      each.keys.map((one) => hex(model.entries.get(one))),
    )
  } else if (each.type === 'count') {
    const { from, before: end } = each
    const expected = model
      .under(each.prefix)
      .filter(([one]) => (from === undefined || one >= from) && (end === undefined || one < end))
    assert.equal(await store.count(each.prefix, { from, before: end }), expected.length)
  } else {
    const { after: start, limit, reverse } = each
    const all = model.under(each.prefix)
    const ordered = reverse ? all.reverse() : all
    const expected = ordered.filter(([one]) => start === undefined || (reverse ? one < start : one > start)).slice(0, limit)
    const found: (string | undefined)[][] = []
    const options: RangeOptions = {
      reverse,
      ...(start === undefined ? {} : { after: start }),
      ...(limit === undefined ? {} : { limit }),
    }
    for await (const [one, bytes] of store.range(each.prefix, options)) found.push([one, hex(bytes)])
    assert.deepEqual(
      found,
      expected.map(([one, bytes]) => [one, hex(bytes)]),
    )
  }
}

/** Empties the store, and then compares it with the model in `numRuns` random sequences of actions. */
export async function checkModel(store: OpenStore, numRuns: number): Promise<void> {
  const property = fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 25 }), async (actions) => {
    await store.storage.clear()
    const model = new Model()
    for (const each of actions) await check(store, model, each)
  })
  await fc.assert(property, { numRuns })
}
