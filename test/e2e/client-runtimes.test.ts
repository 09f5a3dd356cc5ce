import assert from 'node:assert/strict'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { build } from 'esbuild'
import { CLIENT, type ClientProject, installClient } from '../harness/client-package.ts'
import { otherRuntimes } from '../harness/other-runtimes.ts'
import { recordedWebhook } from '../harness/recorded-webhook.ts'
import { startWorld, type World } from '../harness/world.ts'

const ME = '5511999990081'
const FRIEND = '5511988880081'
const runtimes = otherRuntimes()
const skip = runtimes.every(({ missing }) => missing) && runtimes[0]!.missing

describe('svc-client on other runtimes', { skip }, () => {
  let project: ClientProject
  let world: World
  let program: string
  let task: Record<string, unknown>
  before(async () => {
    world = await startWorld()
    project = await installClient()
    const out = await project.compile({ runtime: await readFile(join(CLIENT, 'test/runtime.ts'), 'utf8') })
    program = join(out, 'bundle.mjs')
    await build({ entryPoints: [join(out, 'runtime.js')], outfile: program, bundle: true, format: 'esm', platform: 'neutral' })
    const { gateway, sandbox } = world
    const instance = await gateway.connected(sandbox, ME, null)
    const webhook = { ...(await recordedWebhook(gateway, instance)), secret: instance.webhooks.secret }
    task = { baseUrl: gateway.baseUrl, id: instance.id, token: instance.token, friend: FRIEND, webhook }
  })
  after(async () => {
    await world?.stop()
    if (project) await rm(project.folder, { recursive: true, force: true })
  })

  for (const { name, missing, run } of runtimes)
    test(`it works on ${name}`, { skip: missing }, async () => {
      assert.deepEqual(await run(program, task), {
        connected: true,
        echoed: 'Hello',
        sent: 'sent',
        refused: 'invalid_phone',
        type: 'received',
        events: ['received'],
        statuses: [200, 401],
      })
    })
})
