/** The gate before the library: a stanza that could not be written down is not heard, nor anything behind it. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import type { BinaryNode, WASocket } from '@whiskeysockets/baileys'
import { type Gate, raiseGate } from '../../../workers/shard/receive/store-before-ack.ts'

const stanza = (id: string): BinaryNode => ({ tag: 'call', attrs: { id } })

function raised(take: Gate['take'], inTurn = true) {
  const ws = new EventEmitter()
  const heard: string[] = []
  const failures: unknown[] = []
  ws.on('CB:call', (node: BinaryNode) => heard.push(node.attrs.id ?? ''))
  raiseGate({ ws } as unknown as WASocket, { name: 'CB:call', inTurn, take, onFailure: (error) => failures.push(error) })
  const emit = async (...ids: string[]) => {
    for (const id of ids) ws.emit('CB:call', stanza(id))
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { emit, heard, failures }
}

test('what means nothing to us is heard at once, and after what is still being written', async () => {
  let written!: () => void
  const { emit, heard } = raised(({ attrs }) => (attrs.id === 'ours' ? new Promise((resolve) => (written = resolve)) : undefined))
  await emit('before', 'ours', 'behind')
  assert.deepEqual(heard, ['before'])
  written()
  await emit()
  assert.deepEqual(heard, ['before', 'ours', 'behind'])
})

for (const inTurn of [true, false]) {
  test(`of two the second is ${inTurn ? 'taken when the first is written' : 'begun at once, and heard after the first'}`, async () => {
    const begun: string[] = []
    const writing: (() => void)[] = []
    const { emit, heard } = raised(({ attrs }) => {
      begun.push(attrs.id ?? '')
      return new Promise((resolve) => writing.push(resolve))
    }, inTurn)
    await emit('first', 'second')
    assert.deepEqual(begun, inTurn ? ['first'] : ['first', 'second'])
    if (!inTurn) writing[1]?.()
    await emit()
    assert.deepEqual(heard, [])
    writing[0]?.()
    await emit()
    if (inTurn) writing[1]?.()
    await emit()
    assert.deepEqual(
      [begun, heard],
      [
        ['first', 'second'],
        ['first', 'second'],
      ],
    )
  })
}

for (const how of ['throws', 'rejects'] as const) {
  test(`a take that ${how} shuts the gate, and the emitter never sees it`, async () => {
    const broken = new Error('broken')
    const { emit, heard, failures } = raised(({ attrs }) => {
      if (attrs.id !== 'ours') return undefined
      if (how === 'throws') throw broken
      return Promise.reject(broken)
    })
    await emit('before', 'ours', 'behind')
    await emit('later')
    assert.deepEqual(heard, ['before'])
    assert.deepEqual(failures, [broken])
  })
}
