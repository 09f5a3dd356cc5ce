/**
 * The folder for temporary files. Each process has a folder of its own: several services on one machine may share a data folder if their stores are
 * in a database, and a start must not remove files that another service uses.
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
 * Makes the folder of this process, and removes the folders of killed processes. This process cannot know whether a process of another machine (or
 * container) still runs, so such a folder is kept.
 */
export async function makeTempDir(config: Place): Promise<void> {
  await makePrivate(all(config))
  for (const name of await readdir(all(config))) {
    if (!isOfOther(name)) await rm(join(all(config), name), { recursive: true, force: true })
  }
  await makePrivate(tempDirOf(config))
}

export const removeTempDir = (config: Place): Promise<void> => rm(tempDirOf(config), { recursive: true, force: true })

/** Whether the folder may belong to another process that still runs. */
function isOfOther(name: string): boolean {
  const [, pid, host] = /^(\d+)@(.+)$/.exec(name) ?? []
  // A name without a host is a file or folder of an earlier release.
  if (host === undefined) return false
  return host !== hostname() || (Number(pid) !== process.pid && runs(Number(pid)))
}

function runs(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // With EPERM the process exists and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
