/**
 * Tests that the disk contains no credential and no conversation that can be read without the secret key, and that the
 * secret key itself is not in the store.
 */
import assert from 'node:assert/strict'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { must } from '../harness/http.ts'
import { startWorld } from '../harness/world.ts'

const world = await startWorld({ own: true })
after(() => world.stop())

async function filesBelow(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath ?? entry.path, entry.name))
}

test('texts in and out, numbers, tokens, secrets and keys are not in any file of the store', async () => {
  const { gateway, sandbox, receiver } = world
  const instance = await gateway.connected(sandbox, '5511999990000', receiver)
  await gateway.sendText(instance, '5511988887777', 'outgoing-plaintext-marker')
  await sandbox.send('5511988887777', '5511999990000', { text: 'incoming-plaintext-marker' })
  await receiver.waitFor('received', ({ type }) => type === 'received')
  // The receiver answers with errors, so that an event stays in the outbox, which is on the disk.
  receiver.reply((_, response) => response.writeHead(500).end())
  await sandbox.send('5511988887777', '5511999990000', { text: 'parked-plaintext-marker' })
  await receiver.waitFor(
    'parked',
    ({ text }) => (text as { message?: string } | undefined)?.message === 'parked-plaintext-marker',
  )
  await gateway.sendText(instance, '5511988887777', 'queued-plaintext-marker', { delay_message: 15 })
  const key = (
    await must('POST', `${gateway.baseUrl}/admin/api-keys`, { name: 'at rest', scopes: ['instances:read'] }, gateway.admin)
  ).value

  const secrets = [
    'outgoing-plaintext-marker',
    'incoming-plaintext-marker',
    'parked-plaintext-marker',
    'queued-plaintext-marker',
    instance.token,
    instance.webhooks.secret,
    String(key),
    gateway.admin.authorization.slice('Bearer '.length),
    '5511999990000',
    '5511988887777',
    'noiseKey',
    'advSecretKey',
  ]
  for (const file of await filesBelow(world.dir)) {
    if (file.startsWith(join(world.dir, 'network'))) continue
    const bytes = await readFile(file)
    for (const secret of secrets) assert.equal(bytes.includes(secret), false, `${file} holds ${secret}`)
  }
  receiver.reply(null)
})

test('the generated key is beside the store, for its owner only', async () => {
  const file = join(world.dir, 'secret-key')
  assert.equal((await stat(file)).mode & 0o777, 0o600)
})
