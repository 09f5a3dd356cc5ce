/**
 * Every change of labels or of the name must be reported once, and every saved contact must be kept, even if the
 * service dies before or after the commit of the change.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Ground, pause, startGround, until } from '../ground.ts'
import { CONTACTS, createPeople, PHONE } from '../traffic.ts'

const [ANA, BEN] = CONTACTS
/** At the first step, the change was read but not written. At the second one, it was written but not acknowledged. */
const STEPS = ['app-state:held', 'app-state:written']

/** A label that the test changes to find out whether the service already reports changes. */
const PROBE = 'probe'

/**
 * Returns the reported changes: a change of a label as `chat +label` or `chat -label`, and a name as it is. Each event
 * id counts only once.
 */
function told({ receiver }: Ground): string[] {
  const events = new Map(receiver.events('received').map((event) => [event.event_id, event]))
  return [...events.values()].flatMap(({ notification, label_associations, profile_name }) => {
    if (notification === 'profile_name_updated') return [String(profile_name)]
    if (notification !== 'chat_label_association') return []
    const labels = label_associations as { phone: string; label: string; assigned: boolean }[]
    return labels.map(({ phone, label, assigned }) => `${phone} ${assigned ? '+' : '-'}${label}`)
  })
}

test('a change of app state is told once, and a saved contact is kept, whenever the service dies', {
  timeout: 300_000,
}, async () => {
  const ground = await startGround()
  const { gateway, sandbox, receiver } = ground
  const label = (chat: string, name: string, assigned: boolean) =>
    sandbox.post(`/phones/${PHONE}/labels`, { chat, label: name, assigned })
  const rename = (name: string) => sandbox.put(`/phones/${PHONE}/profile`, { name })
  const save = (phone: string, name: string) => sandbox.post(`/phones/${PHONE}/contacts`, { phone, name })
  const unconfirmed = async () => {
    const { phones } = await sandbox.get<{ phones: { phone: string; devices: { pending: number }[] }[] }>('/state')
    return phones.find(({ phone }) => phone === PHONE)!.devices.reduce((sum, { pending }) => sum + pending, 0)
  }
  const death = async () => assert.equal((await ground.service.ended).signal, 'SIGKILL')

  try {
    const instance = await gateway.connected(sandbox, PHONE, receiver)
    await createPeople(sandbox)
    // The first reading of the app state reports nothing. So the test changes the probe label until this is reported.
    let isProbed = false
    await until('the first reading is over', async () => {
      isProbed = !isProbed
      await label(BEN, PROBE, isProbed)
      await pause(500)
      return told(ground).length > 0
    })
    await until('everything is confirmed', async () => (await unconfirmed()) === 0)
    const connected = () => gateway.waitForStatus(instance, 'connected')

    async function chatName(phone: string) {
      const { id } = await sandbox.send(phone, PHONE, { text: 'hello' })
      const { chat_name } = await receiver.waitFor(id, ({ message_id }) => message_id === id)
      return chat_name
    }

    async function live() {
      await ground.start()
      await connected()
      await until('everything is confirmed', async () => (await unconfirmed()) === 0)
    }

    async function dieOf(step: string, change: () => Promise<unknown>) {
      await ground.service.kill()
      await ground.start({ SVC_TEST_KILL_AT: step })
      await connected()
      await change()
      await death()
      await live()
    }

    const expected: string[] = []
    for (const step of STEPS) {
      await dieOf(step, () => label(ANA, step, true))
      await dieOf(step, () => rename(`After ${step}`))
      await dieOf(step, () => save(ANA, `Ana ${step}`))
      // These changes are made while the service is down. The next two runs of the service read them, and die at this
      // step.
      await ground.service.kill()
      await label(ANA, step, false)
      await label(BEN, step, true)
      await rename(`Away at ${step}`)
      await save(BEN, `Ben ${step}`)
      for (const doom of [step, `${step}:2`]) {
        await ground.start({ SVC_TEST_KILL_AT: doom })
        await death()
      }
      await live()
      assert.equal(await chatName(ANA), `Ana ${step}`)
      assert.equal(await chatName(BEN), `Ben ${step}`)
      expected.push(`${ANA} +${step}`, `After ${step}`, `${ANA} -${step}`, `${BEN} +${step}`, `Away at ${step}`)
      const reported = () => told(ground).filter((change) => !change.endsWith(PROBE))
      await until(`${step}: as many changes are reported as were made`, () => reported().length >= expected.length)
      assert.deepEqual(reported().sort(), [...expected].sort())
    }

    await dieOf('app-state:held', () => save(ANA, ''))
    assert.notEqual(await chatName(ANA), `Ana ${STEPS[1]}`)
  } finally {
    await ground.stop()
  }
})

// Contacts that were saved before the pairing are only in the first reading, which reports nothing. So this reading
// must be complete.
test('contacts saved before the pairing are kept, whenever the service dies of the first reading', {
  timeout: 180_000,
}, async () => {
  const ground = await startGround()
  const { gateway, sandbox, receiver } = ground
  try {
    for (const contact of CONTACTS) await sandbox.createContact(contact)
    for (const [index, step] of STEPS.entries()) {
      const phone = `551199999001${index}`
      await sandbox.createPhone(phone, { history: { chats: 2, contacts: 0 } })
      await sandbox.post(`/phones/${phone}/contacts`, { phone: ANA, name: `Ana ${step}` })
      await sandbox.post(`/phones/${phone}/labels`, { chat: ANA, label: step })
      await ground.service.kill()
      await ground.start({ SVC_TEST_KILL_AT: step })
      const instance = await gateway.createInstance(receiver)
      const { value } = await gateway.ask(instance, 'GET', '/qr-code').then(({ body }) => body as { value: string })
      await sandbox.scan(phone, value)
      assert.equal((await ground.service.ended).signal, 'SIGKILL')
      await ground.start()
      await gateway.waitForStatus(instance, 'connected')
      await until('it is named as it is saved', async () => {
        const { id } = await sandbox.send(ANA, phone, { text: 'hello' })
        const { chat_name } = await receiver.waitFor(id, ({ message_id }) => message_id === id)
        return chat_name === `Ana ${step}`
      })
      assert.deepEqual(told(ground), [])
    }
  } finally {
    await ground.stop()
  }
})

/**
 * Steps at which the service dies during a change that it makes itself. In order: the change is not sent yet; the
 * network has accepted it; it was read back but not written; the request is not answered yet.
 */
const OWN_STEPS = ['app-state:marked', 'app-state:changed', 'app-state:held', 'app-state:written']

test('what this service changes of a chat, a label and its name is the same here and on the phone, whenever it dies', {
  timeout: 300_000,
}, async () => {
  const ground = await startGround()
  const { gateway, sandbox, receiver } = ground
  const phone = async () => {
    const { phones } = await sandbox.get<{ phones: Phone[] }>('/state')
    return phones.find((each) => each.phone === PHONE)!
  }
  try {
    const instance = await gateway.connected(sandbox, PHONE, receiver)
    await createPeople(sandbox)
    const { id } = await sandbox.send(ANA, PHONE, { text: 'hello' })
    await receiver.waitFor(id, ({ message_id }) => message_id === id)
    const ask = (method: string, path: string, body?: unknown) => gateway.ask(instance, method, path, body)
    await until('the account has its key', async () => (await ask('PUT', `/chats/${ANA}/mute`, { value: false })).status === 200)
    const mutedHere = async () => (await ask('GET', `/chats/${ANA}`)).body.muted
    const nameHere = async () => (await ask('GET', '/profile')).body.name
    const onPhone = async (kind: string) => {
      const { app_state, app_state_problems } = await phone()
      assert.deepEqual(app_state_problems, [])
      return Object.entries(app_state).find(([index]) => (JSON.parse(index) as string[])[0] === kind)?.[1]
    }
    for (const [round, step] of OWN_STEPS.entries()) {
      const value = round % 2 === 0
      for (const [path, body] of [
        [`/chats/${ANA}/mute`, { value }],
        ['/profile/name', { value: `Name ${round}` }],
      ] as const) {
        await ground.service.kill()
        await ground.start({ SVC_TEST_KILL_AT: step })
        await gateway.waitForStatus(instance, 'connected')
        await ask('PUT', path, body).catch(() => null)
        assert.equal((await ground.service.ended).signal, 'SIGKILL', `${step} ${path}`)
        await ground.start()
        await gateway.waitForStatus(instance, 'connected')
        await until(`${step}: both have the same of ${path}`, async () => {
          const muted = (await onPhone('mute')) as { muteAction: { muted: boolean } }
          const name = (await onPhone('setting_pushName')) as { pushNameSetting: { name: string } }
          return (await mutedHere()) === muted.muteAction.muted && (await nameHere()) === name.pushNameSetting.name
        })
      }
      for (const muted of [!value, value]) {
        assert.equal((await ask('PUT', `/chats/${ANA}/mute`, { value: muted })).status, 200)
        assert.equal(await mutedHere(), muted)
      }
      assert.equal((await ask('PUT', '/profile/name', { value: `After ${round}` })).status, 200)
      assert.equal(await nameHere(), `After ${round}`)
      await onPhone('mute')
    }
  } finally {
    await ground.stop()
  }
})

interface Phone {
  phone: string
  app_state: Record<string, unknown>
  app_state_problems: string[]
}
