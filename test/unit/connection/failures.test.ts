/**
 * Tests that a lost connection and a refused query are told apart, although they may have the same error code. A
 * message whose connection was lost goes back to the queue, but a refused message fails.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertNodeErrorFree, type BinaryNode, promiseTimeout } from '@whiskeysockets/baileys'
import { isStorageFailure, StorageFailure } from '../../../src/domain/storage-failure.ts'
import { actionFailure, sendFailure } from '../../../workers/shard/connection/failures.ts'
import { endReason } from '../../../workers/shard/network/end-reason.ts'
import { createQueries, QueryRefused } from '../../../workers/shard/network/queries.ts'
import { isOpen, listen, openSocket, type Server } from '../network/loopback.ts'

let server: Server
before(async () => {
  server = await listen()
})
after(() => server.close())

const refusal = (code: number): BinaryNode => ({
  tag: 'iq',
  attrs: { type: 'error' },
  content: [{ tag: 'error', attrs: { code: String(code), text: 'Timed Out' } }],
})
const thrownBy = async (work: () => unknown): Promise<unknown> => {
  try {
    await work()
  } catch (error) {
    return error
  }
  return assert.fail('it did not fail')
}
const isLoss = (error: unknown) => {
  assert.equal(sendFailure(error).code, 'instance_not_connected')
  assert.equal(actionFailure(error).code, 'instance_not_connected')
}

for (const code of [408, 428]) {
  test(`a query that the network refuses with ${code} is refused, and the connection stands`, async () => {
    const error = await thrownBy(() => assertNodeErrorFree(refusal(code)))
    assert.equal(sendFailure(error).code, 'send_failed')
    const failure = actionFailure(error)
    assert.deepEqual([failure.code, failure.details], ['action_failed', { network_code: code }])
    const bounded = new QueryRefused(refusal(code))
    assert.equal(sendFailure(bounded).code, 'send_failed')
  })

  test(`so is the metadata of a group, and a query about a channel, refused with ${code}`, () => {
    // This is an error as `extractGroupMetadata` of the library (Socket/groups.js) throws it: `data` is the error node.
    const metadata = endReason('Timed Out', code, { tag: 'error', attrs: { code: String(code) } })
    assert.equal(sendFailure(metadata).code, 'send_failed')
    // This is an error as `executeWMexQuery` of the library (Socket/mex.js) throws it: `data` is the first GraphQL
    // error.
    const channel = endReason('GraphQL server error: Timed Out', code, { message: 'Timed Out', extensions: { error_code: code } })
    assert.equal(sendFailure(channel).code, 'send_failed')
    assert.deepEqual(actionFailure(channel).details, { network_code: code })
  })
}

test('what waits on a socket, or writes to it, when it ends has lost its connection, whoever ended it', async () => {
  for (const end of ['server', 'we'] as const) {
    const sock = openSocket(server.url)
    const connection = server.connected()
    await isOpen(sock)
    const client = await connection
    const pending = sock.query({ tag: 'iq', attrs: { type: 'get', to: 's.whatsapp.net' }, content: [] }).catch((error) => error)
    if (end === 'server') client.terminate()
    else await sock.end(endReason('nothing that comes in is handled', 428), 'abrupt')
    isLoss(await pending)
    isLoss(await thrownBy(() => sock.sendNode({ tag: 'ib', attrs: {} })))
    await sock.end()
  }
})

test('so has a write that nobody takes, or that meets a broken pipe', async () => {
  isLoss(await thrownBy(() => promiseTimeout(1, () => {})))
  isLoss(Object.assign(new Error('write EPIPE'), { code: 'EPIPE', syscall: 'write' }))
})

test('a value that is not an error says nothing about the connection, as the texts that the WebAssembly module throws', () => {
  assert.equal(sendFailure('InvalidKey').code, 'send_failed')
  assert.equal(actionFailure('InvalidKey').code, 'action_failed')
})

test('our own deadline is neither', async () => {
  const error = await thrownBy(() => createQueries({ send: async () => {}, tag: () => 'id' }).query({ tag: 'iq', attrs: {} }, 1))
  assert.equal(sendFailure(error).code, 'send_timeout')
  assert.equal(actionFailure(error).code, 'send_timeout')
})

test('what the disk did not take is no refusal of the network, however deep in what the library threw', () => {
  const met = [
    new StorageFailure('The disk is full, so nothing was stored.'),
    new Error('transaction failed, rolling back', { cause: new StorageFailure('The store could not write the records.') }),
    Object.assign(new Error("ENOSPC: no space left on device, write '/tmp/x'"), { code: 'ENOSPC' }),
  ]
  for (const error of met) {
    assert.equal(sendFailure(error).code, 'engine_unavailable')
    assert.ok(isStorageFailure(sendFailure(error)), 'the queue can tell')
    assert.equal(actionFailure(error).code, 'engine_unavailable')
  }
  assert.ok(!isStorageFailure(sendFailure(endReason('Connection Closed', 428))))
})
