/**
 * The folder for temporary files. Each process has its own: several services may share a data folder if their stores
 * are in a database.
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
 * Part of the folder's name that identifies this host and this container, because a process id is unique only in them.
 * Two containers may have the same host name, but each has its own table of process ids.
 */
const HERE = `${hostname()}.${numbersOfProcesses()}.`

/**
 * Name of the folder of this process. It ends with a random part, because a later process may get the same process id.
 */
const OWN = `${process.pid}@${HERE}${randomBytes(6).toString('hex')}`

export const tempDirOf = (config: Place): string => join(all(config), OWN)

/**
 * Makes the folder of this process, and removes the folders of killed processes. The modification time of this
 * process's folder is set to the present each hour, as a sign that the process runs. Resolves with a function that
 * removes the folder.
 */
export async function openTempFolder(config: Place): Promise<() => Promise<void>> {
  const own = tempDirOf(config)
  await makePrivate(all(config))
  await removeLeft(all(config))
  await makePrivate(own)
  // An attempt that fails is repeated an hour later. That is soon enough: while this process runs, its folder counts as
  // left behind only after a day without a touch.
  const hourly = setInterval(() => void tend(config).catch(() => {}), HOUR).unref()
  return async () => {
    clearInterval(hourly)
    await rm(own, { recursive: true, force: true })
  }
}

async function tend(config: Place): Promise<void> {
  const own = tempDirOf(config)
  try {
    // If the folder of this process was not touched for two hours, this machine was suspended, and the other services
    // on it could not touch their folders either. They get an hour to touch them before anything is removed.
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
 * Resolves with true if the process of the folder no longer runs. For a process on another machine this cannot be
 * checked, so its folder counts as left behind after a day without a touch.
 */
async function isLeft(name: string, path: string): Promise<boolean> {
  const [, pid, place] = /^(\d+)@(.+)$/.exec(name) ?? []
  if (place === undefined) return true
  if (place.startsWith(HERE) && !isOther(Number(pid))) return true
  return !(await isTouchedWithin(path, DAY))
}

function isOther(pid: number): boolean {
  if (pid === process.pid) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // The process exists, and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/**
 * Resolves with true if the file or folder was modified within the last `ms`. One that was just removed counts as not
 * touched.
 */
const isTouchedWithin = (path: string, ms: number): Promise<boolean> =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs > Date.now() - ms,
    () => false,
  )

/**
 * Returns the id of the table of process ids, of which each container has its own. Empty on systems other than Linux.
 */
function numbersOfProcesses(): string {
  try {
    return readlinkSync('/proc/self/ns/pid').replace(/\D/g, '')
  } catch {
    // On systems other than Linux, no containers share a folder.
    return ''
  }
}
