/** Finds ffmpeg and ffprobe. Without them some media cannot be sent. */
import { execFile } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { MINUTE, SECOND } from '../domain/clock.ts'
import { isPassing } from '../domain/passing-error.ts'

export interface Programs {
  ffmpeg: string
  ffprobe: string
}

/**
 * Time limit in ms for the answer of a program. Normally the answer takes 50 ms, but on a busy machine more than a
 * minute. A program that is too late counts as missing until the next start of the service.
 */
const ANSWER_LIMIT = 5 * MINUTE
const TRY_AGAIN = SECOND

export interface FindOptions {
  /**
   * Value of `SVC_FFMPEG`: a path, a name in the PATH, or `off`, which disables ffmpeg. Null means the name `ffmpeg`.
   */
  ffmpeg: string | null
  path: string
}

/** Returns the paths of the two programs. Null if ffmpeg is disabled, or if one of them is missing or does not run. */
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

async function runs(program: string, leftMs = ANSWER_LIMIT): Promise<boolean> {
  try {
    await promisify(execFile)(program, ['-version'], { timeout: leftMs, env: {} })
    return true
  } catch (error) {
    if (!isPassing(error) || leftMs <= TRY_AGAIN) return false
  }
  await wait(TRY_AGAIN)
  return runs(program, leftMs - TRY_AGAIN)
}
