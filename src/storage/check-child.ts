/**
 * Checks a store in a separate process, because lmdb crashes with a signal when it reads damaged data. An open read
 * transaction keeps other processes from reusing the pages that are checked.
 */
import { existsSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { open } from 'lmdb'
import type { CheckReport } from './check.ts'
import { openReaderInTurn } from './drivers/lmdb-opening.ts'
import { checkPages, Damage, type Meta, newestMeta } from './drivers/lmdb-pages.ts'

const [dir = '', how = ''] = process.argv.slice(2)

/**
 * Maximum number of attempts to open a read transaction between two changes of the header. Other processes may replace
 * the header a thousand times a second.
 */
const MAX_TRIES = 1_000

async function hold(fd: number): Promise<{ meta: Meta; readAll(): void }> {
  const before = newestMeta(fd)
  // No process has the store open, so no read transaction is needed.
  if (!existsSync(join(dir, 'lock.mdb'))) return { meta: before, readAll: () => {} }
  const db = await openReaderInTurn(dir, () =>
    open<Uint8Array, string>({ path: dir, readOnly: true, encoding: 'binary', noSubdir: false, maxDbs: 1 }),
  )
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const first = newestMeta(fd)
    const transaction = db.useReadTransaction()
    if (newestMeta(fd).txnId === first.txnId)
      return {
        meta: first,
        readAll() {
          for (const { value } of db.getRange({ transaction })) if (value === undefined) throw new Damage('a record has no value')
        },
      }
    transaction.done()
  }
  throw new Error('the store changes too fast to be checked')
}

async function look(): Promise<CheckReport> {
  const fd = openSync(join(dir, 'data.mdb'), 'r')
  try {
    const { meta, readAll } = await hold(fd)
    const report = checkPages(fd, meta)
    if (how === 'deep') readAll()
    return { state: 'sound', ...report }
  } catch (error) {
    if (error instanceof Damage) return { state: 'damaged', problem: error.message }
    return { state: 'unknown', problem: error instanceof Error ? error.message : String(error) }
  }
}

process.stdout.write(`${JSON.stringify(await look())}\n`)
