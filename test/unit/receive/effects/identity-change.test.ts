import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import type { SignalDevice } from '../../../../packages/sandbox/src/testing.ts'
import { createIdentity } from '../../../../workers/shard/connection/identity.ts'
import { identityChanged } from '../../../../workers/shard/receive/effects/identity-change.ts'
import { type Disk, openDisk, openGateway, session } from '../../keys/signal/gateway.ts'

const [PN, LID] = ['4915722222222', '81896604190002']

let disk: Disk
before(async () => {
  disk = await openDisk()
})
after(() => disk.close())

const notice = (from: string, child = 'identity'): BinaryNode => ({
  tag: 'notification',
  attrs: { id: 'N', type: 'encrypt', from },
  content: [{ tag: child, attrs: {} }],
})

async function account(instanceId: string) {
  const [ours, theirs] = await Promise.all([
    openGateway({ store: disk.store, instanceId, preKeys: 0 }),
    openGateway({ store: disk.store, instanceId: `${instanceId}-peer`, preKeys: 9 }),
  ])
  ours.creds.me = { id: '4915711111111:3@s.whatsapp.net', lid: '81896604190001:3@lid', name: 'me' }
  const auth = ours.auth.forSocket(ours.creds)
  await auth.keys.set({ 'lid-mapping': { [PN]: LID, [`${LID}_reverse`]: PN }, 'device-list': { [LID]: ['0', '5'] } })
  const jids = [`${LID}@lid`, `${LID}:5@lid`]
  for (const [index, jid] of jids.entries()) {
    const bundle = theirs.bundle(index + 1)
    await ours.repository.injectE2ESession({ jid, session: session({ bundle: () => bundle } as unknown as SignalDevice) })
  }
  const forgotten: string[] = []
  const given: string[] = []
  const changed = identityChanged({
    sock: { authState: { creds: ours.creds, keys: auth.keys }, signalRepository: ours.repository } as never,
    identity: createIdentity(auth),
    forgetDevices: async (jid) => void forgotten.push(jid),
    tokens: { giveAgain: (jid) => given.push(jid) },
  })
  const sessions = async () => Promise.all(jids.map(async (jid) => (await ours.repository.validateSession(jid)).exists))
  return { changed, sessions, forgotten, given }
}

test('the sessions with all devices of the person are removed, whichever name the notice has, and so does the list of them', async () => {
  for (const [index, from] of [`${PN}@s.whatsapp.net`, `${LID}@lid`].entries()) {
    const { changed, sessions, forgotten, given } = await account(`identity${index}`)
    assert.deepEqual(await sessions(), [true, true])
    await changed(notice(from))
    assert.deepEqual(await sessions(), [false, false])
    assert.deepEqual([forgotten, given], [[from], [from]])
  }
})

test('of a linked device, of our own phone and of another notice nothing follows', async () => {
  const { changed, sessions, forgotten } = await account('identity-none')
  await changed(notice(`${LID}:5@lid`))
  await changed(notice('4915711111111@s.whatsapp.net'))
  await changed(notice(`${LID}@lid`, 'digest'))
  assert.deepEqual([await sessions(), forgotten], [[true, true], []])
})
