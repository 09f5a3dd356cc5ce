/**
 * Kills the service at each step of the deletion of an instance, and `secret-key rotate` at each of its steps. The next
 * start must complete the deletion or the rotation.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { amount } from '../harness/amount.ts'
import { CLI, ROOT } from '../harness/checkout.ts'
import { createGateway, type Gateway, type Instance } from '../harness/gateway.ts'
import { networkEnv, type Running, run } from '../harness/process.ts'
import { createSandbox } from '../harness/sandbox.ts'

let adminKey: string
let apiKey: string | undefined
const dir = await mkdtemp(join(tmpdir(), 'svc-keys-'))
const network = await run(['--network-only'], { SVC_DATA_DIR: join(dir, 'network'), SVC_SANDBOX_PORT: '0' })
const env = { ...networkEnv(network.printed), SVC_DATA_DIR: join(dir, 'service'), SVC_PORT: '0', SVC_SHARDS: '1' }
after(async () => {
  await network.kill()
  await rm(dir, { recursive: true, force: true })
})

async function start(more: Record<string, string> = {}): Promise<{ service: Running; gateway: Gateway }> {
  const service = await run([], { ...env, ...more })
  adminKey ??= service.printed.admin_key!
  const gateway = await createGateway(service.printed.base_url!, adminKey, apiKey)
  apiKey = gateway.key
  return { service, gateway }
}
const keyFiles = async () => (await readdir(join(dir, 'service', 'state', 'keys'))).toSorted()
const statusOf = async (gateway: Gateway, { id, token }: Instance) =>
  (await fetch(`${gateway.baseUrl}/instances/${id}/token/${token}/status`)).status

let kept: Instance
test('an instance is there to be kept', async () => {
  const { service, gateway } = await start()
  kept = await gateway.connected(createSandbox(network.printed.sandbox_url!), '5511999990001', null)
  await service.kill()
})

const STEPS = amount(['create:key', 'delete:recorded', 'delete:erased'], ['create:key', 'delete:recorded'])
/** The running service. It was started so that it dies at the current step. */
let killed: Awaited<ReturnType<typeof start>>
for (const [at, step] of STEPS.entries()) {
  test(`a kill at ${step} leaves an instance that is gone, with its key and all of its records, after the next start`, async () => {
    if (at === 0) killed = await start({ SVC_TEST_KILL_AT: step })
    const gone = killed.gateway.createInstance(null)
    const removed = gone.then(({ id }) =>
      fetch(`${killed.gateway.baseUrl}/account/instances/${id}`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${killed.gateway.key}` },
      }),
    )
    await assert.rejects(removed)
    await killed.service.ended
    killed = await start({ SVC_TEST_KILL_AT: STEPS[at + 1] ?? 'none' })
    assert.deepEqual(await keyFiles(), [kept.id, 'links', 'main'].toSorted())
    if (step !== 'create:key') assert.equal(await statusOf(killed.gateway, await gone), 401)
    assert.equal(await statusOf(killed.gateway, kept), 200)
    if (at === STEPS.length - 1) await killed.service.kill()
  })
}

const ROTATION = ['rotate:replaced', 'none', ...amount(['rotate:sealed:2', 'rotate:cleared:2'], [])]
for (const step of ROTATION) {
  test(`a rotation that is killed at ${step} leaves an instance that connects`, async () => {
    const before = await readFile(join(dir, 'service', 'secret-key'), 'utf8')
    const command = spawn(process.execPath, [...CLI, 'secret-key', 'rotate'], {
      cwd: ROOT,
      env: { ...process.env, ...env, SVC_TEST_KILL_AT: step },
    })
    const [code, signal] = await once(command, 'close')
    assert.deepEqual([code, signal], step === 'none' ? [0, null] : [null, 'SIGKILL'])
    assert.equal((await readFile(join(dir, 'service', 'secret-key'), 'utf8')) === before, step.startsWith('rotate:sealed'))
    const { service, gateway } = await start()
    // Each start uses another port, so the address of the instance is built again.
    const here = { ...kept, api_url: `${gateway.baseUrl}/instances/${kept.id}/token/${kept.token}` }
    await gateway.waitForStatus(here, 'connected')
    await service.kill()
  })
}
