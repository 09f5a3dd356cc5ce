/**
 * Kills the command `instance resume` or the service at each step. The instance must then be either moved without a
 * connection, or connected with exactly one. A repeated command must connect a moved instance.
 */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type CommandResult, runCommandIn } from '../../harness/cli.ts'
import { startGround, until } from '../ground.ts'

const PHONE = '5511999990067'
const ANA = '5511988880067'
const MOVED = 'The account was moved to another program, so it is not started here.'

let round = 0
const ground = await startGround()
const dir = await mkdtemp(join(tmpdir(), 'svc-resume-kills-'))
await ground.sandbox.createContact(ANA)
const instance = await ground.gateway.connected(ground.sandbox, PHONE, ground.receiver)
after(async () => {
  await ground?.stop()
  await rm(dir, { recursive: true, force: true })
})

const command = (env: Record<string, string>, ...args: string[]): Promise<CommandResult> =>
  runCommandIn(env, ground.dataDir, 'instance', ...args)
const resume = (env: Record<string, string> = {}) => command(env, 'resume', instance.id)
/** Resumes the instance over HTTP. Resolves with undefined if the service was killed before it answered. */
const resumeOverHttp = () =>
  fetch(`${ground.gateway.baseUrl}/admin/instances/${instance.id}/resume`, {
    method: 'POST',
    headers: ground.gateway.admin,
  }).then(
    ({ status }) => status,
    () => undefined,
  )

async function assertState(expected: 'moved' | 'connected') {
  if (expected === 'connected') await ground.gateway.waitForStatus(instance, 'connected')
  const { status, error } = await ground.gateway.status(instance)
  assert.equal(error === MOVED ? 'moved' : status, expected)
  assert.equal((await ground.sandbox.stats()).connections, expected === 'connected' ? 1 : 0)
}

const received = (text: string) =>
  ground.receiver.events('received').filter((event) => (event.text as { message?: string } | undefined)?.message === text)

async function movedOut(): Promise<string> {
  round += 1
  const { code, errors } = await command({}, 'export', instance.id, join(dir, String(round)), '--to', 'baileys')
  assert.equal(code, 0, errors)
  const text = `waiting in round ${round}`
  await ground.sandbox.send(ANA, PHONE, { text })
  await assertState('moved')
  return text
}

/**
 * Checks the state of the instance. Another start of the service must not change it, and a repeated command must
 * connect a moved instance.
 */
async function assertOutcome(outcome: 'moved' | 'connected', waiting: string) {
  await assertState(outcome)
  await ground.service.kill()
  await ground.start()
  await assertState(outcome)
  if (outcome === 'moved') {
    const { code, errors } = await resume()
    assert.equal(code, 0, errors)
    await assertState('connected')
  }
  await until(waiting, () => received(waiting).length > 0)
  assert.equal(new Set(received(waiting).map(({ event_id }) => event_id)).size, 1, 'it is one event')
  await ground.gateway.sendText(instance, ANA, `sent in round ${round}`, { delay_message: 1 })
  const texts = async () => (await ground.sandbox.inbox(ANA, 0, 1_000)).map(({ text }) => text)
  await until('the text', async () => (await texts()).includes(`sent in round ${round}`))
  const items = await ground.sandbox.inbox(ANA, 0, 1_000)
  assert.ok(
    items.every(({ retries }) => retries === 0),
    'nothing was asked for again',
  )
}

for (const [step, outcome] of [
  ['export:ordered', 'moved'],
  ['export:stopped', 'connected'],
  ['resume:ended', 'connected'],
] as const)
  test(`the command is killed at ${step}: the instance is ${outcome}`, async () => {
    const waiting = await movedOut()
    const { code, errors } = await resume({ SVC_TEST_KILL_AT: step })
    assert.equal(code, null, `the command reached its end: ${errors}`)
    await assertOutcome(outcome, waiting)
  })

for (const [step, outcome] of [
  ['export:ordered', 'moved'],
  ['export:stopped', 'connected'],
  ['resume:ended', 'connected'],
] as const)
  test(`without a service, the command is killed at ${step}: the next start has the instance ${outcome}`, async () => {
    const waiting = await movedOut()
    await ground.service.stop()
    const { code, errors } = await resume({ SVC_TEST_KILL_AT: step })
    assert.equal(code, null, `the command reached its end: ${errors}`)
    await ground.start()
    await assertOutcome(outcome, waiting)
  })

test('the service is killed after it has carried out the order: the command says that there is no answer, and the instance is connected', async () => {
  const waiting = await movedOut()
  await ground.service.kill()
  await ground.start({ SVC_TEST_KILL_AT: 'order:taken' })
  const isKilled = new Promise((resolve) => ground.service.child.once('exit', resolve))
  const ordered = resume()
  await isKilled
  await ground.start()
  const { code, errors } = await ordered
  assert.equal(code, 1)
  assert.match(errors, /The service did not answer within 60 s; its log says why\. Run the command again\./)
  await assertOutcome('connected', waiting)
})

test('the service is killed at the end of a request: the instance is connected, and can be exported again', async () => {
  const waiting = await movedOut()
  await ground.service.kill()
  await ground.start({ SVC_TEST_KILL_AT: 'resume:ended' })
  assert.equal(await resumeOverHttp(), undefined, 'the service was killed')
  await ground.start()
  await assertOutcome('connected', waiting)
})
