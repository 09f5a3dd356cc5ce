/**
 * Opens HEIC pictures (HEVC in HEIF). sharp's own libheif has no decoder for HEVC, so a separate thread decodes the
 * pixels.
 */

import { Worker } from 'node:worker_threads'
import { Mutex } from 'async-mutex'
import { threadFlags, threadModule } from '../../src/engine/thread.ts'
import { type Content, invalid } from './content.ts'
import type { HeicAnswer, HeicTask } from './heic-thread.ts'
import { damaged, isTooLarge, LIMIT_SECONDS, MAX_PIXELS, measure, type Source, tooLarge } from './pixels.ts'

const HEIF = new Set(['image/heic', 'image/heif', 'image/heic-sequence', 'image/heif-sequence'])

/** Lets only one picture be decoded at a time, because decoding a large picture takes more than a GB. */
const inTurn = new Mutex()

export async function sourceOf(path: string, { mime }: Content): Promise<Source> {
  if (!HEIF.has(mime)) return path
  // The size is read from the boxes, so that a picture that is too large is never decoded.
  const { compression } = await measure(path).catch((cause: unknown) => {
    if (isTooLarge(cause)) throw cause
    throw invalid(`The content is ${mime}. It is damaged, or of a kind that cannot be read.`, cause)
  })
  return compression === 'hevc' ? inTurn.runExclusive(() => decode({ path, maxPixels: MAX_PIXELS })) : path
}

async function decode(task: HeicTask): Promise<Source> {
  const answer = await inThread(task)
  if (!('problem' in answer)) return answer
  throw answer.problem === 'too large' ? tooLarge() : damaged()
}

function inThread(task: HeicTask): Promise<HeicAnswer> {
  const module = threadModule('./heic-thread', import.meta.url)
  const flags = threadFlags(module)
  const options = {
    workerData: task,
    name: 'heic',
    stdout: true,
    stderr: true,
    ...(flags === undefined ? {} : { execArgv: flags }),
  }
  return new Promise<HeicAnswer>((resolve, reject) => {
    const thread = new Worker(module, options)
    thread.stdout.resume()
    thread.stderr.resume()
    const timer = setTimeout(() => {
      reject(invalid('The picture takes too long to decode.'))
      void thread.terminate()
    }, LIMIT_SECONDS * 1_000)
    thread.once('message', resolve)
    // If the decoder fails (a trap, or no memory left), the file counts as the cause.
    thread.once('error', (cause) => reject(damaged(cause)))
    thread.once('exit', () => {
      clearTimeout(timer)
      reject(damaged())
    })
  })
}
