import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ROOT } from '../../harness/checkout.ts'
import { credentialsIn } from '../../harness/secrets.ts'

const script = fileURLToPath(new URL('scripts/log-secrets.mjs', ROOT))
const hex = (length: number) => '0123456789abcdef'.repeat(5).slice(0, length)
const KINDS = [
  `svc_key_${hex(48)}`,
  `svc_admin_${hex(48)}`,
  `svc_oat_${hex(48)}`,
  `svc_ort_${hex(80)}`,
  `whsec_${'aB3'.repeat(11).slice(0, 32)}`,
  hex(48),
]
const QUIET = '{"level":30,"msg":"session is up","instance_id":"5f0b3c1e-7a0d-4c58-9a55-0e6a1f7c2b90"}\n'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-log-secrets-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function search(secrets: readonly string[], log: string) {
  await writeFile(join(folder, '7.secrets'), secrets.map((secret) => `${secret}\n`).join(''))
  await writeFile(join(folder, '7.log'), log)
  return spawnSync(process.execPath, [script, folder], { encoding: 'utf8' })
}

test('a log without credentials passes', async () => {
  const { status, stdout } = await search(KINDS, QUIET)
  assert.deepEqual([status, stdout], [0, `Credentials in logs: 0 of ${KINDS.length} that were used, in 1 lines.\n`])
})

for (const credential of KINDS)
  test(`one in it is found, and not repeated: ${credential.slice(0, 10)}…`, async () => {
    assert.deepEqual(credentialsIn(`?token=${credential}&x`), [credential], 'the tests note it')
    const { status, stdout } = await search([credential], `${QUIET}{"msg":"asked","path":"/instances/token/${credential}/me"}\n`)
    assert.equal(status, 1)
    assert.match(stdout, /"path":"\/instances\/token\/<a credential>\/me"/)
    assert.ok(!stdout.includes(credential))
  })

test('one that no test has used is none: ids of messages may look alike', async () => {
  assert.equal((await search([hex(48)], `{"id":"${hex(48).replace('0', 'f')}"}\n`)).status, 0)
})

test('without a log, or without credentials, nothing was looked for, and that fails', async () => {
  assert.equal((await search(KINDS, '')).status, 1)
  assert.equal((await search([], QUIET)).status, 1)
})
