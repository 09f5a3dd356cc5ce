/**
 * Tests clients that client generators make from the OpenAPI description. They must compile in strict mode, and work
 * with the service.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { endpoints } from '../../src/features/index.ts'
import { describe as describeApi } from '../../src/http/description/openapi.ts'
import { ROOT } from '../harness/checkout.ts'
import { startWorld, type World } from '../harness/world.ts'

const FOLDER = fileURLToPath(new URL('test/clients/', ROOT))
const GENERATED = join(FOLDER, 'generated')
const BUILT = new URL('test/clients/generated/built/', ROOT)
const tool = (path: string) => join(FOLDER, 'node_modules', path)
const skip = existsSync(tool('openapi-typescript'))
  ? false
  : 'the generators are not installed: npm ci --prefix test/clients (they need a TypeScript of their own)'
/**
 * Reason to skip the generators whose clients are only compiled; false if they are installed. They take 300 MB, so a
 * build does not install them.
 */
const others = existsSync(tool('orval')) ? false : 'the other generators are not installed: npm ci --prefix test/clients'

const run = (script: string, ...args: string[]) =>
  new Promise<void>((resolve, reject) => {
    execFile(process.execPath, [tool(script), ...args], { cwd: FOLDER, maxBuffer: 64 * 2 ** 20 }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${script}: ${(stdout + stderr).slice(0, 4_000)}`))
      else resolve()
    })
  })

const OTHERS: Readonly<Record<string, readonly string[]>> = {
  'swagger-typescript-api': [
    'dist/cli.mjs',
    'generate',
    '-p',
    './generated/openapi.json',
    '-o',
    './generated/others/swagger',
    '-n',
    'api.ts',
  ],
  oazapfts: ['dist/cli.js', 'generated/openapi.json', 'generated/others/oazapfts.ts'],
  orval: [
    'dist/bin/orval.mjs',
    '--input',
    './generated/openapi.json',
    '--output',
    './generated/others/orval/api.ts',
    '--client',
    'fetch',
  ],
  '@kubb/cli': ['bin/kubb.cjs', 'generate', '--config', 'kubb.config.ts'],
  'openapi-typescript-codegen': ['bin/index.js', '-i', './generated/openapi.json', '-o', './generated/others/codegen'],
  'openapi-zod-client': ['bin.js', './generated/openapi.json', '-o', './generated/others/zod.ts'],
}
/**
 * The largest allowed size of the Postman collection, in characters. Most of it consists of error answers, because
 * `openapi-to-postmanv2` stores an example of each one.
 */
const COLLECTION = 7_000_000

const ME = '5511999990000'
const ANA = '5511988880001'
const NOBODY = '5511988880000'

describe('generated clients', { skip }, () => {
  let world: World
  before(async () => {
    await rm(GENERATED, { recursive: true, force: true })
    await mkdir(join(GENERATED, 'others'), { recursive: true })
    await writeFile(join(GENERATED, 'openapi.json'), describeApi(endpoints).json)
    await run('openapi-typescript/bin/cli.js', 'generated/openapi.json', '-o', 'generated/schema.d.ts')
    const hey = ['-i', './generated/openapi.json', '-o', './generated/hey', '-c', '@hey-api/client-fetch', '--no-log-file', '-s']
    await run('@hey-api/openapi-ts/bin/run.js', ...hey)
    world = await startWorld({ own: true })
    await world.sandbox.createContact(ANA, { name: 'Ana' })
    await world.sandbox.createPhone(ME, { name: 'Me' })
  })
  after(() => world?.stop())

  test('both compile in strict mode, with the stories on top of them', () => run('typescript/bin/tsc', '-p', '.'))

  for (const [name, [script, ...args]] of Object.entries(OTHERS))
    test(`${name} makes a client`, { skip: others }, () => run(`${name}/${script}`, ...args))

  test('the clients of the other generators compile in strict mode', { skip: others }, () =>
    run('typescript/bin/tsc', '-p', 'tsconfig.others.json'),
  )

  test('openapi-to-postmanv2 makes a collection that can be imported', { skip: others }, async () => {
    await run('openapi-to-postmanv2/bin/openapi2postmanv2.js', '-s', 'generated/openapi.json', '-o', 'generated/collection.json')
    const text = await readFile(join(GENERATED, 'collection.json'), 'utf8')
    assert.ok(text.length < COLLECTION, `${text.length} characters`)
    assert.equal(text.split('"originalRequest"').length > 200, true)
  })

  test('openapi-fetch: from a key to a message and its outcome', async () => {
    const { tell } = await import(new URL('story.js', BUILT).href)
    const told = await tell({
      baseUrl: world.gateway.baseUrl,
      adminKey: world.gateway.admin.authorization.slice('Bearer '.length),
      webhookUrl: world.receiver.url,
      verifyBy: world.receiver.trust,
      scan: (image: string) => world.sandbox.scan(ME, image),
      friend: ANA,
      stranger: NOBODY,
    })
    const [message] = await world.sandbox.inbox(ANA)
    assert.deepEqual([message?.id, message?.text], [told.messageId, 'Hello from a generated client'])
    assert.deepEqual([told.failed.status, told.failed.error_code], ['failed', 'phone_not_on_whatsapp'])
    assert.ok(world.receiver.events('delivery').some((event) => event.message_id === told.messageId))
    assert.deepEqual([told.refused, told.ignored], ['invalid_phone', 'priority'])
    assert.deepEqual([told.instance.phone, told.instance.settings.auto_read_message], [ME, true])
  })

  test('@hey-api/openapi-ts: functions by operation id', async () => {
    const { health, sendTo } = await import(new URL('hey-story.js', BUILT).href)
    assert.equal(await health(world.gateway.baseUrl), 'ok')
    const instance = await world.gateway.createInstance(null)
    assert.equal(await sendTo(world.gateway.baseUrl, instance, ANA), 'queued')
    assert.equal(await sendTo(world.gateway.baseUrl, instance, 'nobody'), 'invalid_phone')
    assert.equal(await sendTo(world.gateway.baseUrl, { ...instance, token: 'f'.repeat(48) }, ANA), 'instance_not_found')
  })
})
