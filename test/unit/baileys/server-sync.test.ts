/** The notice of a newer version of app state: confirmed when all it names is read and on disk. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { takeServerSync } from '../../../workers/shard/baileys/server-sync.ts'

const notice = (id: string, collections: Record<string, string | undefined>): BinaryNode => ({
  tag: 'notification',
  attrs: { id, type: 'server_sync', from: 's.whatsapp.net' },
  content: Object.entries(collections).map(([name, version]) => ({
    tag: 'collection',
    attrs: { name, ...(version === undefined ? {} : { version }) } as BinaryNode['attrs'],
  })),
})

type Socket = Parameters<typeof takeServerSync>[0]

function bench(more: Partial<Parameters<typeof takeServerSync>[1]> = {}) {
  const ws = Object.assign(new EventEmitter(), { isOpen: true })
  const b = {
    ws,
    library: [] as BinaryNode[],
    /** On the network, and here. */
    newest: {} as Record<string, number>,
    known: {} as Record<string, number>,
    asked: [] as string[][],
    confirmed: [] as string[],
    errors: [] as string[],
    tries: 0,
    resync: async (names: readonly string[]): Promise<void> => {
      for (const name of names) b.known[name] = b.newest[name] ?? 0
    },
    /** As many turns of the loop as a chain of promises takes. */
    settle: () => new Promise((resolve) => setImmediate(resolve)),
  }
  ws.on('CB:notification', (node) => b.library.push(node))
  const sock = {
    ws,
    sendNode: async ({ attrs }: BinaryNode) => {
      assert.deepEqual(attrs, { id: attrs.id, to: 's.whatsapp.net', class: 'notification', type: 'server_sync' })
      b.confirmed.push(String(attrs.id))
    },
    async resyncAppState(names: readonly string[]) {
      b.asked.push([...names])
      await b.resync(names)
    },
  }
  takeServerSync(sock as unknown as Socket, {
    versionOf: async (name) => b.known[name],
    settled: async () => {},
    isWorthAnother: () => ++b.tries <= 2,
    onError: ({ message }) => b.errors.push(message),
    ...more,
  })
  return b
}

test('the library hears of every other notification', () => {
  const b = bench()
  const other = { tag: 'notification', attrs: { id: 'A', type: 'w:gp2' } }
  b.ws.emit('CB:notification', other)
  b.ws.emit('CB:notification', notice('B', { regular: '1' }))
  assert.deepEqual(b.library, [other])
})

test('all that it names is read, and what is known already is not', async () => {
  const b = bench()
  b.newest = { regular: 3, critical_block: 2, regular_low: 1 }
  b.known = { regular_low: 1 }
  b.ws.emit('CB:notification', notice('A', { regular: '3', critical_block: '2', regular_low: '1' }))
  b.ws.emit('CB:notification', notice('B', { regular: '2' }))
  await b.settle()
  assert.deepEqual(b.asked, [['regular', 'critical_block']])
  assert.deepEqual(b.confirmed, ['A', 'B'])
})

test('one that names no version is read', async () => {
  const b = bench()
  b.known = { regular: 7 }
  b.ws.emit('CB:notification', notice('A', { regular: undefined }))
  await b.settle()
  assert.deepEqual([b.asked, b.confirmed, b.errors], [[['regular']], ['A'], []])
})

test('it is confirmed when what was read is on disk, not before', async () => {
  let written!: () => void
  const onDisk = new Promise<void>((resolve) => {
    written = resolve
  })
  const b = bench({ settled: () => onDisk })
  b.newest = { regular: 1 }
  b.ws.emit('CB:notification', notice('A', { regular: '1' }))
  await b.settle()
  assert.deepEqual([b.asked, b.confirmed], [[['regular']], []])
  written()
  await b.settle()
  assert.deepEqual(b.confirmed, ['A'])
})

test('what could not be written is not confirmed', async () => {
  const b = bench({ settled: () => Promise.reject(new Error('no space left on device')) })
  b.newest = { regular: 1 }
  b.ws.emit('CB:notification', notice('A', { regular: '1' }))
  await b.settle()
  assert.deepEqual([b.confirmed, b.errors], [[], ['no space left on device']])
})

// Its key has not come: the library puts the collection aside and says nothing.
test('what could not be read comes again, but not for ever', async () => {
  const b = bench()
  b.resync = async () => {}
  for (const _ of [1, 2]) b.ws.emit('CB:notification', notice('A', { regular: '1' }))
  await b.settle()
  assert.deepEqual(b.confirmed, [])
  assert.equal(b.errors[0], 'app state could not be read: regular')
  b.ws.emit('CB:notification', notice('A', { regular: '1' }))
  await b.settle()
  assert.deepEqual(b.confirmed, ['A'])
})

test('what an ended connection leaves is neither read nor confirmed: it comes again', async () => {
  const b = bench()
  b.resync = async () => {
    b.ws.isOpen = false
    throw new Error('Connection Closed')
  }
  for (const id of ['A', 'B']) b.ws.emit('CB:notification', notice(id, { regular: '1' }))
  await b.settle()
  assert.deepEqual([b.asked.length, b.confirmed, b.tries], [1, [], 0])
})
