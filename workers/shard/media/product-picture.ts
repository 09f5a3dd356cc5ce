import { Failure } from '../../../src/domain/failures.ts'
import type { MediaInput } from '../../../src/domain/media.ts'
import { type PortraitContext, withPortrait } from './portrait.ts'
import { type UploadContext, uploadPlain } from './upload.ts'

const FOLDER = '/product/image'
/** Name of the host that is used for all files. The hosts of the network serve each other's files. */
const MEDIA_HOST = 'mmg.whatsapp.net'
const NETWORK = '.whatsapp.net'

/** Returns the URL of a picture on the network's media host. A picture that is already there is not uploaded again. */
export async function productPicture(
  context: PortraitContext & Pick<UploadContext, 'session' | 'log'>,
  input: MediaInput,
): Promise<string> {
  if (input.kind === 'url' && isOfNetwork(input.url)) return input.url
  const { ask, session, log, files } = context
  const { directPath } = await withPortrait(context, input, (path) =>
    uploadPlain({ ask, session, log, media: files }, path, FOLDER),
  ).catch((error: unknown) => {
    // The code `send_failed` is for messages, and this operation sends no message. So the code is replaced.
    const isUpload = error instanceof Failure && error.code === 'send_failed'
    throw isUpload ? new Failure('action_failed', { message: error.message, cause: error }) : error
  })
  return `https://${MEDIA_HOST}${directPath}`
}

const isOfNetwork = (url: string) => {
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' && hostname.endsWith(NETWORK)
}
