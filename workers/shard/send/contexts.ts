import type { Logger } from 'pino'
import { Failure } from '../../../src/domain/failures.ts'
import type { Ranges } from '../../../src/egress/addresses.ts'
import { boundedCache } from '../../../src/lib/bounded-cache.ts'
import type { Session } from '../chats/session.ts'
import { sendFailure } from '../connection/failures.ts'
import { type NetworkRoute, presentRoute } from '../connection/network-route.ts'
import { QUERY_DEADLINE } from '../connection/within.ts'
import type { Context } from '../context/instance-context.ts'
import type { SendItem } from '../queue/contract.ts'
import type { StoredItem } from '../queue/item-store.ts'
import type { SendSafety } from '../queue/safety/send-safety.ts'
import type { Audience, Once, SendContext, SendFiles } from './contract.ts'

/**
 * Maximum number of status posts whose recipients are remembered. A deletion or edit of an older post is sent to the
 * current recipients.
 */
const MAX_AUDIENCES = 50

export interface ContextsDeps extends Pick<SendContext, 'messages' | 'contacts' | 'disappearing'> {
  shard: {
    media: Pick<SendFiles, 'tempDir' | 'downloadMs' | 'prepare'>
    egressAllow: Ranges
  }
  route(): NetworkRoute | null
  safety: Pick<SendSafety, 'leaving'>
}

type ContextItem = SendContext['item'] &
  Partial<Pick<SendItem, 'copyMedia' | 'svcId' | 'referenceMessageId' | 'mayHaveLeft' | 'leaves' | 'stays'>>

export interface Contexts {
  of(session: Session, item: ContextItem, once: Once): SendContext
}

export function createContexts(
  { clock, log }: Context<'clock'> & { log: Logger },
  { shard, messages, contacts, disappearing, safety, ...deps }: ContextsDeps,
): Contexts {
  const audiences = boundedCache<string, Audience>(MAX_AUDIENCES)
  const route = () => presentRoute(deps.route())

  const filesOf = ({ copyMedia }: Pick<StoredItem, 'copyMedia'>, once: Once): SendFiles => ({
    ...shard.media,
    once,
    async blobTo(path, part, through) {
      if (!copyMedia) throw new Failure('send_failed', { message: 'The media of the message is no longer stored.' })
      await copyMedia(path, part, through)
    },
    uploadAgent: () => route().fetchAgent,
    files: () => route().files,
    fetchOptions: () => route().fetchOptions,
  })

  /**
   * Send safety can hold an item only at its first chat. A second chat is the other jid of the same person, who may
   * already have the message.
   */
  function leavingOf(item: ContextItem): Pick<SendContext, 'leaving' | 'stayed'> {
    const chats = new Set<string>()
    let uncount = () => {}
    return {
      async leaving(jid) {
        if (chats.has(jid)) return
        const isFurther = item.mayHaveLeft === true || chats.size > 0
        const undo = await safety.leaving(jid, item, isFurther)
        chats.add(jid)
        item.leaves?.()
        if (!isFurther) uncount = undo
      },
      stayed() {
        if (item.mayHaveLeft === true || chats.size > 1) return
        uncount()
        item.stays?.()
      },
    }
  }

  return {
    of: (session, item, once) => ({
      session,
      ask: session.asking({ deadline: { eachMs: QUERY_DEADLINE }, toFailure: sendFailure }),
      messages,
      contacts,
      disappearing,
      audiences,
      log,
      egressAllow: shard.egressAllow,
      media: filesOf(item, once),
      now: () => clock.now(),
      ...leavingOf(item),
      item: { messageId: item.messageId, operation: item.operation, delayTyping: item.delayTyping },
    }),
  }
}
