import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { CREATED } from '../../../src/domain/instance.ts'
import { answerMain, type FromThread, sendInLists } from '../../../src/engine/thread-messages.ts'

async function channel(work: (port1: MessagePort, port2: MessagePort) => Promise<void>) {
  const { port1, port2 } = new MessageChannel()
  try {
    await work(port1, port2)
  } finally {
    port1.close()
  }
}

test('what is sent in a turn arrives as one list, in its order', () =>
  channel(async (port1, port2) => {
    const out = sendInLists<number>(port1, (_, error) => assert.fail(String(error)))
    for (const each of [1, 2, 3]) out.send(each)
    assert.deepEqual(await once(port2, 'message'), [[1, 2, 3]])
  }))

test('a message that cannot be copied is refused alone', () =>
  channel(async (port1, port2) => {
    const refused: unknown[] = []
    const out = sendInLists<unknown>(port1, (message) => refused.push(message))
    const bytes = new Uint8Array([7])
    const bad = () => {}
    out.send(1)
    out.send(bad)
    out.send(bytes, [bytes.buffer])
    const lists: unknown[] = []
    while (lists.flat().length < 2) lists.push((await once(port2, 'message'))[0])
    assert.deepEqual(lists.flat(), [1, new Uint8Array([7])])
    assert.deepEqual(refused, [bad])
    assert.equal(bytes.byteLength, 0, 'it was moved')
  }))

test('an answer that cannot be copied is internal; a state is counted and leaves at once, behind what was sent before it', () =>
  channel(async (port1, port2) => {
    const announced = new Int32Array(new SharedArrayBuffer(4))
    const { serve, say } = answerMain(port1, announced)
    const heard: FromThread[] = []
    port2.on('message', (list: FromThread[]) => heard.push(...list))
    serve(async (command) => {
      if (command === 'function') return { ok: () => {} }
      say({ type: 'state', instance: 'a', state: CREATED })
      return { ok: command }
    })
    port2.postMessage([
      { id: 1, command: 'function' },
      { id: 2, command: 'plain' },
    ])
    while (heard.length < 3) await new Promise((resolve) => setTimeout(resolve, 1))
    assert.equal(announced[0], 1)
    const position = (fits: (message: FromThread) => boolean) => heard.findIndex(fits)
    const answer = (id: number) => position((message) => 'id' in message && message.id === id)
    assert.ok(position((message) => 'said' in message) < answer(2), 'the state before the answer that it led to')
    const refused = heard[answer(1)]
    assert.ok(refused && 'result' in refused && 'err' in refused.result && refused.result.err.code === 'internal')
  }))
