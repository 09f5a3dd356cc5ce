import type { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import { type Description, describe, unwrap } from './describe.ts'

/**
 * Returns the media in the headers of an interactive message and its cards, and the picture of a product, each as a
 * separate message.
 */
export function innerMedia(message: proto.IMessage): { message: proto.IMessage; media: NonNullable<Description['media']> }[] {
  const { interactiveMessage, productMessage } = unwrap(message)
  const cards = interactiveMessage?.carouselMessage?.cards ?? []
  const found: proto.IMessage[] = [interactiveMessage, ...cards].map((part) => headerMedia(part?.header))
  found.push({ imageMessage: productMessage?.product?.productImage ?? null })
  return found.flatMap((inner) => {
    const { media } = describe(inner)
    return media ? [{ message: inner, media }] : []
  })
}

function headerMedia(header: proto.Message.InteractiveMessage.IHeader | null | undefined): proto.IMessage {
  const { imageMessage, videoMessage, documentMessage } = header ?? {}
  return { imageMessage: imageMessage ?? null, videoMessage: videoMessage ?? null, documentMessage: documentMessage ?? null }
}
