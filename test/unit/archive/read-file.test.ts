import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { IMPORT_SOURCES } from '../../../src/domain/device-bundle.ts'
import { NotImportable } from '../../../src/domain/not-importable.ts'
import { readFile } from '../../../workers/archive/read-file.ts'

const CONTENTS: Readonly<Record<string, string | Uint8Array>> = {
  'no bytes': '',
  'random bytes': randomBytes(5_000),
  'an empty object': '{}',
  'an empty list': '[]',
  null: 'null',
  'credentials that are a number': '{"creds.json":5,"creds":5,"key":"creds","value":5,"keyType":"creds","session_id":"a"}',
  'credentials that are half of a text': '{"creds.json":"{","creds":"\\"{","key":"creds","value":"{","keyType":"creds"}',
  'the beginning of an SQLite file': Buffer.concat([Buffer.from('SQLite format 3\0'), randomBytes(200)]),
  'the beginning of an archive': 'age-encryption.org/v1\n-> scrypt ',
}

const dir = await mkdtemp(join(tmpdir(), 'svc-read-file-'))
after(() => rm(dir, { recursive: true, force: true }))

for (const from of IMPORT_SOURCES)
  test(`a file without a device of ${from} is refused in sentences`, async () => {
    for (const [what, content] of Object.entries(CONTENTS)) {
      const file = join(dir, 'file')
      await writeFile(file, content)
      const wish = { from, passphrase: 'correct horse battery', device: undefined, isOld: false }
      await assert.rejects(readFile(file, wish), (error) => {
        assert.ok(error instanceof NotImportable, `${what}: ${String(error)}`)
        for (const problem of error.problems) assert.match(problem, /^[A-Z].*\.$/s, what)
        return true
      })
    }
  })
