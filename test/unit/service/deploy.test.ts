import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { isIn, parseRanges } from '../../../src/egress/addresses.ts'
import { checkUrl } from '../../../src/egress/targets.ts'
import { MEMORY_FLAGS, MEMORY_SETTINGS } from '../../../src/restart-frugally.ts'
import { ROOT, textOf } from '../../harness/checkout.ts'

const copied = textOf('deploy/Dockerfile')
  .split('\n')
  .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
  .flatMap((line) => line.split(' ').slice(1, -1))
  .map((path) => path.replace(/^\.\//, ''))

test('the image is built of files that are there, and of nothing else: neither state nor secrets reach it', () => {
  assert.deepEqual(
    copied.filter((path) => !existsSync(new URL(path, ROOT))),
    [],
  )
  const rules = textOf('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  assert.equal(rules[0], '*')
  assert.deepEqual(rules.slice(1).sort(), [...new Set(copied)].map((path) => `!${path}`).sort())
})

test('what is started, compiled and checked has the same name everywhere', () => {
  const flags = MEMORY_FLAGS.join(' ')
  const start = `${flags} dist/src/start.js`
  for (const args of ['', ' --sandbox'])
    assert.ok(textOf('package.json').includes(`node ${flags} dist/src/npm-start.js${args}"`), args)
  assert.ok(textOf('deploy/Dockerfile').includes(`CMD ["node", "${start.replaceAll(' ', '", "')}"]`))
  assert.ok(textOf('deploy/svc.service').includes(`ExecStart=/usr/bin/node ${start}`))
})

test('memory is given back by the same settings in a container, under systemd and in the guide', () => {
  const settings = Object.entries(MEMORY_SETTINGS).map(([name, value]) => `${name}=${value}`)
  for (const file of ['deploy/Dockerfile', 'deploy/svc.service', 'wrangler-free.md'])
    assert.ok(textOf(file).includes(settings.join(' ')), file)
})

test('no dump of memory is written, in a container as under systemd', () => {
  assert.match(textOf('deploy/svc.service'), /^LimitCORE=0$/m)
  assert.match(textOf('deploy/compose.yaml'), /ulimits:\n(?: *#.*\n)* *core: 0\n/)
})

test('beside n8n, svc may post to the address of n8n over http, and to no other machine of their network', () => {
  const compose = textOf('deploy/compose.n8n.yaml')
  const setting = (name: string) => new RegExp(`^ *(?:- )?${name}: (.+)$`, 'm').exec(compose)![1]!
  const allow = parseRanges([setting('SVC_EGRESS_ALLOW')])
  const address = setting('ipv4_address')
  const subnet = setting('subnet')
  assert.ok(isIn(parseRanges([subnet]), address), `${address} is outside of ${subnet}`)
  assert.ok(isIn(allow, address))
  const network = subnet.split('.').slice(0, 3).join('.')
  for (const neighbour of ['1', '2', '9', '11']) assert.ok(!isIn(allow, `${network}.${neighbour}`), neighbour)
  // The editor of n8n shows this webhook URL, so the service must accept it.
  assert.equal(checkUrl(new URL('webhook/svc', setting('WEBHOOK_URL')).href, allow), undefined)
  assert.match(setting('image'), /:\d+\.\d+\.\d+$/)
})

const composeOf = (name: string) => parse(textOf(`deploy/${name}`), { merge: true })
const COMPOSE_FILES = ['compose.yaml', 'compose.n8n.yaml', 'compose.cluster.yaml', 'compose.pair.yaml']

interface Service {
  read_only?: boolean
  configs?: { source: string; target: string }[]
  env_file?: { path: string }[]
}

const servicesOf = (name: string) => Object.values<Service>(composeOf(name).services)

test('a read-only service gets its configuration as a mounted file, because Compose cannot copy one into it', () => {
  const used = COMPOSE_FILES.flatMap((name) =>
    servicesOf(name)
      .filter((service) => service.read_only)
      .flatMap(({ configs = [] }) => configs.map((config) => ({ config, definition: composeOf(name).configs[config.source] }))),
  )
  assert.ok(used.length > 0)
  for (const { config, definition } of used) {
    assert.deepEqual(Object.keys(config), ['source', 'target'], 'Compose copies a file that has a mode or an owner')
    assert.deepEqual(Object.keys(definition), ['file'])
    assert.ok(existsSync(new URL(`deploy/${definition.file}`, ROOT)), definition.file)
  }
})

test('git ignores each file of settings that a compose file names, because it has secrets', () => {
  const named = COMPOSE_FILES.flatMap((name) =>
    servicesOf(name).flatMap(({ env_file: files = [] }) => files.map(({ path }) => `deploy/${path}`)),
  )
  const settings = [...new Set(named)].sort()
  assert.deepEqual(settings, ['deploy/cluster.env', 'deploy/svc.env'])
  const ignored = execFileSync('git', ['check-ignore', ...settings], { cwd: ROOT, encoding: 'utf8' })
  assert.deepEqual(ignored.trim().split('\n').sort(), settings)
})

test('the health check ends with 0 when the service is ready or is a standby, and with 1 and the reason otherwise', async () => {
  const check = (port: number) =>
    new Promise<[code: number, text: string]>((resolve) => {
      const env = { PATH: process.env.PATH, SVC_PORT: String(port), SVC_HOST: '0.0.0.0' }
      const child = execFile(process.execPath, [fileURLToPath(new URL('deploy/healthcheck.mjs', ROOT))], { env }, (_, stdout) =>
        resolve([child.exitCode ?? -1, stdout]),
      )
    })
  let status = 200
  let answer = 'how it is'
  const asked: (string | undefined)[] = []
  const server = createServer(({ url }, response) => {
    asked.push(url)
    response.writeHead(status).end(answer)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  assert.deepEqual(await check(port), [0, 'how it is\n'])
  status = 503
  assert.deepEqual(await check(port), [1, 'how it is\n'])
  assert.deepEqual(asked, ['/health/ready', '/health/ready'])
  for (const [reason, code] of [
    ['standby', 0],
    ['database', 0],
    ['storage', 1],
  ] as const) {
    answer = JSON.stringify({ error: { details: { reason } } })
    assert.deepEqual(await check(port), [code, `${answer}\n`])
  }
  server.close()
  await once(server, 'close')
  const [code, text] = await check(port)
  assert.equal(code, 1)
  assert.match(text, /^nobody answers on 127\.0\.0\.1 port \d+: .*ECONNREFUSED/)
})

test('an upgrade reads the address from the settings: no value of them is run, and none reaches what is built', async (t) => {
  const run = promisify(execFile)
  const home = await mkdtemp(join(tmpdir(), 'svc-upgrade-'))
  const source = join(home, 'source')
  await mkdir(join(source, 'scripts'), { recursive: true })
  await cp(new URL('deploy', ROOT), join(source, 'deploy'), { recursive: true })
  await writeFile(join(source, 'scripts/prune.mjs'), '')
  const git = (...args: string[]) => run('git', ['-C', source, '-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args])
  await git('init', '--quiet')
  await git('add', '.')
  await git('commit', '--quiet', '--message', 'a release')
  await git('remote', 'add', 'origin', source)

  const programs = join(home, 'programs')
  const built = join(home, 'built')
  await mkdir(programs)
  await mkdir(built)
  // During the installation of packages, programs of other authors run. They must not see secrets in the environment.
  await writeFile(join(programs, 'npm'), `#!/bin/sh\nenv > "${built}/$1"\n`, { mode: 0o755 })
  const server = createServer((_, response) => response.end('fine')).listen(0, '127.0.0.1')
  t.after(async () => {
    server.close()
    await rm(home, { recursive: true, force: true })
  })
  await once(server, 'listening')
  const settings = join(home, 'svc.env')
  const lines = [
    '# As systemd reads it: to the end of the line, and no shell.',
    `SVC_PORT="${(server.address() as AddressInfo).port}"`,
    'SVC_HOST=0.0.0.0 ',
    `SVC_ADMIN_KEY=svc_admin_${'a'.repeat(48)}`,
    `SVC_METRICS_TOKEN=a$(touch ${built}/ran)`,
    'SVC_TRUSTED_PROXIES=10.0.0.0/8, 127.0.0.1',
    'SVC_LISTEN_SECRET=$nobody',
  ]
  await writeFile(settings, `${lines.join('\n')}\n`)
  const env = {
    PATH: [programs, dirname(process.execPath), process.env.PATH].join(':'),
    INSTALL_DIR: home,
    SETTINGS: settings,
    RESTART: 'true',
    READY_SECONDS: '3',
  }
  const { stdout } = await run('/bin/sh', [fileURLToPath(new URL('deploy/upgrade.sh', ROOT)), 'HEAD'], { env })
  assert.match(stdout, /^upgrade: releases\/[0-9a-f]{12} runs: fine$/m)
  assert.deepEqual((await readdir(built)).sort(), ['ci', 'prune', 'run'])
  for (const name of await readdir(built)) assert.doesNotMatch(await readFile(join(built, name), 'utf8'), /SVC_/, name)
})
