/** A received file the network has forgotten: the phone is asked to upload it again (shared/api/messages.md, `media.download`). */
import type { proto, WAMessage } from '@whiskeysockets/baileys'
import { SECOND } from '../../../src/domain/clock.ts'
import { Failure } from '../../../src/domain/failures.ts'
import type { ReceivedFile } from '../../../src/media/links.ts'
import { within } from '../within.ts'
import type { ActionContext } from './types.ts'

/** Time for the phone to answer. */
const PHONE_DEADLINE = 30 * SECOND

const FIELDS = {
  image: 'imageMessage',
  video: 'videoMessage',
  audio: 'audioMessage',
  document: 'documentMessage',
  sticker: 'stickerMessage',
} as const satisfies Record<ReceivedFile['kind'], keyof proto.IMessage>

/** Resolves with where it lies now. */
export async function askAgain({ session }: ActionContext, file: ReceivedFile): Promise<string> {
  const content = { mediaKey: file.mediaKey, directPath: file.path }
  const message = { key: file.key, message: { [FIELDS[file.kind]]: content } } as WAMessage
  try {
    await within(session, PHONE_DEADLINE, session.sock.updateMediaMessage(message))
  } catch (cause) {
    if (cause instanceof Failure && cause.code === 'instance_not_connected') throw cause
    throw new Failure('media_download_failed', { message: 'The phone did not upload the file again.', cause })
  }
  return content.directPath
}
