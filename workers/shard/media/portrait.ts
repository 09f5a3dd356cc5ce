import { readFile } from 'node:fs/promises'
import { SECOND } from '../../../src/domain/clock.ts'
import { MEDIA_LIMIT, type MediaInput } from '../../../src/domain/media.ts'
import type { Ranges } from '../../../src/egress/addresses.ts'
import type { Ask } from '../connection/ask.ts'
import type { SendFiles } from '../send/contract.ts'
import { withMedia } from './arrival.ts'

/**
 * Time limit of the download in ms. The caller waits for at most 45 s, so a slow host must not use up all of this time.
 */
const DOWNLOAD_LIMIT = 25 * SECOND

export interface ActionFiles extends Pick<SendFiles, 'tempDir' | 'downloadMs' | 'prepare' | 'uploadAgent'> {
  egressAllow: Ranges
}

/**
 * Returns a square JPEG of 640 pixels. Rejects with `media_invalid` (not a JPEG, PNG or WebP, a side below 192 pixels,
 * above 16 MB) or `media_download_failed`. A failure of `ask` is passed on.
 */
export const portrait = (context: PortraitContext, input: MediaInput): Promise<Uint8Array> =>
  withPortrait(context, input, (path) => readFile(path))

export interface PortraitContext {
  ask: Ask
  files: ActionFiles
}

export function withPortrait<T>(
  { ask, files }: PortraitContext,
  input: MediaInput,
  use: (path: string) => Promise<T>,
): Promise<T> {
  const { egressAllow, prepare, tempDir, downloadMs } = files
  const arriving = { egressAllow, media: { tempDir, downloadMs: Math.min(downloadMs, DOWNLOAD_LIMIT) } }
  return ask.run(() =>
    withMedia(arriving, input, MEDIA_LIMIT, async ({ path, dir }) => {
      const job = { purpose: 'portrait', path, dir, limit: MEDIA_LIMIT, author: null, waveform: false } as const
      return use((await prepare(job)).path)
    }),
  )
}
