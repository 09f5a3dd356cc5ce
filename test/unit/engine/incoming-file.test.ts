import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { Failure } from '../../../src/domain/failures.ts'
import { type FileNews, MORE } from '../../../src/domain/file-download.ts'
import { incomingFile } from '../../../src/engine/incoming-file.ts'

const piece = (): FileNews => ({ type: 'piece', bytes: new Uint8Array([1, 2, 3]).buffer })

async function opened(silenceMs?: number) {
  const { port1, port2 } = new MessageChannel()
  const leaving = new AbortController()
  let die = (_error: Error) => {}
  const work = new Promise<void>((_resolve, reject) => {
    die = reject
  })
  const opening = incomingFile(port1, work, leaving.signal, silenceMs)
  // In the real thread this port has a listener, which keeps the process alive. So it has one here, too.
  port2.on('message', () => {})
  const say = (news: FileNews) => port2.postMessage(news)
  say({ type: 'open', length: null })
  const file = await opening
  assert.ok('stream' in file)
  return { ...file, say, die, leaving, port: port2 as MessagePort }
}

test('room is given for what was handed on, and for nothing else', async () => {
  const { stream, say, port } = await opened()
  let more = 0
  port.on('message', (message) => {
    assert.equal(message, MORE)
    more++
  })
  for (let count = 0; count < 4; count++) say(piece())
  const reader = stream.getReader()
  await reader.read()
  await reader.read()
  const asked = once(port, 'close')
  await reader.cancel()
  await asked
  assert.equal(more, 2)
})

test('all of it leaves before the end does', async () => {
  const { stream, say, ended } = await opened()
  say(piece())
  say(piece())
  say({ type: 'end' })
  let length = 0
  for await (const chunk of stream) length += chunk.length
  assert.equal(length, 6)
  await ended
})

test('a failure is not waited for behind what was there, and an adapter that reads ahead has sent the head by then', async () => {
  const { stream, say, ended } = await opened()
  say(piece())
  say({ type: 'failed', err: new Failure('media_download_failed').toData() })
  await ended
  const reading = stream.getReader().read()
  // The error must come in a later turn of the event loop than the head of the answer. Otherwise the HTTP adapter would
  // answer with 500 and the text of the error.
  const turn = new Promise<string>((resolve) => setTimeout(() => resolve('head'), 1))
  assert.equal(await Promise.race([reading, turn]), 'head')
  await assert.rejects(reading, { code: 'media_download_failed' })
})

test('a reader who takes nothing is given up, with what lay there for it', async () => {
  const { stream, say, ended, port } = await opened(20)
  const closed = once(port, 'close')
  say(piece())
  await ended
  await closed
  await assert.rejects(stream.getReader().read(), /stopped reading/)
})

test('a reader who waits for the host is not', async () => {
  const { stream, say } = await opened(5)
  const reader = stream.getReader()
  const reading = reader.read()
  await new Promise((resolve) => setTimeout(resolve, 30))
  say(piece())
  assert.equal((await reading).value?.length, 3)
  await reader.cancel()
})

test('a thread that dies, and a reader that leaves, end it', async () => {
  const dying = await opened()
  dying.die(new Error('heap out of memory'))
  await dying.ended
  await assert.rejects(dying.stream.getReader().read(), { code: 'engine_unavailable' })
  const left = await opened()
  const closed = once(left.port, 'close')
  left.leaving.abort()
  await closed
  await left.ended
})
