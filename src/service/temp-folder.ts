/**
 * The folder for temporary files. Each process has a folder of its own: several services may share a data folder if their stores are in a database,
 * and a start must not remove files that another service uses.
 */
import { randomBytes } from 'node:crypto'
import { readlinkSync } from 'node:fs'
import { readdir, rm, stat, utimes } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { DAY, HOUR } from '../domain/clock.ts'
import { makePrivate } from '../storage/private.ts'

type Place = Pick<Config, 'dataDir'>

const all = ({ dataDir }: Place) => join(dataDir, 'tmp')

/**
 * Identifies the host and its table of process numbers, within which a process number means one process. Two containers may have the same host name,
 * but they have different tables.
 */
const HERE = `${hostname()}.${numbersOfProcesses()}.`

/** Name of the folder of this process. A later process may get the same number, so a random part follows. */
const OWN = `${process.pid}@${HERE}${randomBytes(6).toString('hex')}`

/** Folder of this process. */
export const tempDirOf = (config: Place): string => join(all(config), OWN)

/**
 * Makes the folder of this process, and removes the folders of killed processes. The time of the folder is set again each hour, as a sign for
 * services elsewhere that this process runs. Resolves with a function that removes the folder.
 */
export async function openTempFolder(config: Place): Promise<() => Promise<void>> {
  const own = tempDirOf(config)
  await makePrivate(all(config))
  await removeLeft(all(config))
  await makePrivate(own)
  // A touch that fails, for example on a disk with errors, is repeated in an hour. The folder counts as left behind only after a day.
  const hourly = setInterval(() => void tend(config).catch(() => {}), HOUR).unref()
  return async () => {
    clearInterval(hourly)
    await rm(own, { recursive: true, force: true })
  }
}

async function tend(config: Place): Promise<void> {
  const own = tempDirOf(config)
  try {
    // If this machine was suspended, other services on it have not touched their folders either. Nothing is removed now, so that they have an hour to
    // touch them.
    if (await isTouchedWithin(own, 2 * HOUR)) await removeLeft(all(config))
  } finally {
    const now = new Date()
    await utimes(own, now, now)
  }
}

async function removeLeft(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    if (name !== OWN && (await isLeft(name, path))) await rm(path, { recursive: true, force: true })
  }
}

/**
 * Whether a killed process has left the folder behind. For a process elsewhere this cannot be checked, so its folder
 * counts as left after a day without a touch.
 */
async function isLeft(name: string, path: string): Promise<boolean> {
  const [, pid, place] = /^(\d+)@(.+)$/.exec(name) ?? []
  // A name without a place is a file or folder of an earlier release.
  if (place === undefined) return true
  if (place.startsWith(HERE) && !isOther(Number(pid))) return true
  return !(await isTouchedWithin(path, DAY))
}

/** Whether another running process has this number. */
function isOther(pid: number): boolean {
  if (pid === process.pid) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // The process exists, and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Whether the owner of the folder has touched it in this time. A folder that its owner has just removed counts as not touched. */
const isTouchedWithin = (path: string, ms: number): Promise<boolean> =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs > Date.now() - ms,
    () => false,
  )

/** Returns the id of the kernel's table of process numbers, which each container has; an empty text on other systems than Linux. */
function numbersOfProcesses(): string {
  try {
    return readlinkSync('/proc/self/ns/pid').replace(/\D/g, '')
  } catch {
    // An empty text is enough, because other systems than Linux have no containers that share a folder.
    return ''
  }
}
