/**
 * Prepares the media file of a queued message ahead. The calls must be the same as in the handlers, because
 * their arguments identify the prepared file.
 */
import type { Identifier } from '../../../../src/domain/ids.ts'
import { audioMessage, imageMessage, stickerMessage, videoMessage } from '../../media/compose.ts'
import { documentMessage } from '../../media/document.ts'
import type { PrepareMedia } from '../../send/ahead.ts'
import type { SendContext } from '../../send/contract.ts'
import { STATUS } from '../../send/status/post.ts'
import type { Handlers } from '../types.ts'

type All = Handlers<typeof import('../../../../src/features/send/media.ts')> &
  Handlers<typeof import('../../../../src/features/send/status.ts')>
type Prepares<Id extends keyof All> = { [I in Id]: (context: SendContext, input: Parameters<All[I]>[1]) => Promise<unknown> }

/** Returns the destination of an upload. Only its kind changes how a file is uploaded. */
const of = ({ kind }: Identifier) => ({ kind })
/** An answer to a status is sent to its author, who is a person. */
const AUTHOR = { kind: 'user' } as const

const all: Prepares<
  | 'send.sendImage'
  | 'send.sendVideo'
  | 'send.sendAudio'
  | 'send.sendDocument'
  | 'send.sendSticker'
  | 'send.sendGif'
  | 'send.sendPtv'
  | 'send.sendImageStatus'
  | 'send.sendVideoStatus'
  | 'send.replyStatusGif'
  | 'send.replyStatusSticker'
> = {
  'send.sendImage': (context, { phone, image }) => imageMessage(context, of(phone), image),
  'send.sendVideo': (context, { phone, video }) => videoMessage(context, of(phone), video),
  'send.sendAudio': (context, input) => audioMessage(context, of(input.phone), input.audio, input),
  'send.sendDocument': async (context, input) =>
    input.document && documentMessage(context, of(input.phone), input.document, input),
  'send.sendSticker': (context, { phone, sticker, sticker_author }) =>
    stickerMessage(context, of(phone), sticker, sticker_author),
  'send.sendGif': (context, { phone, gif }) => videoMessage(context, of(phone), gif, 'gif'),
  'send.sendPtv': (context, { phone, ptv }) => videoMessage(context, of(phone), ptv, 'ptv'),
  'send.sendImageStatus': (context, { image }) => imageMessage(context, STATUS, image),
  'send.sendVideoStatus': (context, { video }) => videoMessage(context, STATUS, video),
  'send.replyStatusGif': (context, { gif }) => videoMessage(context, AUTHOR, gif, 'gif'),
  'send.replyStatusSticker': (context, { sticker }) => stickerMessage(context, AUTHOR, sticker),
}

export const mediaOf = (operation: string): PrepareMedia | undefined =>
  Object.hasOwn(all, operation) ? all[operation as keyof typeof all] : undefined
