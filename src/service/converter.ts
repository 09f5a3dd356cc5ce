import type { Config } from '../config.ts'
import type { Programs } from '../engine/programs.ts'
import type { Logger } from '../log.ts'

const NO_CONVERTER =
  'No ffmpeg was found: audio is sent unconverted, and videos, GIFs and animated stickers that need a conversion are refused with media_invalid.'

/** Throws if the operator named an ffmpeg that does not run. */
export function refuseConverter(programs: Programs | null, { ffmpeg }: Pick<Config, 'ffmpeg'>): void {
  if (programs === null && ffmpeg !== null && ffmpeg !== 'off')
    throw new Error(`SVC_FFMPEG is ${JSON.stringify(ffmpeg)}; it must be an ffmpeg that runs, with its ffprobe, or off.`)
}

/** Logs a warning if no ffmpeg was found, unless the operator chose to have none (`off`). */
export function warnOfNoConverter(programs: Programs | null, { ffmpeg }: Pick<Config, 'ffmpeg'>, log: Logger): void {
  if (programs === null && ffmpeg === null) log.warn({}, `${NO_CONVERTER} Install ffmpeg, or name it in SVC_FFMPEG.`)
}
