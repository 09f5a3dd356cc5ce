import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { amount } from '../harness/amount.ts'
import { CLI, ROOT, START } from '../harness/checkout.ts'
import { createGateway } from '../harness/gateway.ts'
import { ask } from '../harness/http.ts'
import { networkEnv, type Running, run } from '../harness/process.ts'
import { startReceiver } from '../harness/receiver.ts'
import { createSandbox } from '../harness/sandbox.ts'

const PHONE = '5511999990001'
const CONTACT = '5511988880001'
const PICTURE = `data:image/png;base64,${Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(5_000)]).toString('base64')}`

async function ended(program: readonly string[], args: string[], env: Record<string, string>) {
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_')))
  const child = spawn(process.execPath, [...program, ...args], {
    cwd: ROOT,
    env: { ...inherited, ...env },
  })
  const [out, errors, [code, signal]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { out, errors, code: code as number | null, signal: signal as string | null }
}

describe('the store on disk', { timeout: 240_000 }, () => {
  let dir: string
  let network: Running
  let env: Record<string, string>
  const data = (name: string) => join(dir, name)
  const cli = (name: string, ...args: string[]) => ended(CLI, args, { ...env, SVC_DATA_DIR: data(name) })
  const start = (name: string) => run([], { ...env, SVC_DATA_DIR: data(name) })

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'svc-store-'))
    network = await run(['--network-only'], { SVC_DATA_DIR: data('network'), SVC_SANDBOX_PORT: '0' })
    env = { ...networkEnv(network.printed), SVC_PORT: '0', SVC_SHARDS: '1', SVC_LOG_LEVEL: 'fatal' }
  })
  after(async () => {
    await network.kill()
    await rm(dir, { recursive: true, force: true })
  })

  test('a backup of a running instance is one that a service can be started on: linked, with what waited', async (t) => {
    const sandbox = createSandbox(network.printed.sandbox_url!)
    const receiver = await startReceiver()
    t.after(() => receiver.stop())
    const service = await start('original')
    const gateway = await createGateway(service.printed.base_url!, service.printed.admin_key!)
    const instance = await gateway.connected(sandbox, PHONE, receiver)
    await sandbox.createContact(CONTACT)
    const waiting = await gateway.sendText(instance, CONTACT, 'from the copy', { delay_message: 15 })
    await gateway.must(instance, 'POST', '/send-document/bin', { phone: CONTACT, document: PICTURE })
    await sandbox.burst(CONTACT, PHONE, 60, 'meanwhile ', { per_second: 30 })

    const checked = await cli('original', 'store', 'check')
    assert.equal(checked.code, 0, checked.errors)
    assert.match(checked.out, new RegExp(`^The store in ${data('original')}/state is sound: \\d+ records, [\\d.]+ MB\\.\n$`))
    const made = await cli('original', 'store', 'backup', data('copy'))
    assert.equal(made.code, 0, made.errors)
    assert.match(made.out, new RegExp(`^${data('copy')}: \\d+ records, 1 media files\\.\n$`))
    await service.kill()

    assert.deepEqual((await readdir(data('copy'))).sort(), ['blobs', 'secret-key', 'state'])
    for (const file of ['secret-key', 'state/data.mdb'])
      assert.equal((await stat(join(data('copy'), file))).mode & 0o077, 0, file)
    const restored = await start('copy')
    t.after(() => restored.kill())
    const path = new URL(instance.api_url).pathname
    const copy = { ...instance, api_url: restored.printed.base_url! + path }
    await gateway.waitForStatus(copy, 'connected')
    const delivery = await receiver.waitFor(
      'what waited',
      ({ type, svc_id }) => type === 'delivery' && svc_id === waiting.svc_id,
      60_000,
    )
    assert.equal(delivery.status, 'sent')
    await receiver.waitFor(
      'the document',
      ({ type, operation }) => type === 'delivery' && operation === 'send.sendDocument',
      60_000,
    )
    const document = receiver.events('delivery').find(({ operation }) => operation === 'send.sendDocument')!
    assert.equal(document.status, 'sent', JSON.stringify(document))
    assert.equal((await ask('GET', `${restored.printed.base_url}/health/ready`)).status, 200)
  })

  test('a target that is there is left alone', async () => {
    const again = await cli('original', 'store', 'backup', data('copy'))
    assert.equal(again.code, 1)
    assert.match(again.errors, /copy already exists; name a folder that does not exist\./)
    const none = await cli('original', 'store', 'backup')
    assert.equal(none.code, 2)
  })

  const DAMAGE: Record<string, (file: string) => Promise<void>> = {
    header: async (file) => writeFile(file, Buffer.alloc(8_192, 0xa5), { flag: 'r+' }),
    body: async (file) => {
      const bytes = await readFile(file)
      await writeFile(file, bytes.fill(0xa5, 8_192))
    },
    truncated: (file) => truncate(file, 20_480),
  }
  for (const [what, harm] of amount(Object.entries(DAMAGE), Object.entries(DAMAGE).slice(0, 1))) {
    test(`${what}: neither a start nor a command opens it, and both say what to put back`, async () => {
      const file = join(data('original'), 'state', 'data.mdb')
      const sound = data('sound.mdb')
      await copyFile(file, sound)
      try {
        await harm(file)
        // All commands check the store with the same code, so they run for one kind of damage only.
        const commands =
          what === 'header'
            ? [
                ['store', 'check'],
                ['workspace', 'list'],
                ['store', 'backup', data('never')],
              ]
            : []
        for (const { out, errors, code, signal } of await Promise.all([
          ended(START, ['--json'], { ...env, SVC_DATA_DIR: data('original') }),
          ...commands.map((words) => cli('original', ...words)),
        ])) {
          assert.deepEqual([code, signal, out], [1, null, ''], errors)
          const said = errors.trim().split('\n').at(-1)!
          assert.match(
            said,
            /^svc: The store in \S+\/original\/state is damaged: [^.]+\. Nothing was changed\. Restore its data\.mdb from a backup and remove the lock\.mdb beside it, or move the folder away to start with an empty store\.$/,
          )
        }
      } finally {
        await copyFile(sound, file)
      }
    })
  }

  test('the sound store is sound again', async () => {
    const { code, errors } = await cli('original', 'store', 'check')
    assert.equal(code, 0, errors)
  })
})
