import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../../../src/domain/log.ts'
import { memberMoves } from '../../../src/health/member-moves.ts'
import { createTally } from '../../../src/metrics/tally.ts'
import { createClusterHosting } from '../../../src/service/cluster/cluster-hosting.ts'
import type { ClusterHostingDeps } from '../../../src/service/cluster/contract.ts'
import { giveAway } from '../../../src/service/cluster/give-away.ts'
import { createHomeMap } from '../../../src/service/cluster/home-map.ts'
import type { Homes, StoredHome } from '../../../src/storage/homes.ts'
import { until } from '../../harness/until.ts'

const log: Log = { info() {}, warn() {}, error() {} }
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `instance ${index}`)

/** Creates the member `a` of a cluster. No member has the instances in `free` yet. */
function world(free: readonly string[], deps: Partial<ClusterHostingDeps> = {}) {
  let now = 0
  let listener = () => {}
  const own = new Set<string>()
  const started: string[] = []
  const hosted = new Set<string>()
  const paused = new Set<string>()
  const homes = {
    async claim(instances: readonly string[]) {
      for (const each of instances) own.add(each)
      return new Set(instances)
    },
    async release(instances: readonly string[]) {
      for (const each of instances) own.delete(each)
    },
    async remove() {},
    isOwn: (instance: string) => own.has(instance),
    own: () => [...own],
    isSettledElsewhere: (instance: string) => !own.has(instance),
    all: async () =>
      free.map((instance): StoredHome => {
        const isOwn = own.has(instance)
        return { instance, writer: isOwn ? 'a' : null, wanted: null, isFree: !isOwn, isTakenOver: false }
      }),
    ...(deps.homes as Partial<Homes> | undefined),
  } satisfies Homes
  const members = {
    others: () => [],
    onLook(each: () => void) {
      listener = each
    },
  }
  const hosting = createClusterHosting({
    self: 'a',
    startsPerSecond: 25,
    homes,
    members,
    map: createHomeMap(homes, members),
    store: { get: async () => new Uint8Array(1) },
    keyRing: { learn: async () => {} },
    directory: {
      ids: () => free,
      has: () => true,
      config: (id) => ({ id }) as never,
      isPaused: (id) => paused.has(id),
      isConnected: () => true,
      mayMove: () => true,
      catchUp: async () => {},
    },
    stop: async (id) => void hosted.delete(id),
    isHosted: (id) => hosted.has(id),
    erase: async () => {},
    askToLook: async () => undefined,
    tally: createTally(),
    clock: { now: () => now },
    log,
    ...deps,
    start(config, how) {
      hosted.add(config.id)
      return deps.start?.(config, how) ?? Promise.resolve(started.push(config.id))
    },
    ...(deps.homes && { homes }),
  })
  return {
    hosting,
    started,
    own,
    hosted,
    paused,
    async look(afterMs = 1_000) {
      now += afterMs
      listener()
      for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate)
    },
  }
}

test('an erasure that fails or takes long holds up neither the start of a member nor the instances that it claims later', async () => {
  const erasures: string[] = []
  const free = ['left 1', 'left 2', 'whole']
  const { hosting, started, look } = world(free, {
    store: { get: async (key) => (key.includes('left') ? undefined : new Uint8Array(1)) },
    async erase([instance]) {
      erasures.push(instance!)
      if (erasures.length > 1) await new Promise(() => {})
      throw new Error('the bucket is away')
    },
  })
  await hosting.begin()
  assert.deepEqual(started, ['whole'])
  free.push('later')
  await look()
  assert.deepEqual(started, ['whole', 'later'])
  await look()
  assert.deepEqual(erasures, ['left 1', 'left 2'], 'one after the other')
})

test('the pauses between two attempts of an erasure become longer', async () => {
  let erasures = 0
  const { hosting, look } = world(['left'], {
    store: { get: async () => undefined },
    async erase() {
      erasures++
      throw new Error('the bucket is away')
    },
  })
  await hosting.begin()
  for (let second = 0; second < 20; second++) await look()
  assert.equal(erasures, 5)
})

test('a member begins although its first look does not end', async () => {
  const { hosting } = world(numbered(2), {
    homes: { all: () => new Promise(() => {}) } as never,
    times: { beginWithin: 10 },
  })
  await hosting.begin()
})

test('a member claims only what it can start soon, and more as soon as it has started that', async () => {
  const free = numbered(300)
  const starts: (() => void)[] = []
  const { hosting, own, look } = world(free, { start: () => new Promise<void>((resolve) => starts.push(resolve)) })
  await hosting.begin()
  assert.equal(own.size, 75)
  await look()
  assert.equal(own.size, 75)
  for (const end of starts.splice(0, 25)) end()
  await look()
  assert.equal(own.size, 100)
  for (const end of starts.splice(0)) end()
  await look(0)
  assert.equal(own.size, 175)
  await look(15_000)
  assert.equal(own.size, 300)
})

test('a member asks the one to which it has given an instance to look for it', async () => {
  const asked: string[] = []
  const others = [{ id: 'b', name: 'b', host: '127.0.0.1', port: 1 }]
  const { hosting } = world(numbered(3), {
    members: { others: () => others, onLook() {} },
    askToLook: async ({ id }) => void asked.push(id),
    times: { drainEvery: 1, patience: 0 },
  })
  await hosting.begin()
  await hosting.drain(1_000)
  assert.ok(asked.length > 0 && asked.every((id) => id === 'b'))
})

const countsOf = (members: readonly string[]) => new Map(members.map((member) => [member, 0]))

test('a member that leaves gives nothing to another one that leaves, and nothing at all if none stays', async () => {
  const given: [instance: string, to: string][] = []
  let staying = ['b', 'c']
  const giveEach = () =>
    giveAway(numbered(6), {
      map: { countsOf, homeOf: () => undefined },
      moves: {
        async give(instance, to) {
          given.push([instance, to])
          if (given.length === 2) staying = ['c']
          return true
        },
        has: () => false,
      },
      others: () => staying,
      isConnected: () => true,
      every: 1,
      leftMs: () => 60_000,
    })
  await giveEach()
  assert.deepEqual(
    given,
    numbered(6).map((each, index) => [each, index === 0 ? 'b' : 'c']),
  )
  staying = []
  given.length = 0
  await giveEach()
  assert.deepEqual(given, [])
})

test('a member that leaves gives nothing to one that leaves its instances unclaimed, unless there is no other', async () => {
  let leftMs = 60_000
  const given = new Map<string, string>()
  const isFree = (instance: string) => given.get(instance) === 'unfit'
  const give = (instances: readonly string[], others: readonly string[]) =>
    giveAway(instances, {
      map: {
        countsOf,
        homeOf(instance) {
          const to = given.get(instance)
          if (to === undefined) return undefined
          const wanted = isFree(instance) ? to : null
          return { instance, wanted, writer: isFree(instance) ? null : to, isFree: isFree(instance), isTakenOver: false }
        },
      },
      moves: {
        async give(instance, to) {
          given.set(instance, to)
          leftMs -= 200
          return true
        },
        has: () => false,
      },
      others: () => others,
      isConnected: () => true,
      every: 1,
      leftMs: () => leftMs,
    })
  await give(numbered(30), ['fit', 'unfit'])
  const toUnfit = [...given.values()].flatMap((to, index) => (to === 'unfit' ? [index] : []))
  assert.equal(given.size, 30)
  // A second passes with five instances of 200 ms each.
  assert.ok(toUnfit.length > 0 && toUnfit.at(-1)! <= 8, toUnfit.join())
  given.clear()
  await give(numbered(10), ['unfit'])
  assert.equal(given.size, 10)
})

test('a member that leaves keeps instances until the other member has opened the sessions of earlier ones, if there is time', async () => {
  const given: string[] = []
  const connected = new Set(numbered(20))
  let leftMs = 60_000
  const giving = giveAway(numbered(20), {
    map: { countsOf, homeOf: () => undefined },
    moves: {
      async give(instance) {
        given.push(instance)
        connected.delete(instance)
        return true
      },
      has: () => false,
    },
    others: () => ['b'],
    isConnected: (instance) => connected.has(instance),
    every: 1,
    leftMs: () => leftMs,
  })
  const givesOnly = async (count: number) => {
    await until(
      async () => given.length,
      (now) => now >= count,
    )
    await pause(30)
    assert.equal(given.length, count)
  }
  await givesOnly(8)
  for (const each of given.slice(0, 3)) connected.add(each)
  await givesOnly(11)
  // The other member has not opened the sessions within five seconds, so the leaving member no longer waits for them.
  leftMs -= 5_000
  await givesOnly(19)
  // Almost no time is left, so this member no longer waits for the other member.
  leftMs = 2
  await giving
  assert.deepEqual(given, numbered(20))
})

test('moves and claims are counted by their reason', async () => {
  const tally = createTally()
  const others = [{ id: 'b', name: 'b', host: '127.0.0.1', port: 1 }]
  const home = (instance: string, change: Partial<StoredHome>) => ({
    instance,
    writer: null,
    wanted: null,
    isFree: true,
    isTakenOver: false,
    ...change,
  })
  const own = new Set<string>()
  const { hosting } = world([], {
    tally,
    homes: {
      async claim(instances: readonly string[]) {
        for (const each of instances) own.add(each)
      },
      async release([instance]: readonly string[]) {
        if (instance === 'kept') throw new Error('the database is away')
        own.delete(instance!)
      },
      isOwn: (instance: string) => own.has(instance),
      all: async () => [
        home('given', { wanted: 'a' }),
        home('kept', { wanted: 'a' }),
        home('failed', { writer: 'x' }),
        home('left', {}),
        // The store has an earlier claim of this member, but the answer to it was lost.
        home('unsure', { writer: 'a', isFree: false }),
      ],
      isSettledElsewhere: (instance: string) => !own.has(instance),
    } as never,
    directory: {
      ids: () => ['given', 'kept', 'failed', 'left', 'unsure'],
      has: () => true,
      config: (id) => ({ id }) as never,
      isPaused: () => false,
      isConnected: () => true,
      mayMove: () => true,
      catchUp: async () => {},
    },
    members: { others: () => (own.size > 0 ? others : []), onLook() {} },
    times: { drainEvery: 1 },
  })
  await hosting.begin()
  await hosting.drain(1_000)
  const numbers = Object.fromEntries(tally.numbers())
  assert.deepEqual(numbers, {
    'svc_homes_claimed_total|move': 2,
    'svc_homes_claimed_total|failure': 1,
    'svc_homes_claimed_total|stop': 1,
    'svc_moves_total|drain|given': 4,
    'svc_moves_total|drain|failed': 1,
  })
  assert.deepEqual(memberMoves(tally.numbers()), { given: 4, taken: 3, taken_over: 1 })
})

test('an instance that the member has but does not run is started after two looks, unless a command has stopped it', async () => {
  const { hosting, started, hosted, paused, look } = world(['left', 'paused', 'runs'])
  await hosting.begin()
  started.length = 0
  for (const each of ['left', 'paused']) hosted.delete(each)
  paused.add('paused')
  await look()
  assert.deepEqual(started, [], 'it may be in the middle of its start')
  await look()
  await look()
  assert.deepEqual(started, ['left'])
})

test('what was claimed is started, also while nothing more can be claimed', async () => {
  const free = ['first']
  const own = new Set<string>()
  const { hosting, started, look } = world(free, {
    homes: {
      async claim([first]: readonly string[]) {
        if (own.size > 0) throw new Error('the disk of the database is full')
        own.add(first!)
      },
      isOwn: (instance: string) => own.has(instance),
    } as never,
    keyRing: {
      async learn() {
        if (free.length === 1) throw new Error('the key could not be read')
      },
    },
  })
  await hosting.begin()
  assert.deepEqual(started, [])
  free.push('second')
  await look()
  assert.deepEqual(started, ['first'])
})

test('an instance is started with the settings that another member has just stored', async () => {
  let settings = 'old'
  const started: unknown[] = []
  const { hosting } = world(numbered(2), {
    directory: {
      ids: () => numbered(2),
      has: () => true,
      config: () => settings as never,
      isConnected: () => true,
      mayMove: () => true,
      isPaused: () => false,
      async catchUp() {
        settings = 'new'
      },
    },
    start: async (config) => void started.push(config),
  })
  await hosting.begin()
  assert.deepEqual(started, ['new', 'new'])
})

const OTHERS = [{ id: 'b', name: 'b', host: '127.0.0.1', port: 1 }]

/**
 * Simulates which member has which instance in the store. `writers`: the member of each instance, or null. `wanted`:
 * the member to which an instance was released.
 */
function storedHomes(instances: readonly string[]) {
  const writers = new Map<string, string | null>(instances.map((each) => [each, null]))
  const wanted = new Map<string, string>()
  const takenOver = new Set<string>()
  const own = new Set<string>()
  const homes: Homes = {
    async claim(some, { isAnybodys = false } = {}) {
      for (const each of some) {
        if (writers.get(each) !== null || (wanted.get(each) ?? 'a') !== 'a')
          if (writers.get(each) !== 'a' && !isAnybodys) continue
        writers.set(each, 'a')
        wanted.delete(each)
        own.add(each)
      }
      return new Set(some.filter((each) => own.has(each)))
    },
    async release(some, to) {
      for (const each of some) {
        own.delete(each)
        writers.set(each, null)
        if (to !== undefined) wanted.set(each, to)
      }
    },
    async remove() {},
    isOwn: (instance) => own.has(instance),
    own: () => [...own],
    isSettledElsewhere: (instance) => !own.has(instance),
    all: async () =>
      [...writers].map(([instance, writer]) => ({
        instance,
        writer,
        wanted: wanted.get(instance) ?? null,
        isFree: writer === null,
        isTakenOver: takenOver.has(instance),
      })),
  }
  return { homes, writers, wanted, takenOver, own }
}

test('a deleted instance is erased although the answer to its claim was lost', async () => {
  const { homes, writers, own } = storedHomes(['deleted'])
  writers.set('deleted', 'a')
  const erased: string[] = []
  const { hosting, look } = world([], {
    homes,
    store: { get: async () => undefined },
    erase: async (ids) => void erased.push(...ids),
  })
  await hosting.begin()
  await look()
  assert.deepEqual([[...own], erased], [['deleted'], ['deleted']])
})

test('an instance that was taken over is started like that by each later member, too', async () => {
  const { homes, takenOver } = storedHomes(['moved', 'fresh'])
  takenOver.add('moved')
  const hows: string[] = []
  const { hosting } = world(['moved', 'fresh'], {
    homes,
    start: async ({ id }, how) => void hows.push(`${id} ${how}`),
  })
  await hosting.begin()
  assert.deepEqual(hows, ['moved takeover', 'fresh boot'])
})

const NOT_STARTABLE: [what: string, deps: (now: () => number) => Partial<ClusterHostingDeps>][] = [
  ['whose key is missing', () => ({ keyRing: { learn: async (id: string) => assert.notEqual(id, 'bad') } })],
  [
    'that its thread cannot start',
    (now) => ({ failingFor: (id: string) => (id === 'bad' && now() < 100_000 ? now() : undefined) }),
  ],
]
for (const [what, deps] of NOT_STARTABLE)
  test(`an instance ${what} is given to another member after a while, and not claimed again soon`, async () => {
    const { homes, writers, wanted, own } = storedHomes(['bad', 'good'])
    let now = 0
    let onLook = () => {}
    const { hosting, look } = world(['bad', 'good'], {
      homes,
      members: {
        others: () => OTHERS,
        onLook(each) {
          onLook = each
        },
      },
      times: { patience: 1_000 },
      clock: { now: () => now },
      ...deps(() => now),
    })
    const lookAfter = async (ms: number) => {
      now += ms
      onLook()
      await look()
    }
    await hosting.begin()
    await lookAfter(1_000)
    assert.deepEqual([...own].sort(), ['bad', 'good'])
    await lookAfter(60_000)
    await lookAfter(1_000)
    assert.deepEqual([writers.get('bad'), wanted.get('bad'), writers.get('good')], [null, 'b', 'a'])
    // The other member gives the instance back, so for a while no member has it.
    wanted.set('bad', 'a')
    await lookAfter(0)
    assert.equal(writers.get('bad'), null)
    await lookAfter(601_000)
    assert.equal(writers.get('bad'), 'a')
  })

test('an instance that cannot be started stays if no other member can get it, and one line says so', async () => {
  const lines: string[] = []
  const { hosting, own, look } = world(['bad'], {
    failingFor: () => 60_000,
    log: { ...log, error: (_, line) => void lines.push(line) },
  })
  await hosting.begin()
  for (let second = 0; second < 3; second++) await look()
  assert.deepEqual([[...own], lines.length], [['bad'], 1])
  assert.deepEqual([hosting.failingFor('bad'), hosting.failingFor('of another member')], [60_000, undefined])
})

test('a member of which no thread runs claims only what no other member claims', async () => {
  let canStart = false
  const free = ['one']
  const { hosting, own, look } = world(free, { canStart: () => canStart, times: { patience: 2_000 } })
  await hosting.begin()
  await look(5_000)
  assert.equal(own.size, 0)
  await look(1_000)
  assert.equal(own.size, 1)
  canStart = true
  free.push('two')
  await look()
  assert.equal(own.size, 2)
})

test('a member that can probably start nothing claims at once what the last other member gives it while it leaves', async () => {
  const { homes, writers, wanted } = storedHomes(['first', 'second'])
  let isLeaving = false
  let onLook = () => {}
  const { hosting, look } = world(['first', 'second'], {
    homes,
    canStart: () => false,
    members: {
      others: () => OTHERS.map((each) => ({ ...each, isLeaving })),
      onLook(each) {
        onLook = each
      },
    },
  })
  const lookAgain = async () => {
    onLook()
    await look()
  }
  for (const each of ['first', 'second']) wanted.set(each, 'a')
  writers.set('second', 'b')
  await hosting.begin()
  await lookAgain()
  assert.equal(writers.get('first'), null, 'the other member stays, and claims it soon')
  isLeaving = true
  writers.set('second', null)
  await lookAgain()
  assert.deepEqual([...writers.values()], ['a', 'a'])
})

test('an instance that a command has stopped for a while is neither started nor given away', async () => {
  let onLook = () => {}
  const warned: object[] = []
  const { hosting, started, paused, hosted, own, look } = world(['paused', 'other'], {
    members: {
      others: () => OTHERS,
      onLook(each) {
        onLook = each
      },
    },
    times: { drainEvery: 1, patience: 0 },
    failingFor: (id) => (id === 'paused' ? 60_000 : undefined),
    log: { ...log, warn: (fields) => void warned.push(fields) },
  })
  paused.add('paused')
  await hosting.begin()
  assert.deepEqual(started, ['other'])
  hosted.add('paused')
  onLook()
  await look()
  assert.deepEqual([[...own].sort(), warned], [['other', 'paused'], []])
  await hosting.drain(1_000)
  assert.deepEqual([...own], ['paused'])
})

test('an instance still runs while its giving away is prepared, and stays if it is deleted meanwhile', async () => {
  const prepared: string[] = []
  const ids = ['moves', 'deleted']
  const { hosting, hosted, own } = world(ids, {
    members: { others: () => OTHERS, onLook() {} },
    times: { drainEvery: 1, patience: 0 },
    directory: {
      ids: () => ids,
      has: (id) => id !== 'deleted' || prepared.length < 2,
      config: (id) => ({ id }) as never,
      isPaused: () => false,
      isConnected: () => true,
      mayMove: () => true,
      catchUp: async () => {},
    },
  })
  await hosting.begin()
  hosting.beforeGiving(async (id) => void prepared.push(`${id} ${hosted.has(id)}`))
  await hosting.drain(1_000)
  assert.deepEqual([prepared, [...own]], [['moves true', 'deleted true'], ['deleted']])
})

test('a member that could start none of its instances claims no others for a while', async () => {
  const ids = numbered(4)
  const { homes, writers, own } = storedHomes(ids)
  let onLook = () => {}
  let now = 0
  const { hosting, look } = world(ids, {
    homes,
    members: {
      others: () => OTHERS,
      onLook(each) {
        onLook = each
      },
    },
    times: { patience: 1_000 },
    clock: { now: () => now },
    keyRing: { learn: async () => assert.fail('the folder with the keys is away') },
  })
  const lookAfter = async (ms: number) => {
    now += ms
    onLook()
    await look()
  }
  await hosting.begin()
  for (let second = 0; second < 4; second++) await lookAfter(1_000)
  assert.equal(own.size, 4)
  await lookAfter(50_000)
  assert.equal(own.size, 0)
  writers.set('of a dead member', null)
  for (let second = 0; second < 2; second++) await lookAfter(1_000)
  assert.equal(writers.get('of a dead member'), null)
  await lookAfter(3_000)
  assert.equal(writers.get('of a dead member'), 'a')
})

test('an instance that a command stops while its giving away is prepared stays', async () => {
  const { hosting, paused, own } = world(['exported'], {
    members: { others: () => OTHERS, onLook() {} },
    times: { drainEvery: 1, patience: 0 },
  })
  await hosting.begin()
  hosting.beforeGiving(async (id) => void paused.add(id))
  await hosting.drain(1_000)
  assert.deepEqual([...own], ['exported'])
})

/** A member that cannot start its only instance, beside the member b. */
function failingMember(deps: Partial<ClusterHostingDeps>) {
  const { homes, wanted, own } = storedHomes(['bad'])
  let now = 0
  let onLook = () => {}
  const given: string[] = []
  const lines: string[] = []
  const { hosting, started, look } = world(['bad'], {
    members: {
      others: () => OTHERS,
      onLook(each) {
        onLook = each
      },
    },
    times: { patience: 1_000 },
    clock: { now: () => now },
    failingFor: () => 60_000,
    log: { ...log, error: (_, line) => void lines.push(line) },
    ...deps,
    homes: {
      ...homes,
      async release(some, to) {
        given.push(`${some} ${to}`)
        await homes.release(some, to)
      },
      ...deps.homes,
    },
  })
  async function lookAfter(ms: number) {
    now += ms
    onLook()
    await look()
  }
  return {
    hosting,
    started,
    own,
    given,
    lines,
    lookAfter,
    /** The other member gives the instance back after a while, because that member cannot start it either. */
    async comesBack() {
      wanted.set('bad', 'a')
      await lookAfter(1_000)
      await lookAfter(3_000)
    },
  }
}

test('an instance that could not be given is given soon again, and not only after the time for which it is kept away', async () => {
  let stops = 0
  const { hosting, started, given, lookAfter } = failingMember({
    stop: async () => void (++stops === 1 && assert.fail('the thread does not answer')),
  })
  await hosting.begin()
  await lookAfter(1_000)
  await lookAfter(1_000)
  for (let second = 0; second < 3; second++) await lookAfter(1_000)
  assert.deepEqual([stops, given, started], [1, [], ['bad', 'bad']], 'it is started here again')
  await lookAfter(60_000)
  assert.deepEqual([stops, given], [2, ['bad b']])
})

test('an instance that is being given is not reported as one that no other member can get', async () => {
  const { hosting, given, lines, lookAfter } = failingMember({ stop: () => new Promise(() => {}) })
  await hosting.begin()
  for (let second = 0; second < 4; second++) await lookAfter(1_000)
  assert.deepEqual([given, lines], [[], []])
})

test('an instance that somebody begins to pair while its giving away is prepared stays', async () => {
  const ids = numbered(6)
  const { homes, wanted, own } = storedHomes(ids)
  for (const each of ids) wanted.set(each, 'a')
  let mayMove = true
  let onLook = () => {}
  const { hosting, look } = world(ids, {
    homes,
    members: {
      others: () => OTHERS,
      onLook(each) {
        onLook = each
      },
    },
    times: { quiet: 0, balanceEvery: 0 },
    directory: {
      ids: () => ids,
      has: () => true,
      config: (id) => ({ id }) as never,
      isPaused: () => false,
      isConnected: () => true,
      mayMove: () => mayMove,
      catchUp: async () => {},
    },
  })
  const prepared: string[] = []
  hosting.beforeGiving(async (id) => {
    prepared.push(id)
    mayMove = false
  })
  await hosting.begin()
  onLook()
  await look()
  assert.ok(prepared.length > 0)
  assert.equal(own.size, ids.length)
})

test('an instance whose configuration cannot be read here is given to a member that may read it', async () => {
  const { hosting, given, lookAfter } = failingMember({
    failingFor: () => undefined,
    directory: {
      ids: () => ['bad'],
      has: () => false,
      config: () => assert.fail('it could not be decoded'),
      isPaused: () => false,
      isConnected: () => true,
      mayMove: () => true,
      catchUp: async () => {},
    },
  })
  await hosting.begin()
  await lookAfter(1_000)
  await lookAfter(1_000)
  await lookAfter(60_000)
  assert.deepEqual(given, ['bad b'])
})

test('if no member can start an instance, the log says so, and it moves less and less often', async () => {
  const { hosting, own, given, lines, lookAfter, comesBack } = failingMember({})
  await hosting.begin()
  await lookAfter(1_000)
  await lookAfter(1_000)
  assert.deepEqual(given, ['bad b'])
  await lookAfter(1_000)
  await comesBack()
  assert.deepEqual([[...own], lines.length], [['bad'], 1])
  await lookAfter(1_000)
  assert.equal(lines.length, 1)
  await lookAfter(600_000)
  assert.equal(given.length, 2)
  await comesBack()
  await lookAfter(600_000)
  assert.equal(given.length, 2)
  await lookAfter(600_000)
  assert.equal(given.length, 3)
})
