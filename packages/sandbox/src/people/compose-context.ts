import type { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import * as v from 'valibot'
import { type ComposeContext, known } from './compose-form.ts'

const Ad = v.object({
  title: v.optional(v.string()),
  body: v.optional(v.string()),
  media_type: v.optional(v.picklist(['none', 'image', 'video'])),
  thumbnail_url: v.optional(v.string()),
  media_url: v.optional(v.string()),
  source_type: v.optional(v.string(), 'ad'),
  source_id: v.optional(v.string()),
  source_url: v.optional(v.string()),
  source_app: v.optional(v.string()),
  ctwa_clid: v.optional(v.string()),
  ref: v.optional(v.string()),
  contains_auto_reply: v.optional(v.boolean(), false),
  render_larger_thumbnail: v.optional(v.boolean(), true),
  show_ad_attribution: v.optional(v.boolean(), true),
})

export const CommonFields = v.object({
  quote: v.optional(v.string()),
  mentions: v.optional(v.array(v.string())),
  ad: v.optional(Ad),
  ephemeral_seconds: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
  forwarded: v.optional(v.boolean()),
})

const AD_MEDIA = { none: 0, image: 1, video: 2 }

/** Content with a `contextInfo`. Some kinds have none, such as reactions and revocations. */
interface Contextual {
  contextInfo?: proto.IContextInfo | null
}

export function applyContext(message: proto.IMessage, common: v.InferOutput<typeof CommonFields>, context: ComposeContext): void {
  const info: proto.IContextInfo = {}
  if (common.quote !== undefined) Object.assign(info, quote(context, common.quote))
  if (common.mentions) info.mentionedJid = common.mentions.map(context.jid)
  if (common.ephemeral_seconds !== undefined) info.expiration = common.ephemeral_seconds
  if (common.forwarded) Object.assign(info, { isForwarded: true, forwardingScore: 1 })
  if (common.ad) Object.assign(info, adContext(common.ad, context))
  if (Object.keys(info).length === 0) return
  const content = contextualContent(message)
  content.contextInfo = { ...content.contextInfo, ...info }
}

/**
 * Returns the content to which the context is added. A plain text cannot have a context, so it becomes an extended
 * text, as on phones.
 */
function contextualContent(message: proto.IMessage): Contextual {
  if (message.conversation != null) {
    message.extendedTextMessage = { text: message.conversation }
    delete message.conversation
    return message.extendedTextMessage
  }
  const wrapped = message.viewOnceMessageV2?.message ?? message.documentWithCaptionMessage?.message
  if (wrapped) return contextualContent(wrapped)
  const content = Object.entries(message).find(([name]) => name !== 'messageContextInfo')
  return (content?.[1] ?? {}) as Contextual
}

function quote(context: ComposeContext, id: string): proto.IContextInfo {
  const quoted = known(context, id)
  const { messageContextInfo, ...content } = quoted.message
  return { stanzaId: id, participant: context.jid(quoted.author), quotedMessage: content }
}

function adContext(ad: v.InferOutput<typeof Ad>, context: ComposeContext): proto.IContextInfo {
  return {
    conversionSource: 'FB_Ads',
    entryPointConversionSource: 'ctwa_ad',
    entryPointConversionApp: ad.source_app ?? 'facebook',
    entryPointConversionDelaySeconds: 5,
    conversionDelaySeconds: Math.floor(context.now() / 1000) % 60,
    externalAdReply: {
      title: ad.title ?? null,
      body: ad.body ?? null,
      mediaType: ad.media_type && AD_MEDIA[ad.media_type],
      thumbnailUrl: ad.thumbnail_url ?? null,
      mediaUrl: ad.media_url ?? null,
      sourceType: ad.source_type,
      sourceId: ad.source_id ?? null,
      sourceUrl: ad.source_url ?? null,
      sourceApp: ad.source_app ?? null,
      ctwaClid: ad.ctwa_clid ?? null,
      ref: ad.ref ?? null,
      containsAutoReply: ad.contains_auto_reply,
      renderLargerThumbnail: ad.render_larger_thumbnail,
      showAdAttribution: ad.show_ad_attribution,
    },
  }
}
