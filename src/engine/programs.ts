/** Finds ffmpeg and ffprobe: beside the one the operator names, or on the PATH. They are not shipped; without them less can be sent. */
import { execFile } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import { promisify } from 'node:util'
import { SECOND } from '../domain/clock.ts'

export interface Programs {
  ffmpeg: string
  ffprobe: string
}

const START_LIMIT = 10 * SECOND

export interface FindOptions {
  /** `SVC_FFMPEG`: a path or a name; `off`: none, whatever the machine has. Null: look on the PATH. */
  ffmpeg: string | null
  path: string
}

/** Null when either is missing or does not run. */
export async function findPrograms({ ffmpeg: given, path }: FindOptions): Promise<Programs | null> {
  if (given === 'off') return null
  const folders = path.split(delimiter).filter((folder) => folder !== '')
  const ffmpeg = await locate(given ?? 'ffmpeg', folders)
  if (ffmpeg === undefined) return null
  const ffprobe = await locate('ffprobe', [dirname(ffmpeg), ...folders])
  if (ffprobe === undefined) return null
  const answers = await Promise.all([runs(ffmpeg), runs(ffprobe)])
  return answers.every((isRunning) => isRunning) ? { ffmpeg, ffprobe } : null
}

async function locate(name: string, folders: readonly string[]): Promise<string | undefined> {
  for (const candidate of isAbsolute(name) ? [name] : folders.map((folder) => join(folder, name))) {
    const isThere = await access(candidate, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (isThere) return candidate
  }
  return undefined
}

const runs = (program: string): Promise<boolean> =>
  promisify(execFile)(program, ['-version'], { timeout: START_LIMIT, env: {} }).then(
    () => true,
    () => false,
  )
