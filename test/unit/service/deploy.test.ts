/** The files in deploy/: what they name is there, and the health check says what the service does. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ROOT } from '../../harness/checkout.ts'

const textOf = (path: string) => readFileSync(new URL(path, ROOT), 'utf8')

/** What the image is built of, as the Dockerfile copies it from the repository. */
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
  const start = '--max-semi-space-size=2 dist/src/start.js'
  assert.ok(textOf('package.json').includes(`node ${start}"`))
  assert.ok(textOf('deploy/Dockerfile').includes(`CMD ["node", "${start.replace(' ', '", "')}"]`))
  assert.ok(textOf('deploy/svc.service').includes(`ExecStart=/usr/bin/node ${start}`))
})

test('no dump of memory is written, in a container as under systemd', () => {
  assert.match(textOf('deploy/svc.service'), /^LimitCORE=0$/m)
  assert.match(textOf('deploy/compose.yaml'), /ulimits:\n(?: *#.*\n)* *core: 0\n/)
})

test('the health check ends with 0 when the service is ready, and with 1 and the reason otherwise', async () => {
  const check = (port: number) =>
    new Promise<[code: number, text: string]>((resolve) => {
      const env = { PATH: process.env.PATH, SVC_PORT: String(port), SVC_HOST: '0.0.0.0' }
      const child = execFile(process.execPath, [fileURLToPath(new URL('deploy/healthcheck.mjs', ROOT))], { env }, (_, stdout) =>
        resolve([child.exitCode ?? -1, stdout]),
      )
    })
  let status = 200
  const asked: (string | undefined)[] = []
  const server = createServer(({ url }, response) => {
    asked.push(url)
    response.writeHead(status).end('how it is')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  assert.deepEqual(await check(port), [0, 'how it is\n'])
  status = 503
  assert.deepEqual(await check(port), [1, 'how it is\n'])
  assert.deepEqual(asked, ['/health/ready', '/health/ready'])
  server.close()
  await once(server, 'close')
  const [code, text] = await check(port)
  assert.equal(code, 1)
  assert.match(text, /^nobody answers on 127\.0\.0\.1 port \d+: .*ECONNREFUSED/)
})
