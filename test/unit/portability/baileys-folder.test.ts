import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, describe, test } from 'node:test'
import { type AuthenticationCreds, BufferJSON, useMultiFileAuthState } from '@whiskeysockets/baileys'
import { complaint } from '../../../src/complaint.ts'
import { type ProgramName, readDevice } from '../../../workers/portability/read-device.ts'
import { credsFrom } from '../../../workers/shard/keys/signal/codec.ts'
import { GROUP, KEYS, linked, ME, MY_LID, OLD_GROUP, OTHER, THEIR_LID } from './device.ts'

let creds: AuthenticationCreds
const folder = await mkdtemp(join(tmpdir(), 'svc-folder-'))
const { state } = await useMultiFileAuthState(folder)
await state.keys.set(KEYS)
after(() => rm(folder, { recursive: true, force: true }))
beforeEach(async () => {
  creds = linked()
  await save(creds)
})

async function save(value: object) {
  const { state, saveCreds } = await useMultiFileAuthState(folder)
  for (const name of Object.keys(state.creds)) delete (state.creds as Record<string, unknown>)[name]
  Object.assign(state.creds, value)
  await saveCreds()
}

async function read({ isOld = false } = {}) {
  const device = await readDevice('baileys', folder, { isOld })
  const ids = (type: string) => device.bundle.keys.flatMap(([each, id]) => (each === type ? [id] : [])).sort()
  const counted = (category: string) => device.report.categories.find((row) => row.category === category)!
  return { ...device, ids, counted, taken: credsFrom(device.bundle.creds) }
}

test('names of files become the ids that the library gave them', async () => {
  const { ids } = await read()
  for (const type of ['pre-key', 'sender-key', 'app-state-sync-key', 'lid-mapping', 'device-list', 'tctoken'] as const)
    assert.deepEqual(ids(type), Object.keys(KEYS[type]!).sort(), type)
})

test('credentials are those of the device, and what another program kept with them is not taken', async () => {
  const { taken } = await read()
  assert.deepEqual(taken.signedIdentityKey, creds.signedIdentityKey)
  assert.deepEqual(Buffer.from(taken.account!.deviceSignature!), Buffer.from(creds.account!.deviceSignature!))
  assert.deepEqual(taken.me, creds.me)
  assert.equal(taken.additionalData, undefined)
  // This value says that the device has read its app state. The service then reads the app state again after the
  // import, to build its directory.
  assert.equal(taken.accountSyncCounter, 1)
})

test('a one-time key is never given out twice: the next id is above every one that is there', async () => {
  assert.equal((await read()).taken.nextPreKeyId, 813)
})

test('sessions move under the hidden id, and one that is there already stays in use', async () => {
  const { ids, counted } = await read()
  assert.deepEqual(ids('session'), [`${THEIR_LID}_1.0`, `${THEIR_LID}_1.3`, '4915700000001.0'].sort())
  assert.deepEqual(ids('identity-key'), [`${THEIR_LID}_1.0`])
  assert.equal(counted('session').converted, 4)
})

test('a list of who has our group key is taken with the key only', async () => {
  const { ids, sentences } = await read()
  assert.deepEqual(ids('sender-key-memory'), [GROUP])
  assert.ok(
    sentences.some((line) =>
      /^2 lists of devices that have your keys of groups: 1 taken, 1 left out\. With the next message/.test(line),
    ),
  )
})

test('a list of who has our group key is not taken with a key that cannot be read', async () => {
  const file = join(folder, `sender-key-${GROUP}--${MY_LID}_1--7.json`)
  const whole = await readFile(file, 'utf8')
  await writeFile(file, whole.slice(0, 40))
  try {
    const { ids, counted } = await read()
    assert.deepEqual([counted('sender-key').unreadable, ids('sender-key-memory')], [1, []])
  } finally {
    await writeFile(file, whole)
  }
})

test('of a copy that is older than the last use no session and no own group key is taken', async () => {
  const { ids, counted } = await read({ isOld: true })
  assert.deepEqual(ids('session'), [])
  assert.deepEqual(ids('sender-key'), [`${OLD_GROUP}::${OTHER}::0`])
  assert.deepEqual(ids('sender-key-memory'), [])
  assert.equal(counted('session').leftOut, 4)
})

test('what is not readable is counted, and named with what follows', async () => {
  const file = join(folder, `session-${OTHER}.3.json`)
  const whole = await readFile(file, 'utf8')
  await writeFile(file, whole.slice(0, 40))
  try {
    const { counted, sentences } = await read()
    assert.equal(counted('session').unreadable, 1)
    assert.equal(
      sentences[0],
      '4 sessions with devices: 3 taken, 3 converted, 1 not readable. The service asks each of these devices once to send its next message again.',
    )
  } finally {
    await writeFile(file, whole)
  }
})

test('the report names nobody, and has no byte of a key', async () => {
  const { report, sentences, bundle } = await read()
  const text = JSON.stringify([report, sentences])
  for (const who of [ME, MY_LID, OTHER, THEIR_LID]) assert.ok(!text.includes(who))
  const secrets = [...bundle.keys.map(([, , value]) => value), creds.noiseKey.private, creds.signedIdentityKey.private]
  for (const secret of secrets)
    for (const form of ['base64', 'hex'] as const) assert.ok(!text.includes(Buffer.from(secret).subarray(0, 6).toString(form)))
  assert.doesNotMatch(text, /\d{5}/, 'no number of five digits or more')
})

describe('the same state in rows', () => {
  /** Returns the Redis hash as `redis-cli --json hgetall` prints it. The ids in it are not encoded. */
  const hash = () =>
    Object.fromEntries(
      Object.entries(KEYS).flatMap(([type, values]) =>
        Object.entries(values ?? {}).map(([id, value]) => [`${type}-${id}`, JSON.stringify(value, BufferJSON.replacer)]),
      ),
    )
  const credsText = () => JSON.stringify(creds, BufferJSON.replacer)

  async function readRows(from: ProgramName, ...rows: object[]) {
    const file = join(folder, 'rows.jsonl')
    await writeFile(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
    try {
      return await readDevice(from, file, { isOld: false })
    } finally {
      await rm(file)
    }
  }

  test('Evolution: credentials twice in JSON in their own row, and the hash; the same device as of the folder', async () => {
    const row = { id: 'c1', sessionId: 's1', creds: JSON.stringify(credsText()), createdAt: '2026-01-01T00:00:00' }
    const device = await readRows('evolution', row, hash())
    const ofFolder = await read()
    assert.deepEqual(sorted(device.bundle.keys), sorted(ofFolder.bundle.keys))
    assert.deepEqual(credsFrom(device.bundle.creds).signedIdentityKey, creds.signedIdentityKey)
    assert.equal(device.writtenAt, undefined)
  })

  test('fazer: credentials in the hash; a device whose key is still guessed is refused', async () => {
    const all = { creds: credsText(), metadata: '{}', ...hash() }
    assert.equal((await readRows('fazer', all)).bundle.identity, Buffer.from(creds.signedIdentityKey.public).toString('base64'))
    await assert.rejects(readRows('fazer', { ...all, 'import-candidates': '[]' }), /still trying to find the key/)
  })

  const fileName = (id: string) => id.replaceAll('/', '__').replaceAll(':', '-')
  const entries = () =>
    Object.entries(KEYS).flatMap(([type, values]) => Object.entries(values ?? {}).map((of) => [type, of] as const))
  const sorted = (keys: readonly (readonly [string, string, Uint8Array])[]) =>
    [...keys].sort((a, b) => (a[0] + a[1] < b[0] + b[1] ? -1 : 1))

  test('OpenWA: a row for each key, whose ids are written as the library writes names of files', async () => {
    const row = (keyType: string, keyId: string, value: string) => ({ sessionName: 's1', keyType, keyId, value, updatedAt: '' })
    const rows = entries().map(([type, [id, value]]) => row(type, fileName(id), JSON.stringify(value, BufferJSON.replacer)))
    const device = await readRows('openwa', row('creds', 'creds', credsText()), ...rows)
    assert.deepEqual(sorted(device.bundle.keys), sorted((await read()).bundle.keys))
    await assert.rejects(readRows('openwa', ...rows, { ...rows[0], sessionName: 's2' }), /those of 2 sessions/)
  })

  test('WAHA: a row for each key with JSON as its value, or a folder', async () => {
    const row = (key: string, text: string) => ({ session_id: 's1', key, value: JSON.parse(text) })
    const rows = entries().map(([type, [id, value]]) => row(`${type}-${id}`, JSON.stringify(value, BufferJSON.replacer)))
    const device = await readRows('waha', row('creds', credsText()), ...rows)
    const ofFolder = await read()
    assert.deepEqual(sorted(device.bundle.keys), sorted(ofFolder.bundle.keys))
    assert.deepEqual((await readDevice('waha', folder, { isOld: false })).bundle.keys, ofFolder.bundle.keys)
  })

  test('WAHA: rows of its first versions, which gave the values to PostgreSQL without a conversion', async () => {
    // The database driver writes bytes as a list of numbers. In a column of the type `jsonb`, a text of digits becomes
    // a number.
    const column = (value: unknown) => (typeof value === 'string' ? JSON.parse(value) : JSON.parse(JSON.stringify(value)))
    const row = (key: string, value: unknown) => ({ session_id: 's1', key, value: column(value) })
    // PostgreSQL refused values of these three types, because the driver writes them as an array or as binary data.
    const rows = entries()
      .filter(([type]) => type !== 'device-list' && type !== 'sender-key' && type !== 'identity-key')
      .map(([type, [id, value]]) => row(`${type}-${id}`, value))
    const device = await readRows('waha', row('creds', creds), ...rows)
    const ofFolder = await read()
    const types = new Set(device.bundle.keys.map(([type]) => type))
    for (const type of ['lid-mapping', 'session', 'pre-key', 'app-state-sync-key', 'tctoken']) assert.ok(types.has(type), type)
    assert.deepEqual(sorted(device.bundle.keys), sorted(ofFolder.bundle.keys.filter(([type]) => types.has(type))))
    assert.deepEqual(credsFrom(device.bundle.creds).me, creds.me)
  })

  test('a row that is no JSON object, or rows without credentials, are refused', async () => {
    await assert.rejects(readRows('evolution', []), /Line 1 is not a JSON object\./)
    await assert.rejects(readRows('evolution', hash()), /There are no credentials in/)
  })
})

describe('credentials that are refused as a whole', () => {
  const cases: Record<string, [change: (creds: AuthenticationCreds) => object, says: RegExp]> = {
    'half linked': [({ account: _, ...rest }) => rest, /never linked, or not completely/],
    'those of two devices': [
      (all) => ({ ...all, signedIdentityKey: all.noiseKey }),
      /The signature of the device .* The signature of the account .* The signature of the signed pre-key/,
    ],
    'a key that does not belong to the other': [
      ({ noiseKey, ...rest }) => ({ ...rest, noiseKey: { ...noiseKey, public: Buffer.alloc(32, 9) } }),
      /The public key of noiseKey does not belong to its private key\./,
    ],
    'a primary device': [
      (all) => ({ ...all, me: { id: `${ME}@s.whatsapp.net` } }),
      /not those of a linked device: me\.id names no device/,
    ],
    'a short key': [
      ({ noiseKey, ...rest }) => ({ ...rest, noiseKey: { ...noiseKey, private: Buffer.alloc(31) } }),
      /unexpected noiseKey\.private: must be 32 bytes\./,
    ],
  }
  for (const [name, [change, says]] of Object.entries(cases))
    test(name, async () => {
      await save(change(creds))
      await assert.rejects(read(), (error: Error) => {
        assert.match(error.message, says)
        assert.equal(complaint(error), `${error.message}\n`, 'the operator reads sentences, and no stack')
        return true
      })
    })

  test('none at all', async () => {
    await rm(join(folder, 'creds.json'))
    await assert.rejects(read(), /There are no credentials in/)
    await assert.rejects(readDevice('baileys', join(folder, 'nowhere'), { isOld: false }), /There is no folder/)
  })
})
