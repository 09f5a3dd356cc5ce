/**
 * Runs the systemd samples of docs/running.md as root in a new Debian container in which systemd runs. Their
 * placeholders are filled in.
 */
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { ROOT } from '../harness/checkout.ts'
import { installed, missing, sampleWith } from '../harness/samples.ts'
import { until } from '../harness/until.ts'

const run = promisify(execFile)
const PAGE = 'docs/running.md'
const NAME = `svc-systemd-${process.pid}`
/**
 * File with the certificate authorities that this machine trusts. The container needs them if the machine reaches npm's
 * registry through its own TLS proxy.
 */
const AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt'
/** Folder of the npm that belongs to the installed Node. docs/running.md expects `node` at `/usr/bin/node`. */
const NPM = '/usr/lib/node_modules/npm'

const skip = missing('podman') || missing('debootstrap') || (process.getuid?.() !== 0 && 'it needs root')

describe('the systemd samples', { skip, timeout: 1_200_000 }, () => {
  let dir: string
  let repository: string

  const git = (...args: string[]) => run('git', ['-C', repository, '-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args])
  const shell = (script: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const variables = [
        '-e',
        'REPOSITORY=/repository',
        '-e',
        'DEBIAN_FRONTEND=noninteractive',
        '-e',
        `NODE_EXTRA_CA_CERTS=${AUTHORITIES}`,
      ]
      const child = spawn('podman', ['exec', '-i', ...variables, NAME, 'bash', '-euo', 'pipefail'], { stdio: 'pipe' })
      let [out, errors] = ['', '']
      child.stdout.on('data', (piece) => {
        out += piece
      })
      child.stderr.on('data', (piece) => {
        errors += piece
      })
      child.on('close', (code) => (code === 0 ? resolve(out) : reject(new Error(`ended with ${code}: ${out}\n${errors}`))))
      child.stdin.end(script)
    })
  const command = (words: string) =>
    sampleWith(PAGE, 'npm run cli -- help')
      .split('\n')
      .find((line) => line.includes(words))!
  const operate = (line: string) => shell(`cd /opt/svc/current; export SVC_DATA_DIR=/var/lib/svc\n${line}`)

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'svc-systemd-'))
    repository = join(dir, 'repository')
    await run('git', ['clone', '--quiet', new URL('.', ROOT).pathname, repository])
    const root = join(dir, 'root')
    const packages = 'systemd,systemd-sysv,dbus,ca-certificates'
    await run('debootstrap', ['--variant=minbase', `--include=${packages}`, 'bookworm', root], { maxBuffer: 2 ** 26 })
    await cp(process.execPath, join(root, 'usr/bin/node'))
    await cp(NPM, join(root, NPM), { recursive: true })
    const npm = `#!/bin/sh\nexec /usr/bin/node ${NPM}/bin/npm-cli.js "$@"\n`
    await writeFile(join(root, 'usr/bin/npm'), npm, { mode: 0o755 })
    // crun 1.8 does not start if both versions of control groups are mounted, but runc does.
    const runtime = installed('runc') ? ['--runtime', 'runc'] : []
    const { stdout: files } = await run('bash', ['-c', 'ulimit -Hn'])
    const limits = ['--ulimit', `nofile=${files.trim()}:${files.trim()}`, '--ulimit', 'nproc=4096:4096']
    const mounts = ['-v', `${repository}:/repository:ro`, '-v', `${AUTHORITIES}:${AUTHORITIES}:ro`]
    const options = ['--privileged', '--systemd=always', '--network=host', ...limits, ...mounts]
    await run('podman', [...runtime, 'run', '--detach', '--name', NAME, ...options, '--rootfs', `${root}:O`, '/sbin/init'])
    await until(
      () => shell('systemctl is-system-running || true'),
      (text) => /running|degraded/.test(text),
      60_000,
    )
  })
  after(async () => {
    await run('podman', ['rm', '--force', '--time', '0', '--ignore', NAME])
    await rm(dir, { recursive: true, force: true })
  })

  test('the commands install the service, start it, and let the next boot start it', async () => {
    const text = await shell(`apt-get update\n${sampleWith(PAGE, 'useradd')}`)
    assert.match(text, /upgrade: releases\/[0-9a-f]{12} is ready/)
    assert.equal((await shell('systemctl is-active svc; systemctl is-enabled svc')).trim(), 'active\nenabled')
    assert.match(await shell('journalctl -u svc'), /Admin key {2}svc_admin_[0-9a-f]{48}/)
    assert.equal((await shell('stat --format %U /proc/$(systemctl show --value --property MainPID svc)')).trim(), 'svc')
  })

  test('an upgrade runs another release, and --back the one before', async () => {
    const [upgrade, back] = sampleWith(PAGE, 'upgrade.sh v1.1.0').trim().split('\n')
    const current = async () => (await shell('readlink /opt/svc/current')).trim()
    const old = await current()
    await git('commit', '--quiet', '--allow-empty', '--message', 'a release')
    await git('tag', 'v1.1.0')
    await shell(upgrade!)
    assert.notEqual(await current(), old)
    await shell(back!)
    assert.equal(await current(), old)
  })

  test("the operator's commands work as root on the data of the service, and leave files that it can still write to", async () => {
    assert.match(await operate(command('help')), /store backup/)
    assert.match(await operate(command('admin-key').replace(/\[.*\]/, '')), /svc_admin_[0-9a-f]{48}/)
    assert.match(await operate(command('--slots').replace('<n>', '60')), /may have 60 instances/)
    assert.match(await operate(command('--name').replace('<name>', 'second')), /svc_admin_[0-9a-f]{48}/)
    assert.match(await operate(command('workspace list')), /0\/60[\s\S]*0\/50 {2}second/)
    assert.match(await operate(command('store check')), /is sound/)
    assert.match(await operate(sampleWith('docs/pt/running.md', 'store backup')), /2026-03-01: \d+ records/)
    await assert.rejects(operate(command('secret-key rotate')), /Another svc runs on the store/)
    await shell('systemctl stop svc')
    assert.match(await operate(command('secret-key rotate')), /now holds the new key/)
    assert.equal(await shell('find /var/lib/svc ! -user svc'), '')
    await shell('systemctl start svc')
    await until(
      () => shell('node /opt/svc/current/deploy/healthcheck.mjs || true'),
      (text) => text.includes('"ok"'),
      60_000,
    )
  })
})
