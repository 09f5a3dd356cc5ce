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
 * A process number means one process only on this host and in this container. Two containers may have the same host
 * name, but not the same table of process numbers.
 */
const HERE = `${hostname()}.${numbersOfProcesses()}.`

/** A later process may get the same number, so a random part follows. */
const OWN = `${process.pid}@${HERE}${randomBytes(6).toString('hex')}`

export const tempDirOf = (config: Place): string => join(all(config), OWN)

/**
 * Makes the folder of this process, and removes the folders of killed processes. The time of the folder is set again
 * each hour, as a sign that this process runs.
 */
export async function openTempFolder(config: Place): Promise<() => Promise<void>> {
  const own = tempDirOf(config)
  await makePrivate(all(config))
  await removeLeft(all(config))
  await makePrivate(own)
  // A failure is repeated in an hour. The folder counts as left behind only after a day.
  const hourly = setInterval(() => void tend(config).catch(() => {}), HOUR).unref()
  return async () => {
    clearInterval(hourly)
    await rm(own, { recursive: true, force: true })
  }
}

async function tend(config: Place): Promise<void> {
  const own = tempDirOf(config)
  try {
    // During a suspension of this machine, other services on it could not touch their folders either. They have an hour
    // to do so.
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
 * Nobody can check whether a process on another machine runs, so its folder counts as left after a day without a touch.
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

/** A folder that was just removed counts as not touched. */
const isTouchedWithin = (path: string, ms: number): Promise<boolean> =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs > Date.now() - ms,
    () => false,
  )

/** Identifies the table of process numbers, which each container has for itself. Empty on other systems than Linux. */
function numbersOfProcesses(): string {
  try {
    return readlinkSync('/proc/self/ns/pid').replace(/\D/g, '')
  } catch {
    // Other systems than Linux have no containers that share a folder.
    return ''
  }
}
