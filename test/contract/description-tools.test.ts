/**
 * Checks the OpenAPI description with programs that others wrote: two linters with their recommended rules, a shell and
 * a compiler.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { endpoints } from '../../src/features/index.ts'
import { codeSamples } from '../../src/http/description/code-samples.ts'
import { describe } from '../../src/http/description/openapi.ts'
import { amount } from '../harness/amount.ts'
import { ROOT } from '../harness/checkout.ts'

const root = fileURLToPath(ROOT)
const tool = (path: string) => join(root, 'node_modules', path)

const dir = await mkdtemp(join(tmpdir(), 'svc-description-'))
await writeFile(join(dir, 'openapi.json'), describe(endpoints).json)
await writeFile(join(dir, 'ruleset.json'), JSON.stringify({ extends: ['spectral:oas'] }))
after(() => rm(dir, { recursive: true, force: true }))

const OFFLINE = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }

interface Ended {
  code: number
  stdout: string
  stderr: string
}

const run = (program: string, args: string[]) =>
  new Promise<Ended>((resolve) => {
    execFile(
      program,
      args,
      { cwd: dir, env: { ...process.env, ...OFFLINE }, maxBuffer: 64 * 2 ** 20 },
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr })
      },
    )
  })

test('redocly, recommended rules: no problem', async () => {
  const cli = tool('@redocly/cli/bin/cli.js')
  const { stdout, stderr } = await run(process.execPath, [
    cli,
    'lint',
    'openapi.json',
    '--extends',
    'recommended',
    '--format',
    'json',
  ])
  const { problems } = JSON.parse(stdout || `{"problems":[${JSON.stringify(stderr)}]}`)
  const said = problems.map((problem: { ruleId: string; message: string; location: { pointer: string }[] } | string) =>
    typeof problem === 'string' ? problem : `${problem.location[0]?.pointer}: ${problem.message} (${problem.ruleId})`,
  )
  assert.deepEqual(said, [])
})

// Spectral needs half a minute of CPU time, so its test runs only with SVC_TEST_FULL=1.
const isLong = amount(1, 0) === 0 && 'spectral runs with SVC_TEST_FULL=1'

test('spectral, rules for OpenAPI: no finding', { skip: isLong }, async () => {
  const cli = tool('@stoplight/spectral-cli/dist/index.js')
  const { stdout, stderr, code } = await run(process.execPath, [
    cli,
    'lint',
    '-r',
    'ruleset.json',
    '-f',
    'json',
    '--quiet',
    'openapi.json',
  ])
  const found: { path: string[]; message: string; code: string }[] = JSON.parse(stdout || '[]')
  assert.deepEqual(
    found.map(({ path, message, code: rule }) => `${path.join('/')}: ${message} (${rule})`),
    [],
  )
  assert.equal(code, 0, stderr)
})

test('a sample for curl is one a shell can read', async () => {
  const scripts = endpoints.map((endpoint) => codeSamples(endpoint)[0]!.source)
  assert.ok(scripts.every((script) => script.startsWith('curl ')))
  await writeFile(join(dir, 'samples.sh'), scripts.join('\n\n'))
  const { code, stderr } = await run('sh', ['-n', 'samples.sh'])
  assert.equal(code, 0, stderr)
})

test('a sample names the instance and its token by variables, and leaves a field of the same name among the fields', () => {
  const own = endpoints.filter(({ access }) => access === 'instance').flatMap((endpoint) => codeSamples(endpoint))
  for (const { source } of own) assert.match(source, /\/instances\/\$\{?INSTANCE_ID\}?\/token\/\$\{?TOKEN\}?/)
  const curlOf = (wanted: string) => codeSamples(endpoints.find(({ id }) => id === wanted)!)[0]!.source
  assert.match(curlOf('send.sendOrder'), /-d '\{.*"token":/)
  assert.match(curlOf('business.order'), /\?order_token=/)
})

test('a sample reads an answer as what it is', () => {
  const readIn = (wanted: string) => {
    const sample = codeSamples(endpoints.find(({ id }) => id === wanted)!)[1]!
    return sample.source.split('const answer = ')[1]
  }
  assert.equal(readIn('instance.status'), 'await response.json()')
  assert.equal(readIn('system.metrics'), 'await response.text()')
  assert.equal(readIn('webhooks.events'), 'response.body')
  assert.equal(readIn('instance.qrCodeImage'), 'await response.arrayBuffer()')
})

test('a sample for TypeScript compiles', async () => {
  for (const endpoint of endpoints)
    await writeFile(join(dir, `${endpoint.id}.ts`), `${codeSamples(endpoint)[1]!.source}\nvoid answer\nexport {}\n`)
  const options = { target: 'ES2023', module: 'NodeNext', strict: true, noEmit: true, skipLibCheck: true, types: ['node'] }
  const typeRoots = [tool('@types')]
  await writeFile(join(dir, 'package.json'), '{"type":"module"}')
  await writeFile(join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions: { ...options, typeRoots }, include: ['*.ts'] }))
  const { code, stdout } = await run(process.execPath, [tool('typescript/bin/tsc'), '-p', dir])
  assert.equal(code, 0, stdout.slice(0, 2_000))
})
