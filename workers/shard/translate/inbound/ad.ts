import type { proto } from '@whiskeysockets/baileys'
import type { ExternalAdReply } from '../../../../src/features/received/extras.ts'
import { cutOrNull } from '../../wire/bounds.ts'

const MEDIA_TYPES = { 0: 'none', 1: 'image', 2: 'video' } as const

export function externalAdReply(info: proto.IContextInfo | null): ExternalAdReply | null {
  const ad = info?.externalAdReply
  if (!ad) return null
  return {
    title: cutOrNull(ad.title, 256),
    body: cutOrNull(ad.body, 1_024),
    media_type: MEDIA_TYPES[(ad.mediaType ?? 0) as keyof typeof MEDIA_TYPES] ?? null,
    thumbnail_url: cutOrNull(ad.thumbnailUrl, 2_048),
    source_type: cutOrNull(ad.sourceType, 64),
    source_id: cutOrNull(ad.sourceId, 128),
    source_url: cutOrNull(ad.sourceUrl, 2_048),
    source_app: cutOrNull(ad.sourceApp, 64),
    ctwa_clid: cutOrNull(ad.ctwaClid, 1_024),
    ref: cutOrNull(ad.ref, 1_024),
    contains_auto_reply: ad.containsAutoReply ?? null,
    render_larger_thumbnail: ad.renderLargerThumbnail ?? null,
    show_ad_attribution: ad.showAdAttribution ?? null,
  }
}
