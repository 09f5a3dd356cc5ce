/** Tests that a push name is announced when it changes, and that other changes of the credentials announce nothing. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BinaryNode, initAuthCreds, makeEventBuffer } from '@whiskeysockets/baileys'
import { pino } from 'pino'
import { announceOwnName } from '../../../workers/shard/baileys/own-name.ts'

test('a new name is announced once, and a change without a name is only kept', () => {
  const ev = makeEventBuffer(pino({ enabled: false }))
  const creds = { ...initAuthCreds(), me: { id: '5511999990000:1@s.whatsapp.net', name: 'Before' } }
  const left: BinaryNode[] = []
  const sendNode = async (node: BinaryNode) => void left.push(node)
  // The library's listener sends for this change; it must be gone.
  ev.on('creds.update', () => left.push({ tag: 'library', attrs: {} }))
  announceOwnName({ ev, authState: { creds, keys: {} as never }, sendNode }, assert.ifError)
  ev.emit('creds.update', { nextPreKeyId: 30 })
  ev.emit('creds.update', { me: { ...creds.me } })
  assert.deepEqual(left, [])
  ev.emit('creds.update', { me: { ...creds.me, name: 'After' } })
  assert.deepEqual(left, [{ tag: 'presence', attrs: { name: 'After' } }])
  assert.deepEqual([creds.nextPreKeyId, creds.me.name], [30, 'After'])
})
