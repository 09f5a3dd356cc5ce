import type { MediaInput } from '../../../../src/domain/media.ts'
import { imageMessage, videoMessage } from '../../media/compose.ts'
import type { HeaderMedia } from '../../translate/outbound/native-flow.ts'
import type { SendContext } from '../contract.ts'
import type { Destination } from '../destination.ts'

interface Wanted {
  image?: MediaInput | undefined
  video?: MediaInput | undefined
}

export const headerPicture = async (context: SendContext, to: Destination, image: MediaInput): Promise<HeaderMedia> => ({
  imageMessage: await imageMessage(context, to, image),
})

export async function headerMedia(
  context: SendContext,
  to: Destination,
  { image, video }: Wanted,
): Promise<HeaderMedia | undefined> {
  if (image) return headerPicture(context, to, image)
  return video && { videoMessage: await videoMessage(context, to, video) }
}
