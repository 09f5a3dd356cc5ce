/** Runs the Docker samples of docs/running.md and docs/webhooks.md unchanged on a clone of this repository. */
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { ROOT } from '../harness/checkout.ts'
import { ask, must } from '../harness/http.ts'
import { sampleWith } from '../harness/samples.ts'
import { until } from '../harness/until.ts'

const run = promisify(execFile)
const RUNNING = 'docs/running.md'
const BASE_URL = 'http://127.0.0.1:8080'

/**
 * Names of the container and the volume in the sample without compose. They are fixed, so another deployment on this
 * machine may already use them.
 */
const FIXED = { container: 'svc', volume: 'svc-data' }

const BOTH = ['-f', 'deploy/compose.yaml', '-f', 'deploy/compose.n8n.yaml']

const hasEngine = spawnSync('docker', ['info'], { stdio: 'ignore' }).status === 0
const hasCompose = spawnSync('docker', ['compose', 'version'], { stdio: 'ignore' }).status === 0
const skip = hasEngine && hasCompose ? false : 'there is no Docker engine, or no docker compose'

describe('the Docker samples', { skip, timeout: 1_200_000 }, () => {
  let clone: string
  // The test uses its own project name, so that it does not affect a deployment on this machine.
  const env = { ...process.env, COMPOSE_PROJECT_NAME: `svc-test-${process.pid}` }

  const shell = async (script: string) =>
    (await run('bash', ['-eo', 'pipefail', '-c', script], { cwd: clone, env, maxBuffer: 64 * 1_024 * 1_024 })).stdout
  const docker = async (...args: string[]) => (await run('docker', args, { cwd: clone, env })).stdout.trim()
  const inspect = async (container: string, what: string) =>
    JSON.parse(await docker('inspect', container, '--format', `{{json ${what}}}`))
  const containerOf = async (service: string) =>
    docker(
      'ps',
      '--quiet',
      '--filter',
      `label=com.docker.compose.project=${env.COMPOSE_PROJECT_NAME}`,
      '--filter',
      `label=com.docker.compose.service=${service}`,
    )

  /**
   * Runs a container's health check (`["CMD", …]`) repeatedly for up to a minute, until it succeeds. It does not wait
   * until Docker runs the check.
   */
  const healthy = (container: string, [kind, ...command]: string[]) => {
    assert.equal(kind, 'CMD')
    const outcome = () =>
      docker('exec', container, ...command).then(
        () => 'healthy',
        (error: Error) => error.message,
      )
    return until(outcome, (text) => text === 'healthy', 60_000)
  }
  const ready = async (container: string) => healthy(container, await inspect(container, '.Config.Healthcheck.Test'))

  before(async () => {
    assert.equal(
      await run('docker', ['ps', '--all', '--quiet', '--filter', `name=^${FIXED.container}$`]).then(({ stdout }) => stdout),
      '',
    )
    assert.equal(
      await run('docker', ['volume', 'ls', '--quiet', '--filter', `name=^${FIXED.volume}$`]).then(({ stdout }) => stdout),
      '',
    )
    clone = join(await mkdtemp(join(tmpdir(), 'svc-docker-')), 'svc')
    await run('git', ['clone', '--quiet', new URL('.', ROOT).pathname, clone])
  })
  after(async () => {
    await docker('compose', ...BOTH, 'down', '--volumes')
    await docker('rm', '--force', FIXED.container)
    await docker('volume', 'rm', '--force', FIXED.volume)
    await rm(join(clone, '..'), { recursive: true })
  })

  test('compose builds the image, starts it, and prints the admin key', async () => {
    await shell(sampleWith(RUNNING, 'logs | head'))
    await ready(await containerOf('svc'))
    assert.match(await docker('compose', '-f', 'deploy/compose.yaml', 'logs'), /Admin key {2}svc_admin_[0-9a-f]{48}/)
  })

  test('the service has no privileges, cannot write to its files, and is reached from this machine only', async () => {
    const container = await containerOf('svc')
    const inside = (script: string) => docker('exec', container, 'sh', '-c', script)
    assert.equal(await inside('id -un'), 'node')
    assert.match(await inside('cat /proc/self/status'), /^CapBnd:\t0+$[\s\S]*^NoNewPrivs:\t1$/m)
    assert.equal(await inside('ulimit -c'), '0')
    assert.equal(
      await inside('touch /tmp/here /data/here && rm /tmp/here /data/here; touch /app/here 2>/dev/null || echo refused'),
      'refused',
    )
    assert.equal(await inside('ffmpeg -version >/dev/null && echo converts'), 'converts')
    const ports = Object.values(await inspect(container, '.HostConfig.PortBindings')).flat() as { HostIp: string }[]
    assert.deepEqual(
      ports.map(({ HostIp }) => HostIp),
      ['127.0.0.1'],
    )
  })

  test('a setting of deploy/svc.env applies after the next up: the dashboard opens', async () => {
    const dashboard = async () => (await fetch(`${BASE_URL}/dashboard/`)).status
    assert.equal(await dashboard(), 404)
    await writeFile(join(clone, 'deploy/svc.env'), 'SVC_DASHBOARD=on\n')
    await shell('docker compose -f deploy/compose.yaml up -d')
    await ready(await containerOf('svc'))
    assert.equal(await dashboard(), 200)
  })

  test('an upgrade runs the new image, and the previous one again afterwards', async () => {
    const image = async () => inspect(await containerOf('svc'), '.Config.Image')
    const upgrade = sampleWith(RUNNING, 'export RELEASE=')
    const commit = (await run('git', ['-C', clone, 'rev-parse', '--short', 'HEAD'])).stdout.trim()
    await shell(upgrade)
    await ready(await containerOf('svc'))
    assert.match(await image(), new RegExp(`svc:${commit}$`))
    const again = upgrade.split('\n').find((line) => line.includes('to go back'))
    await shell(`export RELEASE=latest; ${again}`)
    await ready(await containerOf('svc'))
    assert.match(await image(), /svc:local$/)
  })

  test('beside n8n, a webhook reaches n8n and nothing else in the network, and n8n reaches the service', async () => {
    const adminKey = `svc_admin_${'c0ffee'.repeat(8)}`
    await appendFile(join(clone, 'deploy/svc.env'), `SVC_ADMIN_KEY=${adminKey}\n`)
    await shell(sampleWith('docs/webhooks.md', 'compose.n8n.yaml'))
    const n8n = await containerOf('n8n')
    const config = await docker('compose', ...BOTH, 'config', '--format', 'json')
    await Promise.all([ready(await containerOf('svc')), healthy(n8n, JSON.parse(config).services.n8n.healthcheck.test)])
    assert.equal((await fetch('http://localhost:5678/healthz')).status, 200)
    const look = "fetch('http://svc:8080/health/ready').then(({ status }) => console.log(status))"
    assert.equal(await docker('exec', n8n, 'node', '-e', look), '200')

    const admin = { authorization: `Bearer ${adminKey}` }
    const { value } = await must('POST', `${BASE_URL}/admin/api-keys`, { name: 'n8n', scopes: ['instances:write'] }, admin)
    const account = { authorization: `Bearer ${value}` }
    const { api_url: url } = await must('POST', `${BASE_URL}/account/instances`, { name: 'n8n' }, account)
    await must('PUT', `${url}/webhooks`, { received_url: 'http://n8n:5678/webhook/svc' })
    const { response_code: code, error } = await must('POST', `${url}/webhooks/received/test`, {})
    // No workflow exists yet, so n8n refuses the request. Any HTTP status proves that n8n was reached.
    assert.ok(Number.isInteger(code), `${error}`)
    const refused = await ask('PUT', `${url}/webhooks`, { received_url: 'http://172.31.57.1:8080/' })
    assert.equal(refused.status, 400, JSON.stringify(refused.body))
  })

  test('without compose, the same image runs and stops in order', async () => {
    await docker('compose', ...BOTH, 'down')
    await shell(sampleWith(RUNNING, 'docker build'))
    await ready(FIXED.container)
    assert.match(await docker('logs', FIXED.container), /API +https:\/\/gw\.example\.com/)
    await docker('stop', FIXED.container)
    assert.equal(await inspect(FIXED.container, '.State.ExitCode'), 0)
  })
})
