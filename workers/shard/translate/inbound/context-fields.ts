import { fromJid } from '../../../../src/domain/ids.ts'
import type { ReceivedFields } from '../../../../src/features/webhook-payloads.ts'
import { count, idOrNull } from '../../wire/bounds.ts'
import { bare } from '../../wire/jid.ts'
import { externalAdReply } from './ad.ts'
import { contextInfo, type Unwrapped } from './content.ts'
import type { InboundContext } from './context.ts'

const MAX_MENTIONS = 500
/** Maximum number of mentions that are processed, because a message can have a hundred thousand. */
const MAX_NAMED = 2_000

export async function contextFields(content: Unwrapped, { identity }: InboundContext): Promise<Partial<ReceivedFields>> {
  const info = contextInfo(content)
  const ad = externalAdReply(info)
  return {
    reference_message_id: idOrNull(info?.stanzaId),
    is_status_reply: info?.remoteJid === 'status@broadcast' && info.participant ? identity.isMe(info.participant) : false,
    forwarded: info?.isForwarded === true,
    message_expiration_seconds: count(info?.expiration) || null,
    mentions: await Promise.all(
      // Only jids of people are kept, because the sender may have written any text.
      (info?.mentionedJid ?? [])
        .slice(0, MAX_NAMED)
        .filter((jid) => fromJid(jid)?.kind === 'user')
        .slice(0, MAX_MENTIONS)
        .map(async (jid) => (await identity.person(bare(jid))).phone),
    ),
    view_once: content.viewOnce,
    ...(ad ? { external_ad_reply: ad } : {}),
  }
}
