/**
 * Tests a sandbox whose store is in memory. The main thread and the shards share its records, and the next start begins
 * with an empty store.
 */
import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCommandIn } from '../harness/cli.ts'
import { createGateway } from '../harness/gateway.ts'
import { must } from '../harness/http.ts'
import { run } from '../harness/process.ts'
import { createSandbox } from '../harness/sandbox.ts'

const ME = '5511999990000'
const ANA = '5511988887777'

test('a sandbox that keeps nothing sends and receives, and leaves no record behind', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'svc-memory-'))
  t.after(() => rm(dir, { recursive: true, force: true }))
  const env = { SVC_DATA_DIR: dir, SVC_PORT: '0', SVC_SANDBOX_PORT: '0', SVC_SANDBOX_KEEP: 'off', SVC_SHARDS: '2' }
  const first = await run(['--sandbox'], env)
  t.after(() => first.kill())
  const gateway = await createGateway(first.printed.base_url!, first.printed.admin_key!)
  const sandbox = createSandbox(first.printed.sandbox_url!)
  // The two instances are in different shards, so that both shards write.
  const instances = await Promise.all([ME, `${ME.slice(0, -1)}1`].map((phone) => gateway.connected(sandbox, phone, null)))
  for (const [index, instance] of instances.entries()) {
    const ack = await gateway.sendText(instance, ANA, `echo ${index}`)
    const [item] = await sandbox.inbox(ANA, index, 10_000)
    assert.deepEqual([item?.id, item?.text], [ack.message_id, `echo ${index}`])
  }
  const { errors } = await runCommandIn(env, dir, '--sandbox', 'store', 'check')
  assert.match(errors, /The store is in the memory of the service \(SVC_SANDBOX_KEEP=off\), so a command cannot open it\./)
  await first.stop()
  assert.ok(!(await readdir(join(dir, 'sandbox'))).includes('state'))

  const second = await run(['--sandbox'], env)
  t.after(() => second.kill())
  const { account } = await createGateway(second.printed.base_url!, second.printed.admin_key!)
  assert.deepEqual((await must('GET', `${second.printed.base_url}/account/instances`, undefined, account)).data, [])
  await second.stop()
})
