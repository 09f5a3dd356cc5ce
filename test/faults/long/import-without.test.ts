/**
 * Each test imports a Baileys device with damaged files of one kind. The report of the import must name the
 * consequence, and this consequence must follow.
 */
import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { keyOfName } from '../../../workers/portability/baileys/folder.ts'
import { runCommand } from '../../harness/cli.ts'
import type { Instance } from '../../harness/gateway.ts'
import { must } from '../../harness/http.ts'
import { linkFolder } from '../../harness/library-folder.ts'
import { until } from '../../harness/until.ts'
import { startWorld } from '../../harness/world.ts'
import { jidOf, received } from '../../simulator/client.ts'

interface Case {
  says: RegExp
  /**
   * Messages that the account has to request again: the next message of Ana (`direct`), her message in the group
   * (`group`), and the first message of a new person (`first`).
   */
  asked?: { direct?: 1; group?: 1; first?: 1 }
}

const CASES: Readonly<Record<string, Case>> = {
  session: { says: /asks each of these devices once to send its next message again\.$/, asked: { direct: 1 } },
  'sender-key': { says: /asks each of these authors once to send the next group message again\./, asked: { group: 1 } },
  'sender-key-memory': { says: /the key is sent to all members again\.$/ },
  'pre-key': { says: /for a first message, the service asks once for this message again\.$/, asked: { first: 1 } },
  'identity-key': { says: /learned again with the next message\.$/ },
  'lid-mapping': { says: /learned again; until then events may show the LID in place of the number\.$/ },
  'device-list': { says: /requested again\.$/ },
}

const world = await startWorld({ untraced: true, own: true })
const dir = await mkdtemp(join(tmpdir(), 'svc-without-'))
await must('PUT', `${world.gateway.baseUrl}/account/webhooks`, { single_url: world.receiver.url }, world.gateway.account)
after(async () => {
  await world.stop()
  await rm(dir, { recursive: true, force: true })
})

async function importedFrom(folder: string): Promise<{ instance: Instance; out: string }> {
  const { out, errors } = await runCommand(world.dir, 'instance', 'import', '--from', 'baileys', folder, '--stopped')
  assert.match(out, /^The instance is connected\.$/m, errors)
  const id = /^Instance: (\S+)$/m.exec(out)![1]!
  const token = /^Token: {4}(\S+)$/m.exec(out)![1]!
  const { baseUrl, account } = world.gateway
  const { webhooks } = await must<Instance>('GET', `${baseUrl}/account/instances/${id}`, undefined, account)
  world.receiver.trust(id, webhooks.secret)
  const instance = { id, token, api_url: `${baseUrl}/instances/${id}/token/${token}`, status: 'connected', webhooks }
  return { instance, out }
}

const readBy = async (phone: string, text: string) =>
  (
    await until(
      () => world.sandbox.inbox(phone),
      (items) => items.some((item) => item.text === text),
    )
  ).find((item) => item.text === text)!

/**
 * Links a device with Baileys, and exchanges messages with its contacts. `at` is a part of the phone numbers, so that
 * they are unique.
 */
async function usedDevice(name: string, at: number) {
  const { sandbox } = world
  const [me, ana, bia, eva] = [1, 2, 3, 4].map((who) => `55119999${who}00${at}0`) as [string, string, string, string]
  for (const phone of [ana, bia, eva]) await sandbox.createContact(phone)
  const folder = join(dir, name)
  const library = await linkFolder(world, sandbox, me, folder)
  const group = (await sandbox.createGroup({ subject: 'Team', owner: ana, participants: [ana, bia, me] })).id
  await sandbox.send(ana, me, { text: 'hello' })
  await received(library.client, 'hello')
  for (const phone of [ana, bia]) {
    await library.client.socket.sendMessage(jidOf(phone), { text: `hello ${phone}` })
    await readBy(phone, `hello ${phone}`)
  }
  await sandbox.send(ana, group, { text: 'hello group' })
  await received(library.client, 'hello group')
  await library.client.socket.sendMessage(group, { text: 'hello all' })
  await readBy(bia, 'hello all')
  await until(sandbox.pending, (count) => count === 0)
  await library.stop()
  const files = (await readdir(folder)).map((file) => ({ file, key: keyOfName(file.replace(/\.json$/, '')) }))
  return { me, ana, bia, eva, group, folder, files }
}

/** Resolves with the number of damaged files. If `id` is given, only files of keys whose id contains it are damaged. */
async function damage({ folder, files }: Awaited<ReturnType<typeof usedDevice>>, kind: string, id = ''): Promise<number> {
  const damaged = files.filter(({ key }) => key?.type === kind && key.id.includes(id))
  for (const { file } of damaged) await writeFile(join(folder, file), '{')
  assert.ok(damaged.length > 0, `there is no ${kind}`)
  return damaged.length
}

for (const [at, [kind, { says, asked = {} }]] of Object.entries(CASES).entries())
  test(`without a readable file of the kind ${kind}`, { timeout: 120_000 }, async () => {
    const { sandbox, receiver, gateway } = world
    const device = await usedDevice(kind, at)
    const { me, ana, bia, eva, group, folder } = device
    const damaged = await damage(device, kind)

    const { id: retries } = await sandbox.post<{ id: string }>('/expect', {
      match: { from: 'client', account: me, tag: 'receipt', type: 'retry' },
      count: 9,
      wait_ms: 0,
    })
    const sent = {
      direct: (await sandbox.send(ana, me, { text: 'direct' })).id,
      group: (await sandbox.send(ana, group, { text: 'in the group' })).id,
      first: (await sandbox.send(eva, me, { text: 'first' })).id,
    }
    const { instance, out } = await importedFrom(folder)
    const line = out.split('\n').find((each) => says.test(each))
    assert.match(line ?? '', new RegExp(`${damaged} not readable\\.|^1 .*1 not readable\\.`), out)
    for (const id of Object.values(sent)) await receiver.waitFor(id, ({ message_id }) => message_id === id)
    const { items } = await sandbox.get<{ items: { node: [string, { id: string }] }[] }>(`/expect/${retries}?wait_ms=0`)
    const again = new Set(items.map(({ node: [, { id }] }) => id))
    const expected = Object.keys(asked).map((name) => sent[name as keyof typeof sent])
    assert.deepEqual([...again].sort(), expected.sort(), JSON.stringify([sent, items]))

    await gateway.sendText(instance, ana, 'from here')
    assert.equal((await readBy(ana, 'from here')).retries, 0)
    await gateway.sendText(instance, `${group.split('@')[0]}-group`, 'to all')
    for (const phone of [ana, bia]) assert.equal((await readBy(phone, 'to all')).retries, 0)
  })

test('without a readable key of the account settings, names come once the phone has shared the key again', {
  timeout: 120_000,
}, async () => {
  const { sandbox, gateway } = world
  const device = await usedDevice('app-state-sync-key', 8)
  const { me, ana, folder, files } = device
  const { file, key } = files.find((each) => each.key?.type === 'app-state-sync-key')!
  const keyData = JSON.parse(await readFile(join(folder, file), 'utf8')) as object
  await damage(device, 'app-state-sync-key')
  await sandbox.post(`/phones/${me}/contacts`, { phone: ana, name: 'Ana of Sales' })
  const { instance, out } = await importedFrom(folder)
  assert.match(
    out,
    /^1 key of the account settings: 0 taken, 1 not readable\. Labels, names and archived chats can be read once the phone has shared these keys again\.$/m,
  )
  const names = async () =>
    ((await gateway.must(instance, 'GET', '/contacts')) as { data: { name: string }[] }).data.map(({ name }) => name)
  await gateway.sendText(instance, ana, 'from here')
  assert.equal((await readBy(ana, 'from here')).retries, 0)
  // The service does not acknowledge the notification of a change before it can read the change. So the network still
  // has the notification.
  await until(sandbox.pending, (count) => count === 1)
  assert.ok(!(await names()).includes('Ana of Sales'))
  const share = { keys: [{ keyId: { keyId: key!.id }, keyData }] }
  await sandbox.post(`/phones/${me}/peer`, {
    proto: { protocolMessage: { type: 'APP_STATE_SYNC_KEY_SHARE', appStateSyncKeyShare: share } },
  })
  await until(names, (all) => all.includes('Ana of Sales'))
  await until(sandbox.pending, (count) => count === 0)
})

test('without a readable token of a person, the network may refuse messages to this person and to no other', {
  timeout: 120_000,
}, async () => {
  const { sandbox, gateway, receiver } = world
  const device = await usedDevice('tctoken', 9)
  const { ana, bia, folder } = device
  const { contacts } = await sandbox.get<{ contacts: { phone: string; lid: string }[] }>('/state')
  await damage(device, 'tctoken', contacts.find(({ phone }) => phone === bia)!.lid)
  for (const phone of [ana, bia]) await sandbox.updateContact(phone, { needs_token: true })
  const { instance, out } = await importedFrom(folder)
  assert.match(
    out,
    /^\d+ trusted-contact tokens: \d+ taken, 1 not readable\. The network may refuse messages to these people until they write to the account\.$/m,
  )
  await gateway.sendText(instance, ana, 'with a token')
  assert.equal((await readBy(ana, 'with a token')).retries, 0)
  const { svc_id } = await gateway.sendText(instance, bia, 'without a token')
  const refused = await receiver.waitFor('the refusal', (event) => event.type === 'delivery' && event.svc_id === svc_id)
  assert.deepEqual([refused.status, refused.error_code], ['failed', 'not_allowed'])
})
