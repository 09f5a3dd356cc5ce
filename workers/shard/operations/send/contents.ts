import type { proto, WAUrlInfo } from '@whiskeysockets/baileys'
import { type Identifier, toJid } from '../../../../src/domain/ids.ts'
import { type CardPicture, cardPicture } from '../../send/compose/card-picture.ts'
import { channelPicture } from '../../send/compose/channel-picture.ts'
import { registerAdminInvite } from '../../send/compose/newsletter-invite.ts'
import { type SharedFields, surroundings } from '../../send/context-info.ts'
import type { SendContext } from '../../send/contract.ts'
import { resolveDestination } from '../../send/destination.ts'
import { sendPost } from '../../send/newsletter.ts'
import { type OutgoingMessage, sendMessage } from '../../send/relay.ts'
import { type Card, contacts as cards } from '../../translate/outbound/contact.ts'
import { bare } from '../../wire/jid.ts'
import type { Handlers } from '../types.ts'

export const contents: Handlers<typeof import('../../../../src/features/send/contents.ts')> = {
  async 'send.sendLink'(context, input) {
    const to = await resolveDestination(context, input.phone)
    const { message, link_url: url } = input
    const text = message.includes(url) ? message : `${message}\n${url}`
    const words = { title: input.title, ...(input.link_description ? { description: input.link_description } : {}) }
    // In a channel post, a card of either size has two pictures: an embedded one, and one on the media hosts, as a
    // large card has in other chats.
    const size = to.kind === 'newsletter' ? 'large' : input.link_type
    const picture = input.image ? await cardPicture(context, to, input.image, size) : {}
    if (to.kind === 'newsletter')
      return sendPost(
        context,
        to.jid,
        { extendedTextMessage: { text, matchedText: url, ...words, ...channelCard(picture) } },
        { mediaType: 'url' },
      )
    const around = await surroundings(context, to, input, text)
    const linkPreview = { 'canonical-url': url, 'matched-text': url, ...words, ...picture } as WAUrlInfo
    return sendMessage(context, to, { content: { text: around.text, linkPreview }, info: around.info })
  },

  'send.sendLocation': (context, input) =>
    send(context, input, {
      location: {
        degreesLatitude: input.latitude,
        degreesLongitude: input.longitude,
        name: input.title,
        address: input.address,
      },
    }),

  'send.sendContact': (context, input) =>
    sendCards(context, input, [
      { name: input.contact_name, phones: [input.contact_phone], description: input.contact_business_description },
    ]),

  'send.sendContacts': (context, input) =>
    sendCards(
      context,
      input,
      input.contacts.map(({ name, phones, business_description }) => ({ name, phones, description: business_description })),
    ),

  async 'send.sendNewsletterAdminInvite'(context, input) {
    const { session } = context
    const to = await resolveDestination(context, input.phone)
    const around = await surroundings(context, to, input, input.caption)
    const lid = to.jid.endsWith('@lid') ? to.jid : await session.identity.lidOf(to.jid)
    const newsletterJid = toJid(input.newsletter_id)
    const invite = await registerAdminInvite(context, newsletterJid, bare(lid ?? to.jid))
    const newsletterAdminInviteMessage: proto.Message.INewsletterAdminInviteMessage = {
      newsletterJid,
      newsletterName: invite.newsletterName,
      ...(await channelPicture(context, to, invite.description)),
      caption: around.text,
      inviteExpiration: invite.expiration,
    }
    return sendMessage(context, to, { content: { proto: { newsletterAdminInviteMessage } }, info: around.info })
  },
}

/**
 * Returns the card in a channel post. Media of channels is not encrypted, so its path and the hash of the stored file
 * are sufficient.
 */
const channelCard = ({ jpegThumbnail, highQualityThumbnail: large }: CardPicture): proto.Message.IExtendedTextMessage => ({
  ...(jpegThumbnail ? { jpegThumbnail } : {}),
  ...(large
    ? {
        thumbnailDirectPath: large.directPath,
        thumbnailSha256: large.fileSha256,
        thumbnailWidth: large.width,
        thumbnailHeight: large.height,
      }
    : {}),
})

type Shared = SharedFields & { phone: Identifier }

async function send(context: SendContext, input: Shared, content: OutgoingMessage['content']) {
  const to = await resolveDestination(context, input.phone)
  // This message has no text, so it cannot contain mentions.
  const { info } = await surroundings(context, to, { ...input, mentions: [] })
  return sendMessage(context, to, { content, info })
}

const sendCards = (context: SendContext, input: Shared, list: readonly Card[]) => send(context, input, { contacts: cards(list) })
