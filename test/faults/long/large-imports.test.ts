/**
 * Imports 5,000 Signal sessions, first small ones and then 50 MB of them. The network does not know the device, so its
 * instance ends as `logged_out`. The test prints the time and the memory.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, type TestContext, test } from 'node:test'
import { BufferJSON, useMultiFileAuthState } from '@whiskeysockets/baileys'
import { CLI, ROOT } from '../../harness/checkout.ts'
import { ask, must } from '../../harness/http.ts'
import { linked, session } from '../../unit/portability/device.ts'
import { startGround, until } from '../ground.ts'

const SESSIONS = 5_000
/** Number of closed sessions in each record of the large folder: with them, the file of one record has 11 kB. */
const CLOSED = 16
const MB = 1_048_576
const COUNTED = /^5000 sessions with devices: 5000 taken, 5000 converted\.$/m

const ground = await startGround()
const dir = await mkdtemp(join(tmpdir(), 'svc-large-imports-'))
after(async () => {
  await ground?.stop()
  await rm(dir, { recursive: true, force: true })
})

async function folderWith(name: string, closed: number): Promise<{ folder: string; size: number }> {
  const folder = join(dir, name)
  const { state, saveCreds } = await useMultiFileAuthState(folder)
  Object.assign(state.creds, linked())
  await saveCreds()
  const files = Array.from({ length: SESSIONS }, (_, number) => join(folder, `session-${4_915_700_000_000 + number}.0.json`))
  for (const [number, file] of files.entries())
    await writeFile(file, JSON.stringify(session(number % 250, closed), BufferJSON.replacer))
  const sizes = await Promise.all((await readdir(folder)).map(async (each) => (await stat(join(folder, each))).size))
  return { folder, size: sizes.reduce((sum, each) => sum + each, 0) }
}

/** Returns the most memory that the process has used, in MB. */
const peakOf = async (pid: number) =>
  Number(/VmHWM:\s+(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, 'utf8').catch(() => ''))?.[1] ?? 0) / 1_024

async function imported(folder: string) {
  const began = performance.now()
  const child = spawn(process.execPath, [...CLI, 'instance', 'import', '--from', 'baileys', folder, '--stopped'], {
    cwd: ROOT,
    env: { ...process.env, SVC_DATA_DIR: ground.dataDir },
  })
  let peak = 0
  const looking = setInterval(async () => {
    peak = Math.max(peak, await peakOf(child.pid!))
  }, 50)
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  clearInterval(looking)
  return { out, errors, seconds: (performance.now() - began) / 1_000, peak }
}

const remove = async (id: string) => {
  await must('DELETE', `${ground.gateway.baseUrl}/account/instances/${id}`, undefined, ground.gateway.account)
}

for (const [name, closed] of [
  ['small sessions', 0],
  ['50 MB', CLOSED],
] as const)
  test(`${SESSIONS} sessions (${name}) are imported by the command`, async (t: TestContext) => {
    const { folder, size } = await folderWith(name, closed)
    if (closed > 0) assert.ok(size > 50 * MB, `${size} bytes`)
    const before = await peakOf(ground.service.child.pid!)
    const { out, errors, seconds, peak } = await imported(folder)
    assert.match(out, COUNTED, errors)
    assert.match(
      out,
      /^The network has removed this device from the account, so it cannot be moved\. Pair the instance by its QR code\.$/m,
    )
    const after = await peakOf(ground.service.child.pid!)
    t.diagnostic(
      `${Math.round(size / MB)} MB: ${seconds.toFixed(1)} s, the command used ${Math.round(peak)} MB, the service ${Math.round(after - before)} MB more`,
    )
    await remove(/^Instance: (\S+)$/m.exec(out)![1]!)
  })

test('the same folder is imported over HTTP', async (t) => {
  const folder = join(dir, '50 MB')
  const names = await readdir(folder)
  const files = await Promise.all(
    names.map(async (name) => [name, JSON.parse(await readFile(join(folder, name), 'utf8'))] as const),
  )
  const body = JSON.stringify(Object.fromEntries(files))
  const { pid } = ground.service.child
  const before = await peakOf(pid!)
  const began = performance.now()
  const answer = await fetch(`${ground.gateway.baseUrl}/admin/instances/import?from=baileys&stopped=true`, {
    method: 'POST',
    headers: { ...ground.gateway.admin, 'Content-Type': 'application/octet-stream' },
    body,
  })
  const { instance, report } = (await answer.json()) as { instance: { id: string }; report: string[] }
  const seconds = (performance.now() - began) / 1_000
  assert.equal(answer.status, 200, JSON.stringify(report))
  assert.match(report.join('\n'), COUNTED)
  t.diagnostic(
    `${Math.round(body.length / MB)} MB: ${seconds.toFixed(1)} s, the service used ${Math.round((await peakOf(pid!)) - before)} MB more`,
  )
  const shown = () =>
    ask<{ status: string }>(
      'GET',
      `${ground.gateway.baseUrl}/account/instances/${instance.id}`,
      undefined,
      ground.gateway.account,
    )
  await until('the first login ends', async () => (await shown()).body.status === 'logged_out')
  await remove(instance.id)
})
