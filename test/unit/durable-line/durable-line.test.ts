/**
 * Compares the durable line (a queue whose rows are in the store) with a simple model. The head of `durable-line.ts`
 * has the table of its states.
 */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { deferred } from '../../../src/lib/deferred.ts'
import type { RangeOptions, StateStore } from '../../../src/storage/contract.ts'
import { createDurableLine, type DurableLine } from '../../../workers/shard/durable-line/durable-line.ts'
import { tempStore } from '../storage/fixtures.ts'

interface Value {
  id: string
  text: string
}

type State = 'coming' | 'stored' | 'waiting' | 'taken' | 'aside' | 'ended'

const RUNS = process.env.SVC_TEST_FULL ? 5_000 : 300

const open = (store: Pick<StateStore, 'range'>, prefix: string, settled: () => Promise<void> = async () => {}, maxRows = 4) =>
  createDurableLine<Value>({
    store,
    prefix,
    idOf: ({ id }) => id,
    decode: (id, bytes) => ({ id, text: Buffer.from(bytes).toString() }),
    settled,
    maxRows,
    readAtOnce: 3,
  })

const action = fc.oneof(
  { weight: 6, arbitrary: fc.constant('store') },
  { weight: 5, arbitrary: fc.constantFrom('add', 'commit', 'announce') },
  { weight: 5, arbitrary: fc.constantFrom('end', 'endLater') },
  { weight: 6, arbitrary: fc.constantFrom('lose', 'back', 'fail', 'pass', 'again', 'reenter', 'race') },
  { weight: 3, arbitrary: fc.constantFrom('removeOther', 'dropOldest') },
  { weight: 1, arbitrary: fc.constant('kill') },
)
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never
const step = fc.record({ action, pick: fc.nat(1_000) })

class Bench {
  readonly #store: StateStore
  readonly #prefix: string
  #line: DurableLine<Value>
  #next = 0
  #hasRead = deferred()
  /** Promise for which every read waits before it returns its rows. */
  #pause = Promise.resolve()
  #rows = new Map<string, State>()
  /**
   * Rows that the line has set aside, but may return again. A row gets here when a new row is added that sorts before
   * it, or at almost the same place.
   */
  readonly #either = new Set<string>()
  /** Rows that are on disk, or were, although the line has not been informed of them yet. */
  readonly #unreported = new Set<string>()
  /** Rows that have ended, although their removal has not reached the disk yet. */
  readonly #unwritten = new Set<string>()

  constructor(store: StateStore, prefix: string) {
    this.#store = store
    this.#prefix = prefix
    this.#line = this.#open()
  }

  #open() {
    return open({ range: (prefix, options) => this.#range(prefix, options) }, this.#prefix, () => this.#settle())
  }

  async *#range(prefix: string, options?: RangeOptions) {
    const found: (readonly [string, Uint8Array])[] = []
    for await (const row of this.#store.range(prefix, options)) found.push(row)
    this.#hasRead.resolve()
    await this.#pause
    yield* found
  }

  async #settle() {
    for (const id of this.#unwritten) await this.#write(id, null)
    this.#unwritten.clear()
  }

  #write = (id: string, text: string | null) =>
    this.#store.commit({ ops: [[this.#prefix + id, text === null ? null : Buffer.from(text)]] })

  #ids = (...states: State[]) => [...this.#rows].flatMap(([id, state]) => (states.includes(state) ? [id] : [])).sort()

  #onDisk() {
    return this.#ids('stored', 'waiting', 'taken', 'aside')
  }

  #announce(id: string) {
    this.#line.committed(id)
    this.#unreported.delete(id)
    for (const other of this.#ids('aside')) if (other > id.slice(0, -1)) this.#either.add(other)
    if (this.#rows.get(id) === 'stored') this.#rows.set(id, 'waiting')
  }

  async #first(): Promise<string | undefined> {
    const found = await this.#line.first()
    const inMemory = this.#line.rows.map(({ id }) => id)
    assert.deepEqual(inMemory, [...new Set(inMemory)].sort(), 'the rows in memory are in order, and none is there twice')
    const [must] = this.#ids('waiting').filter((id) => !this.#either.has(id))
    if (found === undefined) {
      assert.equal(must, undefined, 'a waiting row is found')
      return undefined
    }
    assert.ok(must === undefined || found.id <= must, `${found.id} is before ${must}`)
    const state = this.#rows.get(found.id)
    assert.ok(state === 'waiting' || state === 'stored' || this.#either.has(found.id), `${found.id} is ${state}`)
    assert.equal(found.text, `text ${found.id}`)
    return found.id
  }

  async #end(id: string, isLater: boolean) {
    this.#either.delete(id)
    if (isLater) this.#unwritten.add(id)
    else await this.#write(id, null)
    this.#rows.set(id, 'ended')
    this.#line.ended(id)
  }

  async do(each: Action, pick: number) {
    const one = (ids: readonly string[]) => (ids.length === 0 ? undefined : ids[pick % ids.length])
    if (each === 'add') return this.#add(1 + (pick % 3))
    if (each === 'store') {
      this.#add(1)
      const [id] = this.#ids('coming').slice(-1)
      await this.#commit(id)
      return this.#announce(id!)
    }
    if (each === 'commit') return await this.#commit(one(this.#ids('coming')))
    if (each === 'again') return this.#again()
    if (each === 'kill') return this.#kill()
    if (each === 'race') return await this.#race(one(this.#ids('coming')))
    if (each === 'lose') return void this.#rows.delete(one(this.#ids('coming')) ?? '')
    if (each === 'announce') {
      const id = one([...this.#unreported])
      return id && this.#announce(id)
    }
    if (each === 'reenter') {
      const id = one(this.#ids('ended').filter((ended) => !this.#unwritten.has(ended)))
      if (id === undefined) return
      await this.#write(id, `text ${id}`)
      this.#rows.set(id, 'stored')
      return this.#announce(id)
    }
    if (each === 'removeOther') {
      const id = one(this.#ids('waiting', 'aside'))
      return id && (await this.#end(id, false))
    }
    if (each === 'dropOldest') return await this.#dropOldest(one(this.#ids('coming')))
    const id = await this.#first()
    if (id !== undefined) await this.#attempt(id, each)
  }

  /**
   * Drops the oldest row, as an owner with too many rows does. Before the line learns of the drop, a row `coming` may
   * be committed and reported to the line.
   */
  async #dropOldest(coming: string | undefined) {
    await this.#settle()
    const oldest = this.#line.oldest()
    if (coming !== undefined) {
      await this.#commit(coming)
      this.#announce(coming)
    }
    const id = await oldest
    const [must] = this.#onDisk().filter((each) => !this.#unreported.has(each))
    if (coming === undefined) assert.ok(must === undefined || (id !== undefined && id <= must), `${id} is not after ${must}`)
    if (id === undefined) return
    await this.#end(id, false)
    this.#line.forget()
  }

  #add(count: number) {
    for (let n = 0; n < count; n++) {
      const id = `r${String(this.#next++).padStart(4, '0')}`
      this.#rows.set(id, 'coming')
      this.#line.coming({ id, text: `text ${id}` })
    }
  }

  async #commit(id: string | undefined) {
    if (id === undefined) return
    await this.#write(id, `text ${id}`)
    this.#rows.set(id, 'stored')
    this.#unreported.add(id)
  }

  async #attempt(id: string, how: Action) {
    const before = this.#rows.get(id)!
    if (how === 'pass') {
      this.#line.pass(id)
      this.#rows.set(id, 'aside')
      return void this.#either.delete(id)
    }
    this.#line.take(id)
    this.#rows.set(id, 'taken')
    if (how === 'end' || how === 'endLater') return await this.#end(id, how === 'endLater')
    if (this.#next % 2 === 0) await this.#first()
    if (how === 'back') this.#line.back({ id, text: `text ${id}` })
    else this.#line.forget()
    this.#rows.set(id, before)
  }

  #again() {
    this.#line.again()
    for (const id of this.#ids('aside')) this.#rows.set(id, 'waiting')
    this.#either.clear()
  }

  async #race(id: string | undefined) {
    const { promise, resolve } = deferred()
    this.#pause = promise
    this.#hasRead = deferred()
    const reading = this.#line.first()
    await Promise.race([reading, this.#hasRead.promise])
    if (id !== undefined) {
      await this.#commit(id)
      this.#announce(id)
    }
    resolve()
    await reading
  }

  #kill() {
    for (const ids of [this.#unwritten, this.#unreported, this.#either]) ids.clear()
    this.#line = this.#open()
  }

  async reload() {
    const found: string[] = []
    for await (const [key] of this.#store.range(this.#prefix)) found.push(key.slice(this.#prefix.length))
    this.#rows = new Map(found.map((id) => [id, 'waiting'] as const))
  }

  async check() {
    // The line must return each row that is on disk, exactly once and in order.
    for (const id of this.#unreported) this.#announce(id)
    this.#again()
    const left = this.#onDisk()
    const came: string[] = []
    for (let id = await this.#first(); id !== undefined; id = await this.#first()) {
      came.push(id)
      await this.#attempt(id, 'end')
    }
    assert.deepEqual(came, left)
  }
}

test('random orders of commits, ends, holds, failures and kills find every row once, in order', async (t) => {
  const store = await tempStore(t)
  let run = 0
  const property = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 50 }), async (steps) => {
    const bench = new Bench(store, `line${run++}:`)
    for (const { action: each, pick } of steps) {
      await bench.do(each, pick)
      if (each === 'kill') await bench.reload()
    }
    await bench.check()
  })
  await fc.assert(property, { numRuns: RUNS })
})

test('a read never begins before a row that was removed, and few rows are in memory', async (t) => {
  const store = await tempStore(t)
  const prefix = 'line:'
  let newestEnded = ''
  const range: StateStore['range'] = (under, options) => {
    assert.ok((options?.after ?? '') >= prefix + newestEnded, `it begins at ${options?.after}, before ${newestEnded}`)
    return store.range(under, options)
  }
  const line = open({ range }, prefix)
  const write = (id: string, value: Uint8Array | null) => store.commit({ ops: [[prefix + id, value]] })
  const ids = Array.from({ length: 60 }, (_, index) => `r${String(index).padStart(4, '0')}`)
  for (const [index, id] of ids.entries()) {
    line.coming({ id, text: id })
    await write(id, Buffer.from(id))
    line.committed(id)
    assert.ok(line.rows.length <= 4, `${line.rows.length} rows`)
    if (index % 3 !== 0) continue
    const first = await line.first()
    line.take(first!.id)
    await write(first!.id, null)
    line.ended(first!.id)
    if (index % 2 === 0) line.forget()
    newestEnded = first!.id
  }
  for (let first = await line.first(); first !== undefined; first = await line.first()) {
    line.take(first.id)
    await write(first.id, null)
    line.ended(first.id)
    assert.ok(first.id > newestEnded)
    newestEnded = first.id
    assert.equal(await line.oldest(), ids[ids.indexOf(first.id) + 1])
  }
  assert.equal(newestEnded, ids.at(-1))
})

async function stored(t: TestContext, ids: readonly string[], range?: (store: StateStore) => StateStore['range']) {
  const store = await tempStore(t)
  const prefix = 'line:'
  const write = (id: string, isThere: boolean) => store.commit({ ops: [[prefix + id, isThere ? Buffer.from(id) : null]] })
  for (const id of ids) await write(id, true)
  return { line: open({ range: range?.(store) ?? store.range }, prefix), write }
}

test('the oldest row is found while it is taken and a later one has ended', async (t) => {
  const { line, write } = await stored(t, ['r1', 'r2', 'r3'])
  for (const id of ['r1', 'r2']) {
    assert.equal((await line.first())?.id, id)
    line.take(id)
  }
  await write('r2', false)
  line.ended('r2')
  assert.equal(await line.oldest(), 'r1')
})

test('a row that is found on disk before its commit is reported is in memory once', async (t) => {
  const { line, write } = await stored(t, [])
  const ids = ['r1', 'r2']
  for (const id of ids) {
    line.coming({ id, text: id })
    await write(id, true)
  }
  assert.equal((await line.first())?.id, 'r1')
  ids.forEach(line.committed)
  await line.all()
  assert.deepEqual(
    line.rows.map(({ id }) => id),
    ids,
  )
})

test('a taken row whose attempt failed is found before those that are aside', async (t) => {
  const { line } = await stored(t, ['r1', 'r2', 'r3'])
  assert.equal((await line.first())?.id, 'r1')
  line.take('r1')
  assert.equal((await line.first())?.id, 'r2')
  line.pass('r2')
  line.forget()
  assert.equal((await line.first())?.id, 'r1')
})

test('a read that an earlier row has overtaken is repeated', async (t) => {
  let pause = Promise.resolve()
  let hasRead = deferred()
  const { line, write } = await stored(
    t,
    ['r1', 'r2', 'r3', 'r4', 'r5', 'r6'],
    (store) =>
      async function* range(prefix, options) {
        const found: (readonly [string, Uint8Array])[] = []
        for await (const row of store.range(prefix, options)) found.push(row)
        hasRead.resolve()
        await pause
        yield* found
      },
  )
  for (const id of ['r1', 'r2', 'r3']) {
    assert.equal((await line.first())?.id, id)
    line.take(id)
    await write(id, false)
    line.ended(id)
  }
  const { promise, resolve } = deferred()
  pause = promise
  hasRead = deferred()
  const first = line.first()
  await hasRead.promise
  await write('r2', true)
  line.committed('r2')
  resolve()
  assert.equal((await first)?.id, 'r2')
})
