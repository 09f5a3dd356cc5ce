/**
 * Kills the command `instance export` at its steps. The instance must then be either connected or moved, and the file
 * either complete or refused by an import. A repeated command must complete the export.
 */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { readInstanceArchive } from '../../../src/archive/instance-archive.ts'
import { type CommandResult, runCommand, runCommandIn } from '../../harness/cli.ts'
import { createGateway } from '../../harness/gateway.ts'
import { run } from '../../harness/process.ts'
import { startGround, until } from '../ground.ts'

const PHONE = '5511999990061'
const OTHER_PHONE = '5511999990062'
const ANA = '5511988880061'
const PASSPHRASE = 'correct horse battery'
const MOVED = 'The account was moved to another program, so it is not started here.'

let round = 0
const ground = await startGround()
const dir = await mkdtemp(join(tmpdir(), 'svc-export-kills-'))
await writeFile(join(dir, 'passphrase'), PASSPHRASE)
await ground.sandbox.createContact(ANA)
const instance = await ground.gateway.connected(ground.sandbox, PHONE, ground.receiver)
after(async () => {
  await ground?.stop()
  await rm(dir, { recursive: true, force: true })
})

const kinds = {
  move: (target: string) => [target, '--to', 'svc', '--passphrase-file', join(dir, 'passphrase')],
  backup: (target: string) => [target, '--to', 'svc', '--backup', '--passphrase-file', join(dir, 'passphrase')],
  folder: (target: string) => [target, '--to', 'baileys'],
}
type Kind = keyof typeof kinds

const exported = (kind: Kind, target: string, env: Record<string, string> = {}): Promise<CommandResult> =>
  runCommandIn(env, ground.dataDir, 'instance', 'export', instance.id, ...kinds[kind](target))

const statusNow = async () => {
  const { status, error } = await ground.gateway.status(instance)
  return error === MOVED ? 'moved' : status
}
const delivered = async () => (await ground.sandbox.inbox(ANA, 0, 5_000)).flatMap(({ text }) => text ?? [])
const isSaid = (text: string) => until(text, async () => (await delivered()).includes(text))

async function queuedIn(archive: string): Promise<number> {
  let count = 0
  await readInstanceArchive(archive, PASSPHRASE, {
    record(name) {
      if (name.startsWith('queue:')) count += 1
    },
    blob() {},
  })
  return count
}

/** Checks that the file is complete. An import must refuse it, and only because this server still has the device. */
async function assertWhole(kind: Kind, target: string) {
  const from =
    kind === 'folder' ? ['baileys', target, '--stopped'] : ['svc', target, '--passphrase-file', join(dir, 'passphrase')]
  const { errors } = await runCommand(ground.dataDir, 'instance', 'import', '--from', ...from, '--dry-run')
  assert.match(errors, new RegExp(`Instance ${instance.id} is already linked as this device`))
}

async function waitingTexts(): Promise<string[]> {
  const texts = [1, 2, 3].map((number) => `round ${round}, text ${number}`)
  for (const message of texts) await ground.gateway.sendText(instance, ANA, message, { delay_message: 15 })
  return texts
}

async function assertNoneLost(texts: readonly string[], archive: string) {
  const { total } = (await ground.gateway.must(instance, 'GET', '/queue')) as { total: number }
  assert.equal(total, 0, 'messages that are in the archive are no longer here')
  const sent = (await delivered()).filter((text) => texts.includes(text))
  assert.equal(sent.length + (await queuedIn(archive)), texts.length)
  assert.equal(new Set(sent).size, sent.length)
}

async function callOff() {
  const { code, errors } = await runCommand(ground.dataDir, 'instance', 'resume', instance.id)
  assert.equal(code, 0, errors)
  await ground.gateway.waitForStatus(instance, 'connected')
}
async function assertWorks() {
  await ground.gateway.sendText(instance, ANA, `after round ${round}`, { delay_message: 1 })
  await isSaid(`after round ${round}`)
}

const killed = async (kind: Kind, step: string, target: string) => {
  const { code, errors } = await exported(kind, target, { SVC_TEST_KILL_AT: step })
  assert.equal(code, null, `the command reached its end: ${errors}`)
}

for (const [step, status] of [
  ['export:ordered', 'connected'],
  ['export:ordered:2', 'moved'],
  ['export:stopped', 'moved'],
  ['export:begun', 'moved'],
  ['export:written', 'moved'],
  ['export:recorded', 'moved'],
  ['export:named', 'moved'],
  ['export:removing', 'moved'],
  ['export:removed', 'moved'],
  ['export:ended', 'moved'],
] as const)
  test(`a move into an archive, killed at ${step}`, async () => {
    round += 1
    const target = join(dir, `${round}.age`)
    const texts = await waitingTexts()
    await killed('move', step, target)
    assert.equal(await statusNow(), status)
    assert.equal(existsSync(target), ['named', 'removing', 'removed', 'ended'].includes(step.split(':')[1]!))
    if (existsSync(target)) await assertWhole('move', target)
    const { code, errors } = await exported('move', target)
    assert.equal(code, 0, errors)
    assert.equal(await statusNow(), 'moved')
    await assertWhole('move', target)
    await assertNoneLost(texts, target)
    await callOff()
    await assertWorks()
  })

test('after a kill during the removal, another archive is refused, because it would not have all messages', async () => {
  round += 1
  const target = join(dir, `${round}.age`)
  const texts = await waitingTexts()
  await killed('move', 'export:removing', target)
  for (const other of [await exported('move', join(dir, 'other.age')), await exported('folder', join(dir, 'other'))]) {
    assert.equal(other.code, 1)
    assert.match(other.errors, /was already moved to .*\.age\. Use that, or remove it/)
  }
  assert.equal((await exported('move', target)).code, 0)
  await assertNoneLost(texts, target)
  await callOff()
  // The instance has worked since the export. So the archive is outdated.
  const again = await exported('move', target)
  assert.match(again.errors, /exists already; name another one/)
  assert.equal(await statusNow(), 'connected')
})

for (const step of ['export:begun', 'export:written', 'export:named'] as const)
  test(`a backup, killed at ${step}`, async () => {
    round += 1
    const target = join(dir, `${round}.age`)
    await killed('backup', step, target)
    assert.equal(await statusNow(), 'connected')
    await assertWorks()
    if (existsSync(target)) {
      await assertWhole('backup', target)
      return
    }
    const { code, errors } = await exported('backup', target)
    assert.equal(code, 0, errors)
    await assertWhole('backup', target)
  })

for (const [step, status] of [
  ['export:ordered', 'connected'],
  ['export:stopped', 'moved'],
  ['export:begun', 'moved'],
  ['export:written', 'moved'],
  ['export:recorded', 'moved'],
  ['export:named', 'moved'],
  ['export:ended', 'moved'],
] as const)
  test(`a move into a folder, killed at ${step}`, async () => {
    round += 1
    const target = join(dir, `${round}`)
    await killed('folder', step, target)
    assert.equal(await statusNow(), status)
    const { code, errors } = await exported('folder', target)
    assert.equal(code, 0, errors)
    assert.equal(await statusNow(), 'moved')
    await assertWhole('folder', target)
    await callOff()
    await assertWorks()
  })

for (const [kind, step] of [
  ['move', 'export:stopped'],
  ['move', 'export:recorded'],
  ['move', 'export:removing'],
  ['folder', 'export:begun'],
] as const)
  test(`without a service, killed at ${step} of a move into ${kind === 'folder' ? 'a folder' : 'an archive'}`, async () => {
    round += 1
    const target = join(dir, `${round}${kind === 'folder' ? '' : '.age'}`)
    const texts = kind === 'folder' ? [] : await waitingTexts()
    await ground.service.stop()
    await killed(kind, step, target)
    await ground.start()
    assert.equal(await statusNow(), 'moved', 'a start does not connect it')
    await ground.service.stop()
    const { code, errors } = await exported(kind, target)
    assert.equal(code, 0, errors)
    await ground.start()
    assert.equal(await statusNow(), 'moved')
    await assertWhole(kind, target)
    if (kind === 'move') await assertNoneLost(texts, target)
    await callOff()
    await assertWorks()
  })

test('the order of a killed command is not carried out when another command has the service read all orders', async () => {
  round += 1
  const other = await ground.gateway.connected(ground.sandbox, OTHER_PHONE, null)
  await killed('folder', 'export:ordered', join(dir, `${round}`))
  const moved = await runCommand(ground.dataDir, 'instance', 'export', other.id, ...kinds.folder(join(dir, 'of another')))
  assert.equal(moved.code, 0, moved.errors)
  // This command is handled only if the service searches for new commands again after the earlier ones.
  const resumed = await runCommand(ground.dataDir, 'instance', 'resume', other.id)
  assert.equal(resumed.code, 0, resumed.errors)
  assert.equal(await statusNow(), 'connected')
  await assertWorks()
})

test('a service that is killed while the command writes the archive does not connect the instance, and nothing is lost', async () => {
  round += 1
  const target = join(dir, `${round}.age`)
  const texts = await waitingTexts()
  await killed('move', 'export:written', target)
  await ground.service.kill()
  await ground.start()
  assert.equal(await statusNow(), 'moved')
  const { code, errors } = await exported('move', target)
  assert.equal(code, 0, errors)
  await assertNoneLost(texts, target)
  await callOff()
})

test('an archive that a repeated command completed is imported at another server, which sends what waits, once', async () => {
  round += 1
  const target = join(dir, `${round}.age`)
  const texts = await waitingTexts()
  await killed('move', 'export:removing', target)
  assert.equal((await exported('move', target)).code, 0)
  const there = join(dir, 'there')
  const other = await run([], { ...ground.onNetwork, SVC_DATA_DIR: there, SVC_PORT: '0', SVC_SHARDS: '1' })
  try {
    const passphrase = ['--passphrase-file', join(dir, 'passphrase')]
    const imported = await runCommand(there, 'instance', 'import', '--from', 'svc', target, ...passphrase)
    assert.match(imported.out, /^The instance is connected\.$/m, imported.errors)
    for (const text of texts) await isSaid(text)
    const all = await delivered()
    for (const text of texts) assert.equal(all.filter((each) => each === text).length, 1, text)
    assert.equal(await statusNow(), 'moved')
    const gateway = await createGateway(other.printed.base_url!, other.printed.admin_key!)
    const moved = { ...instance, api_url: `${gateway.baseUrl}/instances/${instance.id}/token/${instance.token}` }
    assert.equal((await gateway.status(moved)).status, 'connected')
  } finally {
    await other.kill()
  }
})
