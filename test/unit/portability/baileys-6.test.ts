/**
 * Tests the import of a folder that Baileys 6.7.21 has written itself: it linked a device in the sandbox and used it.
 * The folder had 27 one-time keys. This repository contains only the first three and the last three.
 */
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { readDevice } from '../../../workers/portability/read-device.ts'
import { credsFrom } from '../../../workers/shard/keys/signal/codec.ts'
import { ROOT } from '../../harness/checkout.ts'

const GROUP = '120369011971067000@g.us'

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-folder-'))
  const files = JSON.parse(await readFile(new URL('test/unit/portability/baileys-6.7.21.json', ROOT), 'utf8')) as object
  for (const [name, value] of Object.entries(files)) await writeFile(join(folder, name), JSON.stringify(value))
})
after(() => rm(folder, { recursive: true, force: true }))

async function read() {
  const { bundle, report } = await readDevice('baileys', folder, { isOld: false })
  const ids = (type: string) => bundle.keys.flatMap(([each, id]) => (each === type ? [id] : [])).sort()
  return {
    ids,
    taken: credsFrom(bundle.creds),
    counted: (type: string) => report.categories.find(({ category }) => category === type)!,
  }
}

test('its device is read completely', async () => {
  const { ids, taken, counted } = await read()
  assert.deepEqual([taken.me!.id, taken.nextPreKeyId], ['5511999990088:1@s.whatsapp.net', 31])
  assert.deepEqual(ids('pre-key'), ['28', '29', '30', '4', '5', '6'])
  assert.deepEqual([counted('session').taken, counted('session').converted, counted('session').unreadable], [8, 8, 0])
})

test('it names the keys of LIDs like those of numbers: they get the names under which the service looks for them', async () => {
  const { ids } = await read()
  assert.deepEqual(ids('session'), [
    ...['205511988880081_1.0', '205511988880082_1.0', '205511999990088_1.0', '205511999990088_1.1'],
    ...['5511988880081.0', '5511988880082.0', '5511988880083.0', '5511999990088.0'],
  ])
  assert.deepEqual(ids('sender-key'), [`${GROUP}::205511988880081_1::0`, `${GROUP}::5511999990088::1`])
})

test('its own key of a group is under its number, so the key is sent to all members again', async () => {
  const { ids, counted } = await read()
  assert.deepEqual(ids('sender-key-memory'), [])
  assert.equal(counted('sender-key-memory').leftOut, 1)
})
