/**
 * Prepares one file for sending: examines it, converts it if necessary, and checks its size again, because a conversion
 * may make the file larger than the limit.
 */

import { stat } from 'node:fs/promises'
import { Semaphore } from 'async-mutex'
import { Failure } from '../../src/domain/failures.ts'
import { MB } from '../../src/domain/media.ts'
import type { MediaJob, PreparedMedia } from '../../src/domain/media-job.ts'
import { prepareAudio } from './audio.ts'
import { contentOf, invalid } from './content.ts'
import type { Converter } from './converter.ts'
import { prepareImage } from './image.ts'
import { preparePortrait } from './portrait.ts'
import { prepareSticker } from './sticker.ts'
import { prepareVideo } from './video.ts'

/** Maximum number of pictures that are prepared at the same time. An open large picture takes hundreds of MB. */
const PICTURES = 2

const NOTHING = { width: null, height: null, seconds: null, isAnimated: false, thumbnail: null, waveform: null }

export function createPrepare(converter: Converter): (job: MediaJob) => Promise<PreparedMedia> {
  const inTurn = new Semaphore(PICTURES)

  async function make(job: MediaJob): Promise<Partial<PreparedMedia> & Pick<PreparedMedia, 'path' | 'mime'>> {
    const content = await contentOf(job.path)
    switch (job.purpose) {
      case 'image':
      case 'card':
        return inTurn.runExclusive(() => prepareImage(job, content, converter))
      case 'portrait':
        return inTurn.runExclusive(() => preparePortrait(job, content))
      case 'video':
      case 'gif':
      case 'ptv':
        return prepareVideo(job, content, converter)
      case 'voice':
      case 'audio':
        return prepareAudio(job, content, converter)
      case 'sticker':
        return prepareSticker(job, content, converter, inTurn)
      default:
        return job.purpose satisfies never
    }
  }

  return async (job) => {
    const made = { ...NOTHING, ...(await make(job)) }
    const { size } = await stat(made.path)
    if (size === 0) throw new Failure('send_failed', { message: 'The conversion produced an empty file.' })
    if (size > job.limit) throw invalid(`The media has more than ${job.limit / MB} MB after its conversion.`)
    return made
  }
}
