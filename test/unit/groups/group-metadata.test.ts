/** Tests the metadata of groups over the library's real socket, while they are queried and the group changes. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type BinaryNode, initAuthCreds, type WASocket } from '@whiskeysockets/baileys'
import '../../../workers/shard/baileys/thread/first.ts'
import { adoptSocket, endSocket } from '../../../workers/shard/baileys/end.ts'
import { createGroupMetadata } from '../../../workers/shard/groups/group-metadata.ts'
import { listen, openSocket, type Server } from '../baileys/loopback.ts'
import { until } from '../storage/fixtures.ts'

const GROUP = '120363019502650977@g.us'

let server: Server
let sock: WASocket
before(async () => {
  server = await listen()
  sock = openSocket(server.url, initAuthCreds())
  adoptSocket(sock)
  await sock.waitForSocketOpen()
})
/** Creates the metadata before any group was reported. */
const nothingKnown = () =>
  createGroupMetadata({
    sock,
    clock: { now: () => 0 },
    learnPairs: async () => {},
    stored: { read: async () => null, keep() {}, drop() {} },
    learn() {},
  })

after(async () => {
  await endSocket(sock, undefined, 'abrupt')
  await server.close()
})

/** Returns the tags of the queries that wait for their answer. */
const pending = () => sock.ws.eventNames().filter((name) => String(name).startsWith('TAG:'))

function answer(tag: string | symbol, subject: string) {
  const group = { tag: 'group', attrs: { id: GROUP, subject, creation: '1', s_t: '1' }, content: [] }
  sock.ws.emit(tag, { tag: 'iq', attrs: { type: 'result' }, content: [group] } satisfies BinaryNode)
}

// The notification of a change came before the outdated answer of a query. It once deleted nothing, because nothing was
// stored yet. Then the outdated answer was used for an hour.
test('an answer from before a change of the group is not kept', async () => {
  const groups = nothingKnown()
  const asked = groups.get(GROUP)
  await until(() => pending().length === 1, 'the query')
  groups.forget(GROUP)
  answer(pending()[0]!, 'old')
  assert.equal((await asked).subject, 'old')
  assert.equal(groups.known(GROUP), undefined)

  const again = groups.get(GROUP)
  await until(() => pending().length === 1, 'the query')
  answer(pending()[0]!, 'new')
  await again
  assert.equal(groups.known(GROUP)?.subject, 'new')
  groups.forget(GROUP)
  assert.equal(groups.known(GROUP), undefined)
})

test('who asks while it is being fetched waits for the same answer; who asks after a change does not', async () => {
  const groups = nothingKnown()
  const both = [groups.get(GROUP), groups.get(GROUP)]
  await until(() => pending().length === 1, 'the query')
  const [first] = pending()
  groups.forget(GROUP)
  const later = groups.get(GROUP)
  await until(() => pending().length === 2, 'another query')
  answer(pending().find((tag) => tag !== first)!, 'after')
  assert.equal((await later).subject, 'after')
  answer(first!, 'before')
  assert.deepEqual(
    (await Promise.all(both)).map(({ subject }) => subject),
    ['before', 'before'],
  )
  assert.equal(groups.known(GROUP)?.subject, 'after')
})
