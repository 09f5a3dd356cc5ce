/**
 * Tests the configuration files in docs/running.md and deploy/ with the programs for which they are made, if these are
 * installed. Each program checks its file and runs with it.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { ROOT } from '../harness/checkout.ts'
import { nginxMissing, startNginx } from '../harness/proxies.ts'
import { installed, missing, sampleWith } from '../harness/samples.ts'

const run = promisify(execFile)
const PAGE = 'docs/running.md'

const dir = await mkdtemp(join(tmpdir(), 'svc-samples-'))
after(() => rm(dir, { recursive: true, force: true }))

async function fileOf(name: string, text: string): Promise<string> {
  const file = join(dir, name)
  await writeFile(file, text)
  return file
}

test('nginx accepts the sample as it is', { skip: nginxMissing }, async () => {
  const server = `server { listen 127.0.0.1:8088; ${sampleWith(PAGE, 'proxy_pass')} }`
  const config = await fileOf('nginx.conf', `pid ${dir}/pid; error_log stderr; events {} http { access_log off; ${server} }`)
  const { stderr } = await run(installed('nginx')!, ['-t', '-p', dir, '-c', config])
  assert.match(stderr, /test is successful/)
  assert.doesNotMatch(stderr, /\[(warn|error|emerg)\]/)
})

test('nginx passes a large body, the host and the caller on, and begins before the body has arrived', {
  skip: nginxMissing,
}, async (t) => {
  const seen: { host: string | undefined; caller: unknown; path: string | undefined; bytes: number }[] = []
  let begun = () => {}
  const hasBegun = new Promise<void>((resolve) => {
    begun = resolve
  })
  const service = createServer(async (request, response) => {
    begun()
    let bytes = 0
    for await (const piece of request) bytes += (piece as Buffer).length
    seen.push({ host: request.headers.host, caller: request.headers['x-forwarded-for'], path: request.url, bytes })
    response.end('ok')
  }).listen(0, '127.0.0.1')
  await once(service, 'listening')
  t.after(() => service.close())
  const proxy = await startNginx({ to: `http://127.0.0.1:${(service.address() as AddressInfo).port}`, from: '127.0.0.1' })
  t.after(() => proxy.stop())

  const half = Buffer.alloc(16 * 1_024 * 1_024)
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(half)
      // The second half of the body is sent only when the service has seen the request. So the test hangs if nginx
      // buffers the body first.
      await hasBegun
      controller.enqueue(half)
      controller.close()
    },
  })
  const url = `http://localhost:${proxy.port}/instances/a/token/b/send-document/pdf`
  const answer = await fetch(url, { method: 'POST', body, duplex: 'half' } as RequestInit)
  assert.deepEqual([answer.status, await answer.text()], [200, 'ok'])
  assert.deepEqual(seen, [
    { host: 'localhost', caller: '127.0.0.1', path: '/instances/a/token/b/send-document/pdf', bytes: 2 * half.length },
  ])
})

test('Caddy accepts the sample', { skip: missing('caddy') }, async () => {
  const config = await fileOf('Caddyfile', sampleWith(PAGE, 'reverse_proxy'))
  await run(installed('caddy')!, ['validate', '--adapter', 'caddyfile', '--config', config], {
    env: { ...process.env, HOME: dir },
  })
})

test('systemd knows every setting of the unit, and starts nothing that is not there', {
  skip: missing('systemd-analyze'),
}, async () => {
  const unit = await readFile(new URL('deploy/svc.service', ROOT), 'utf8')
  // Node may be in another folder on this machine. The package of the service need not be installed: systemd only
  // checks that the program (node) exists.
  const file = await fileOf('svc.service', unit.replace('/usr/bin/node', process.execPath))
  // systemd-analyze prints wrong settings, but its exit code is 0. So its output is checked, too.
  const { stdout, stderr } = await run(installed('systemd-analyze')!, ['verify', '--man=no', file])
  const about = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('svc.service'))
  assert.deepEqual(about, [])
})
