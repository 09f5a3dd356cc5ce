import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { createServerSync } from '../../../workers/shard/app-state/server-sync.ts'

const notice = (id: string, collections: Record<string, string | undefined>): BinaryNode => ({
  tag: 'notification',
  attrs: { id, type: 'server_sync', from: 's.whatsapp.net' },
  content: Object.entries(collections).map(([name, version]) => ({
    tag: 'collection',
    attrs: { name, ...(version === undefined ? {} : { version }) } as BinaryNode['attrs'],
  })),
})

type Deps = Parameters<typeof createServerSync>[0]

function bench(more: Partial<Deps> = {}) {
  const ws = { isOpen: true }
  const ev = new EventEmitter()
  const b = {
    ws,
    ev,
    newest: {} as Record<string, number>,
    known: {} as Record<string, number>,
    asked: [] as string[][],
    confirmed: [] as string[],
    again: [] as string[],
    errors: [] as string[],
    tries: 0,
    resync: async (names: readonly string[]): Promise<void> => {
      for (const name of names) b.known[name] = b.newest[name] ?? 0
    },
    async take(node: BinaryNode) {
      if ((await sync.follow(node)) !== 'later') b.confirmed.push(node.attrs.id!)
    },
  }
  const sync = createServerSync({
    sock: { ws, ev } as unknown as Deps['sock'],
    async read(names) {
      b.asked.push([...names])
      await b.resync(names)
    },
    versionOf: async (name) => b.known[name],
    settled: async () => {},
    isWorthAnother: () => ++b.tries <= 2,
    again: ({ attrs }) => b.again.push(attrs.id!),
    log: { info: ({ err }: { err: Error }) => b.errors.push(err.message) } as unknown as Deps['log'],
    ...more,
  })
  return b
}

test('all that it names is read, and what is known already is not', async () => {
  const b = bench()
  b.newest = { regular: 3, critical_block: 2, regular_low: 1 }
  b.known = { regular_low: 1 }
  await b.take(notice('A', { regular: '3', critical_block: '2', regular_low: '1' }))
  await b.take(notice('B', { regular: '2' }))
  assert.deepEqual(b.asked, [['regular', 'critical_block']])
  assert.deepEqual(b.confirmed, ['A', 'B'])
})

test('one that names no version is read', async () => {
  const b = bench()
  b.known = { regular: 7 }
  await b.take(notice('A', { regular: undefined }))
  assert.deepEqual([b.asked, b.confirmed, b.errors], [[['regular']], ['A'], []])
})

test('it is confirmed after the changes are on disk, not before', async () => {
  let written!: () => void
  const onDisk = new Promise<void>((resolve) => {
    written = resolve
  })
  const b = bench({ settled: () => onDisk })
  b.newest = { regular: 1 }
  const taken = b.take(notice('A', { regular: '1' }))
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual([b.asked, b.confirmed], [[['regular']], []])
  written()
  await taken
  assert.deepEqual(b.confirmed, ['A'])
})

test('what could not be written is a failure: it has to come again', async () => {
  const b = bench({ settled: () => Promise.reject(new Error('no space left on device')) })
  b.newest = { regular: 1 }
  await assert.rejects(b.take(notice('A', { regular: '1' })), /no space left on device/)
  assert.deepEqual(b.confirmed, [])
})

// A read leaves a collection at its old version while the key is missing. This counts as a failed read, and the notice
// is handled again when a key arrives.
test('a failed read is repeated when a key arrives and at the next login, but a limited number of times', async () => {
  const b = bench()
  b.resync = async () => {}
  await b.take(notice('A', { regular: '1' }))
  assert.deepEqual([b.confirmed, b.again], [[], []])
  assert.equal(b.errors[0], 'app state could not be read: regular')
  b.ev.emit('creds.update', { me: { id: '1@s.whatsapp.net' } })
  assert.deepEqual(b.again, [])
  b.ev.emit('creds.update', { myAppStateKeyId: 'AAAA' })
  b.ev.emit('creds.update', { myAppStateKeyId: 'AAAA' })
  assert.deepEqual(b.again, ['A'])
  for (const _ of [1, 2]) await b.take(notice('A', { regular: '1' }))
  assert.deepEqual(b.confirmed, ['A'])
})

test('what an ended connection leaves is neither confirmed nor counted: it comes again', async () => {
  const b = bench()
  b.resync = async () => {
    b.ws.isOpen = false
    throw new Error('Connection Closed')
  }
  await b.take(notice('A', { regular: '1' }))
  assert.deepEqual([b.asked.length, b.confirmed, b.tries], [1, [], 0])
})
