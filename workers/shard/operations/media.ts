/**
 * Asks the phone to upload a received file that the network no longer has. Baileys' `updateMediaMessage` is not used,
 * because it listens for the answer until the connection ends, even after our deadline.
 */
import { decryptMediaRetryData, encryptMediaRetryRequest, proto, type WAMessageKey } from '@whiskeysockets/baileys'
import { Failure } from '../../../src/domain/failures.ts'
import type { UploadableFile } from '../../../src/domain/file-download.ts'
import type { Asker } from '../chats/session.ts'
import type { MediaAnswer } from '../connection/contract.ts'
import { PHONE_DEADLINE } from '../connection/within.ts'
import type { ActionContext } from './types.ts'

export const media = {
  'media.askAgain': (context: ActionContext, file: UploadableFile): Promise<string> => askAgain(context, file),
}

async function askAgain({ ask, session }: Asker, file: UploadableFile): Promise<string> {
  let off: (() => void) | undefined
  const newPath = new Promise<string>((resolve, reject) => {
    off = session.onMediaAnswer((answer) => {
      if (answer.key.id !== file.key.id) return
      try {
        resolve(pathIn(answer, file))
      } catch (error) {
        reject(error)
      }
    })
  })
  try {
    const question = encryptMediaRetryRequest(file.key as WAMessageKey, file.mediaKey, session.me!.id)
    const [path] = await ask.run(() => Promise.all([newPath, ask.write(question)]), { atMostMs: PHONE_DEADLINE })
    return path
  } catch (cause) {
    if (cause instanceof Failure && cause.code === 'instance_not_connected') throw cause
    throw new Failure('media_download_failed', { message: 'The phone did not upload the file again.', cause })
  } finally {
    off?.()
  }
}

function pathIn({ error, media }: MediaAnswer, file: UploadableFile): string {
  if (error) throw error
  if (!media) throw new Error('the phone sent an empty answer')
  const { result, directPath } = decryptMediaRetryData(media, file.mediaKey, file.key.id)
  if (result !== proto.MediaRetryNotification.ResultType.SUCCESS || !directPath)
    throw new Error(`the phone refused to upload the file again: ${proto.MediaRetryNotification.ResultType[result ?? -1]}`)
  return directPath
}
