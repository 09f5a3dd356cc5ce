import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BinaryNode, encodeBinaryNode, type SocketConfig } from '@whiskeysockets/baileys'
import { Failure } from '../../../src/domain/failures.ts'
import { StorageFailure } from '../../../src/domain/storage-failure.ts'
import { leaveOutNobody } from '../../../workers/shard/baileys/left-out.ts'
import { SESSION_CLOSED, SignalError } from '../../../workers/shard/keys/signal/errors.ts'

const JID = '5511988880001:2@s.whatsapp.net'

/** A message to two devices, as the library composes it; the encryption for the second fails. */
async function stanza(error: Error): Promise<BinaryNode> {
  const make = leaveOutNobody((() => ({
    async encryptMessage({ jid }: { jid: string }) {
      if (jid === JID) throw error
      return { type: 'msg', ciphertext: Buffer.from('sealed') }
    },
  })) as unknown as SocketConfig['makeSignalRepository'])
  const repository = make(undefined as never, undefined as never)
  const content: BinaryNode[] = []
  for (const jid of ['5511988880001@s.whatsapp.net', JID]) {
    const { type, ciphertext } = await repository.encryptMessage({ jid, data: Buffer.from('text') })
    content.push({ tag: 'to', attrs: { jid }, content: [{ tag: 'enc', attrs: { v: '2', type }, content: ciphertext }] })
  }
  return { tag: 'message', attrs: { id: 'A' }, content: [{ tag: 'participants', attrs: {}, content }] }
}

for (const [what, error] of [
  ['a disk that takes nothing', new StorageFailure('state: the disk is full')],
  ['an instance that stops', new Failure('engine_unavailable')],
  ['a session that has ended', new Error(SESSION_CLOSED)],
] as const)
  test(`${what} leaves out no device: the whole stanza cannot be written, and that is why`, async () => {
    const whole = await stanza(error)
    assert.throws(
      () => encodeBinaryNode(whole),
      (thrown) => thrown === error,
    )
  })

test('a device without a usable key is left out, as the library does', async () => {
  await assert.rejects(stanza(new SignalError('no_session', 'No sessions')), SignalError)
  await assert.rejects(stanza(new Error('a record that is damaged')), /damaged/)
})
