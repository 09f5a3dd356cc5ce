import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Log } from '../../../src/domain/log.ts'
import { createClusterHosting } from '../../../src/service/cluster/cluster-hosting.ts'
import type { ClusterHostingDeps } from '../../../src/service/cluster/contract.ts'
import { createHomeMap } from '../../../src/service/cluster/home-map.ts'
import type { StoredHome } from '../../../src/storage/homes.ts'

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
    all: async () =>
      free.map((instance): StoredHome => {
        const isOwn = own.has(instance)
        return { instance, writer: isOwn ? 'a' : null, wanted: null, isFree: !isOwn }
      }),
    ...deps.homes,
  }
  const members = {
    others: () => [],
    onLook(each: () => void) {
      listener = each
    },
    reachesStore: () => true,
  }
  const hosting = createClusterHosting({
    self: 'a',
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
      mayMove: () => true,
      catchUp: async () => {},
    },
    stop: async (id) => void hosted.delete(id),
    isHosted: (id) => hosted.has(id),
    erase: async () => {},
    askToLook: async () => undefined,
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
    members: { others: () => others, onLook() {}, reachesStore: () => true },
    askToLook: async ({ id }) => void asked.push(id),
    times: { drainEvery: 1, patience: 0 },
  })
  await hosting.begin()
  await hosting.drain(1_000)
  assert.ok(asked.length > 0 && asked.every((id) => id === 'b'))
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
