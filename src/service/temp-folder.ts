/**
 * The folder for temporary files, of which each process has one: several services on one machine may share a data
 * folder when their stores are in a database, and a start must not remove files that another one uses.
 */
import { readdir, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { makePrivate } from '../storage/private.ts'

type Place = Pick<Config, 'dataDir'>

const all = ({ dataDir }: Place) => join(dataDir, 'tmp')

/** Folder of this process. */
export const tempDirOf = (config: Place): string => join(all(config), nameOf(process.pid))

const nameOf = (pid: number) => `${pid}@${hostname()}`

/**
 * Makes the folder of this process, and removes what killed processes have left. Whether a process of another machine
 * (or container) still runs cannot be found out, so its folder stays.
 */
export async function makeTempDir(config: Place): Promise<void> {
  await makePrivate(all(config))
  for (const name of await readdir(all(config))) {
    if (!isOfOther(name)) await rm(join(all(config), name), { recursive: true, force: true })
  }
  await makePrivate(tempDirOf(config))
}

export const removeTempDir = (config: Place): Promise<void> => rm(tempDirOf(config), { recursive: true, force: true })

/** Whether a folder may belong to a process that runs. */
function isOfOther(name: string): boolean {
  const [, pid, host] = /^(\d+)@(.+)$/.exec(name) ?? []
  // The file or folder is of an earlier release.
  if (host === undefined) return false
  return host !== hostname() || (Number(pid) !== process.pid && runs(Number(pid)))
}

function runs(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // The process exists, and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
