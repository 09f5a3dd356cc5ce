/**
 * A received file the network has forgotten: the phone is asked to upload it again (shared/api/messages.md, `media.download`). Not the
 * library's `updateMediaMessage`, which listens for the answer until the connection ends, however long ago we gave up.
 */
import {
  type BaileysEventMap,
  decryptMediaRetryData,
  encryptMediaRetryRequest,
  proto,
  type WAMessageKey,
} from '@whiskeysockets/baileys'
import { SECOND } from '../../../src/domain/clock.ts'
import { Failure } from '../../../src/domain/failures.ts'
import type { ReceivedFile } from '../../../src/domain/file-download.ts'
import type { Session } from '../chats/session.ts'
import { within } from '../connection/within.ts'
import type { ActionContext } from './types.ts'

/** Time for the phone to answer. */
const PHONE_DEADLINE = 30 * SECOND

type Answer = BaileysEventMap['messages.media-update'][number]

export const media = {
  /** Resolves with where it lies now. */
  'media.askAgain': ({ session }: ActionContext, file: ReceivedFile): Promise<string> => askAgain(session, file),
}

async function askAgain(session: Session, file: ReceivedFile): Promise<string> {
  const { ev, authState, sendNode } = session.sock
  let onAnswers!: (answers: Answer[]) => void
  const newPath = new Promise<string>((resolve, reject) => {
    onAnswers = (answers) => {
      const answer = answers.find(({ key }) => key.id === file.key.id)
      if (!answer) return
      try {
        resolve(pathIn(answer, file))
      } catch (error) {
        reject(error)
      }
    }
  })
  try {
    const question = encryptMediaRetryRequest(file.key as WAMessageKey, file.mediaKey, authState.creds.me!.id)
    ev.on('messages.media-update', onAnswers)
    const [path] = await within(session, PHONE_DEADLINE, Promise.all([newPath, sendNode(question)]))
    return path
  } catch (cause) {
    if (cause instanceof Failure && cause.code === 'instance_not_connected') throw cause
    throw new Failure('media_download_failed', { message: 'The phone did not upload the file again.', cause })
  } finally {
    ev.off('messages.media-update', onAnswers)
  }
}

function pathIn({ error, media }: Answer, file: ReceivedFile): string {
  if (error) throw error
  if (!media) throw new Error('the phone answered without saying anything')
  const { result, directPath } = decryptMediaRetryData(media, file.mediaKey, file.key.id)
  if (result !== proto.MediaRetryNotification.ResultType.SUCCESS || !directPath)
    throw new Error(`the phone refused with ${proto.MediaRetryNotification.ResultType[result ?? -1]}`)
  return directPath
}
