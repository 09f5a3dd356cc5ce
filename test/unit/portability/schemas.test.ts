/** Tests that the importers match the real schemas of whatsmeow (versions 8, 11 and 15) and zapo. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import type { AuthenticationCreds } from '@whiskeysockets/baileys'
import { ROOT } from '../../harness/checkout.ts'
import { type Stored, whatsmeowTables, zapoTables } from '../../harness/other-stores.ts'
import { KEYS, linked, THEIR_LID } from './device.ts'
import { readTaken, rowsFolder } from './rows-file.ts'
import { type Columns, skip, writeSqlite } from './sqlite-file.ts'

const SALT = Buffer.alloc(32, 7)

const withBytes = (value: string | number | null) =>
  typeof value === 'string' && value.startsWith('\\x') ? Buffer.from(value.slice(2), 'hex') : value

/**
 * Rows that zapo 1.8.0 has written with its own SQLite store, for a device in the sandbox. Of the 810 one-time keys,
 * the file has only the first three and the last three.
 */
const ofZapo = JSON.parse(await readFile(new URL('test/unit/portability/zapo-1.8.0.json', ROOT), 'utf8')) as Record<
  string,
  { columns: Record<string, string>; rows: Record<string, string | number | null>[] }
>
const zapoColumns: Columns = Object.fromEntries(Object.entries(ofZapo).map(([table, { columns }]) => [table, columns]))
const zapoRows: Stored = Object.fromEntries(
  Object.entries(ofZapo).map(([table, { rows }]) => [
    table,
    rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, withBytes(value)]))),
  ]),
)
const whatsmeowColumns = JSON.parse(
  await readFile(new URL('test/unit/portability/whatsmeow-schemas.json', ROOT), 'utf8'),
) as Record<string, Columns>

const within = (stored: Stored, columns: Columns): Stored =>
  Object.fromEntries(
    Object.entries(stored)
      .filter(([table]) => columns[table])
      .map(([table, rows]) => [
        table,
        rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => columns[table]![name]))),
      ]),
  )

let creds: AuthenticationCreds
before(() => {
  creds = linked()
})
const folder = rowsFolder()
const { rowsFile } = folder

for (const [version, columns] of Object.entries(whatsmeowColumns)) {
  const stored = () => within(whatsmeowTables({ creds, keys: KEYS }, SALT), columns)

  test(`whatsmeow: a device in schema ${version} is read, with what that schema has`, async () => {
    const { taken, ids, report } = await readTaken('whatsmeow', await rowsFile(stored()))
    assert.deepEqual(taken.signedIdentityKey, creds.signedIdentityKey)
    assert.deepEqual(taken.me, creds.me)
    assert.deepEqual(ids('session'), [`${THEIR_LID}_1.0`, `${THEIR_LID}_1.3`, '4915700000001.0'].sort())
    assert.deepEqual(ids('tctoken'), [`${THEIR_LID}@lid`, '__index'].sort())
    assert.deepEqual(taken.additionalData, Number(version) >= 14 ? { chatTokenSalt: SALT } : undefined)
    assert.ok(report.categories.every(({ unreadable }) => unreadable === 0))
  })

  test(`whatsmeow: an SQLite file with schema ${version} gives the same device`, { skip }, async () => {
    const ofFile = await readTaken('whatsmeow', await writeSqlite(join(folder.dir, 'device.db'), stored(), columns))
    assert.deepEqual(ofFile.bundle.keys, (await readTaken('whatsmeow', await rowsFile(stored()))).bundle.keys)
  })
}

test('zapo: the device that zapo 1.8.0 has written is read completely', async () => {
  const { taken, ids, report } = await readTaken('zapo', await rowsFile(zapoRows))
  assert.equal(taken.me!.id, '5511999990088:1@s.whatsapp.net')
  assert.equal(taken.nextPreKeyId, 813)
  assert.deepEqual(ids('pre-key'), ['3', '4', '5', '810', '811', '812'])
  // Ana has two sessions, one under her number and one under her LID. The import makes one record of them.
  const people = ['205511988880081_1.0', '205511988880082_1.0', '205511988880083_1.0', '205511999990088_1.0']
  assert.deepEqual(ids('session'), people)
  assert.deepEqual(
    ids('sender-key').map((id) => id.split('::').slice(1).join('.')),
    ['205511988880081_1.0', '205511999990088_1.1'],
  )
  assert.equal(ids('app-state-sync-key').length, 1)
  const session = report.categories.find(({ category }) => category === 'session')!
  assert.deepEqual([session.found, session.taken, session.converted], [5, 5, 0])
  assert.ok(report.categories.every(({ unreadable }) => unreadable === 0))
})

test('zapo: its SQLite file gives the same device', { skip }, async () => {
  const ofFile = await readTaken('zapo', await writeSqlite(join(folder.dir, 'device.db'), zapoRows, zapoColumns))
  assert.deepEqual(ofFile.bundle.keys, (await readTaken('zapo', await rowsFile(zapoRows))).bundle.keys)
})

test('the tables that these tests make have only columns of the programs', () => {
  const made = { whatsmeow: whatsmeowTables({ creds, keys: KEYS }, SALT), zapo: zapoTables({ creds, keys: KEYS }, SALT) }
  const known: Record<string, Columns> = { whatsmeow: whatsmeowColumns['15']!, zapo: zapoColumns }
  for (const [program, stored] of Object.entries(made))
    for (const [table, rows] of Object.entries(stored))
      for (const name of Object.keys(rows[0] ?? {})) assert.ok(known[program]![table]?.[name], `${table}.${name} of ${program}`)
})
