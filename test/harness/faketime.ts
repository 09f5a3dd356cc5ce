/** The library libfaketime, which gives one process a clock of its own that a test sets. */
import { existsSync, readdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const LIBRARIES = '/usr/lib'
const LIBRARY = 'faketime/libfaketime.so.1'

const library = existsSync(LIBRARIES)
  ? readdirSync(LIBRARIES)
      .map((folder) => join(LIBRARIES, folder, LIBRARY))
      .find((path) => existsSync(path))
  : undefined

/** Reason to skip tests of clocks; false if libfaketime is installed. */
export const noFaketime: string | false =
  library === undefined ? "libfaketime is not installed here (Debian's package libfaketime)" : false

export interface FakeClock {
  /**
   * Environment variables of the process. They do not change its monotonic clock, as on a machine whose time is set.
   */
  env: Record<string, string>
  /** Sets by how many hours the clock is ahead. The process has the new time after at most one second. */
  set(hours: number): Promise<void>
}

/** Creates a clock that is ahead by `hours`. `file`: path of a file that does not exist yet. */
export async function createFakeClock(file: string, hours: number): Promise<FakeClock> {
  const set = (ahead: number) => writeFile(file, `${ahead < 0 ? '' : '+'}${ahead * 3_600}`)
  await set(hours)
  return {
    env: {
      LD_PRELOAD: library!,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      DONT_FAKE_MONOTONIC: '1',
    },
    set,
  }
}
