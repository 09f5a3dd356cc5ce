import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import type { AuthenticationCreds } from '@whiskeysockets/baileys'
import { readDevice } from '../../../workers/portability/read-device.ts'
import { whatsmeowTables, zapoTables } from '../../harness/other-stores.ts'
import { GROUP, KEYS, linked, MY_LID, OLD_GROUP, OTHER, THEIR_LID } from './device.ts'
import { readTaken, rowsFolder } from './rows-file.ts'
import { skip, writeSqlite } from './sqlite-file.ts'

const SALT = Buffer.alloc(32, 7)
const SOURCES = { whatsmeow: whatsmeowTables, zapo: zapoTables } as const
type SourceName = keyof typeof SOURCES

let creds: AuthenticationCreds
before(() => {
  creds = linked()
})
const folder = rowsFolder()
const { rowsFile } = folder

for (const from of Object.keys(SOURCES) as SourceName[])
  describe(from, () => {
    const stored = () => SOURCES[from]({ creds, keys: KEYS }, SALT)

    test('credentials are those of the device, and the salt of tokens comes along', async () => {
      const { taken, bundle } = await readTaken(from, await rowsFile(stored()))
      for (const name of ['noiseKey', 'signedIdentityKey', 'signedPreKey', 'registrationId', 'advSecretKey', 'me'] as const)
        assert.deepEqual(taken[name], creds[name], name)
      assert.deepEqual(Buffer.from(taken.account!.deviceSignature!), Buffer.from(creds.account!.deviceSignature!))
      assert.deepEqual(taken.additionalData, { chatTokenSalt: SALT })
      assert.equal(taken.myAppStateKeyId, 'AA/+AA==')
      assert.equal(taken.nextPreKeyId, 813)
      assert.equal(bundle.identity, Buffer.from(creds.signedIdentityKey.public).toString('base64'))
    })

    test('keys have the ids that the service gives them, and sessions are taken as they are', async () => {
      const { ids, report, bundle } = await readTaken(from, await rowsFile(stored()))
      assert.deepEqual(ids('session'), [`${THEIR_LID}_1.0`, `${THEIR_LID}_1.3`, '4915700000001.0'].sort())
      assert.deepEqual(ids('sender-key'), [`${GROUP}::${MY_LID}_1::7`, `${OLD_GROUP}::${OTHER}::0`].sort())
      assert.deepEqual(ids('pre-key'), ['1', '812'])
      assert.deepEqual(ids('identity-key'), [`${THEIR_LID}_1.0`])
      assert.deepEqual(ids('lid-mapping'), [OTHER, `${THEIR_LID}_reverse`].sort())
      assert.deepEqual(ids('tctoken'), [`${THEIR_LID}@lid`, '__index'].sort())
      const session = report.categories.find(({ category }) => category === 'session')!
      assert.deepEqual([session.found, session.taken, session.converted], [4, 4, 0])
      const [, , index] = bundle.keys.find(([, id]) => id === '__index')!
      const { token } = JSON.parse(Buffer.from(index).toString()) as { token: { data: string } }
      assert.deepEqual(JSON.parse(Buffer.from(token.data, 'base64').toString()), [`${THEIR_LID}@lid`])
      assert.deepEqual(
        report.categories.filter(({ unreadable }) => unreadable > 0),
        [],
      )
    })

    test('an SQLite file gives the same device', { skip }, async () => {
      const file = await writeSqlite(join(folder.dir, 'device.db'), stored())
      const ofFile = await readTaken(from, file)
      assert.deepEqual(ofFile.bundle.keys, (await readTaken(from, await rowsFile(stored()))).bundle.keys)
      assert.ok(Date.now() - ofFile.writtenAt! < 60_000, 'the time of the last write is known')
    })

    test('of several devices one has to be named', async () => {
      const [table, column] = from === 'whatsmeow' ? ['whatsmeow_device', 'jid'] : ['auth_credentials', 'session_id']
      const all = stored()
      const name = String(all[table!]![0]![column!])
      const file = await rowsFile({ ...all, [table!]: [...all[table!]!, { ...all[table!]![0]!, [column!]: 'another' }] })
      await assert.rejects(readTaken(from, file), /There are 2 devices: .*, another\. Name one of them in the option device\./)
      await assert.rejects(readTaken(from, file, 'nobody'), /There is no device nobody; there are: /)
      assert.equal((await readTaken(from, file, name)).ids('pre-key').length, 2)
    })

    test('a database without a device, a line of another form, and a file that is not there are refused in a sentence', async () => {
      await assert.rejects(readTaken(from, await rowsFile({})), /There are no credentials in/)
      await writeFile(join(folder.dir, 'other.jsonl'), '{"creds":"{}"}\n')
      await assert.rejects(readTaken(from, join(folder.dir, 'other.jsonl')), /Each line must be \{"table"/)
      await assert.rejects(readTaken(from, join(folder.dir, 'nowhere')), /There is no file/)
      await assert.rejects(readTaken(from, folder.dir), /is a folder; name the file of the database in it/)
    })
  })

test('whatsmeow: an address of a schema before 5 loses its agent', async () => {
  const all = whatsmeowTables({ creds, keys: {} }, SALT)
  const [device] = all.whatsmeow_device!
  const { me } = (
    await readTaken(
      'whatsmeow',
      await rowsFile({ ...all, whatsmeow_device: [{ ...device!, jid: '5511999990001.0:7@s.whatsapp.net' }] }),
    )
  ).taken
  assert.equal(me!.id, '5511999990001:7@s.whatsapp.net')
})

test('zapo: a primary device is refused', async () => {
  const all = zapoTables({ creds, keys: {} }, SALT)
  const [device] = all.auth_credentials!
  const file = await rowsFile({ ...all, auth_credentials: [{ ...device!, device_info: '{}' }] })
  await assert.rejects(readTaken('zapo', file), /The device is the primary one of its account/)
})

test('a source with one device takes no --device', async () => {
  await assert.rejects(
    readDevice('baileys', folder.dir, { isOld: false, device: 'x' }),
    /The option device has no meaning for baileys/,
  )
})

test('an SQLite file needs a Node that can read it', {
  skip: skip === false && `Node ${process.versions.node} has node:sqlite.`,
}, async () => {
  const file = join(folder.dir, 'old.db')
  await writeFile(file, Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(84)]))
  await assert.rejects(readTaken('whatsmeow', file), /Reading an SQLite file needs Node 22\.13 or newer, and this is Node 20/)
})
