/**
 * Steps of the owner, the browser and the phone, for tests of accounts whose phone requires a passkey for linking. Each
 * test file has one network, service and receiver.
 */
import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { PasskeyInput } from '../../packages/sandbox/src/testing.ts'
import type { PasskeyState } from '../../src/domain/passkey.ts'
import { newPhone, watch } from '../e2e/states-seen.ts'
import type { Instance } from './gateway.ts'
import { until } from './until.ts'
import { startWorld, type World, type WorldOptions } from './world.ts'

export const CONTACT = '5511988880001'

export let world: World
export let see: ReturnType<typeof watch>

export function linkWithPasskeys(options: WorldOptions = {}) {
  before(async () => {
    world = await startWorld(options)
    see = watch(world)
    await world.sandbox.createContact(CONTACT)
  })
  after(() => world.stop())
}

export const REQUIRED = 'The account wants its passkey before it links a device; confirm it on the pairing page.'
export const CONFIRMATION = 'The passkey was accepted; look at the phone and confirm there.'

/** Repeats `look`, and resolves with its first result that is neither undefined nor false. */
export async function found<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> {
  const value = await until(look, (each) => each !== undefined && each !== false).catch((error) =>
    assert.fail(`${what}: ${error}`),
  )
  return value as T
}

export interface Linking {
  phone: string
  instance: Instance
}

type State = PasskeyState & { helper_seen: boolean }
export const stateOf = async ({ instance }: Pick<Linking, 'instance'>) =>
  (await world.gateway.must(instance, 'GET', '/passkey')) as unknown as State
export const ceremonyOf = async ({ phone }: Linking) => (await world.sandbox.passkey(phone)).ceremony!
export const answerOf = ({ status, body }: { status: number; body: unknown }) => [
  status,
  (body as { error?: { code: string } }).error?.code ?? (body as { stage?: string }).stage,
]

export async function waiting(passkey: PasskeyInput = {}): Promise<Linking> {
  const phone = newPhone()
  await world.sandbox.createPhone(phone)
  await world.sandbox.setPasskey(phone, passkey)
  return { phone, instance: await world.gateway.createInstance(world.receiver) }
}

export async function scan({ phone, instance }: Linking) {
  const { value } = await world.gateway.must(instance, 'GET', '/qr-code')
  await world.sandbox.scan(phone, String(value))
}

export async function asked(passkey: PasskeyInput = {}): Promise<Linking> {
  const linking = await waiting(passkey)
  await scan(linking)
  await see.sees(linking.instance, 'connecting', 'passkey_required', REQUIRED)
  return linking
}

export const toSign = (linking: Pick<Linking, 'instance'>) =>
  found('something to sign', async () => (await stateOf(linking)).public_key ?? undefined)

/**
 * Signs the network's passkey options as a browser does, and submits the assertion to the service. `more` are
 * deviations from a correct assertion.
 */
export async function answer(linking: Linking, more: Record<string, unknown> = {}) {
  const assertion = await world.sandbox.signPasskey(linking.phone, await toSign(linking), more)
  return world.gateway.ask(linking.instance, 'POST', '/passkey/response', { assertion })
}

export const TAKEN = [200, 'awaiting_confirmation']
export const taken = async (linking: Linking) => assert.deepEqual(answerOf(await answer(linking)), TAKEN)

/** Makes the network refuse the next query on this connection that contains this child, with this error code. */
export async function refuse(linking: Linking, child: string, code = 403) {
  const { conn } = await ceremonyOf(linking)
  await world.sandbox.post('/answers', { match: { conn, xmlns: 'md', child }, do: { error: [code, 'refused'] }, times: 1 })
}

/** Submits a response that the network refuses, so the owner must compare the code. */
export async function withoutProof(linking: Linking) {
  await refuse(linking, 'passkey_prologue')
  assert.deepEqual(answerOf(await answer(linking)), [502, 'action_failed'])
}

export const codeToCompare = (linking: Linking) =>
  found('a code to compare', async () => {
    const { needs_confirmation, code } = await stateOf(linking)
    return needs_confirmation ? code! : undefined
  })

export const confirm = ({ instance }: Linking, matches: boolean) =>
  world.gateway.ask(instance, 'POST', '/passkey/confirm', { matches })

export async function connected({ instance }: Linking) {
  await see.sees(instance, 'connected', null, null)
  await see.told(instance, 'connected', null)
}

export async function failed(linking: Linking, error: string) {
  await see.sees(linking.instance, 'logged_out', 'pairing_failed', 'The pairing was not confirmed; pair again.')
  const { stage, last_error, code, public_key } = await stateOf(linking)
  assert.deepEqual({ stage, last_error, code, public_key }, { stage: 'none', last_error: error, code: null, public_key: null })
}

export async function works({ instance, phone }: Linking) {
  const { gateway, sandbox, receiver } = world
  for (const text of [`first of ${phone}`, `second of ${phone}`]) {
    await gateway.sendText(instance, CONTACT, text)
    await found(text, async () => (await sandbox.inbox(CONTACT, 0, 1_000)).some((item) => item.text === text))
    const { id } = await sandbox.send(CONTACT, phone, { text })
    await receiver.waitFor(`received ${id}`, (event) => event.type === 'received' && event.message_id === id)
    await gateway.must(instance, 'POST', '/restart')
    await see.sees(instance, 'connected', null, null)
  }
}

/** The statuses of an instance, in order, while it is linked with a passkey. */
export const LINKED = ['created', 'starting', 'qr', 'connecting', 'connected']

export const STAGES: Readonly<Record<string, () => Promise<Linking>>> = {
  'something to sign': () => asked(),
  async 'the phone has its turn'() {
    const linking = await asked({ bend: { continuation: 'none' } })
    await taken(linking)
    return linking
  },
  async 'a code to compare'() {
    const linking = await asked()
    await withoutProof(linking)
    await taken(linking)
    await codeToCompare(linking)
    return linking
  },
  async linking() {
    const linking = await asked({ app: 'back', answers: 'never' })
    await taken(linking)
    await found('the question on the phone', async () => (await ceremonyOf(linking)).asks === 'link')
    await world.sandbox.acceptPasskey(linking.phone)
    await found('the code', async () => (await stateOf(linking)).stage === 'linking')
    return linking
  },
}

export async function again(linking: Linking) {
  await world.sandbox.setPasskey(linking.phone, { bend: {}, app: 'front', answers: 'yes' })
  await scan(linking)
  await taken(linking)
  await see.sees(linking.instance, 'connected', null, null)
}
