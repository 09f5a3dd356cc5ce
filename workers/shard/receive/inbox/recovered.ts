/**
 * Reports missing messages that the phone has sent again. Their events are written before the phone's message leaves
 * the journal, so a crash in between loses none.
 */
import { proto, type WAMessage } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import type { Op } from '../../../../src/storage/contract.ts'
import { messageMarks } from '../../messages/seen-marks.ts'
import type { ReceivedEvents } from '../received-events.ts'
import { isEvent } from '../unreported.ts'
import type { WaitingMessages } from '../waiting/waiting-messages.ts'
import type { InstanceInbox } from './inbox.ts'

export interface RecoveredDeps {
  inbound: Pick<ReceivedEvents, 'message'>
  once: InstanceInbox['once']
  alongside(message: WAMessage): Promise<readonly Op[]>
  waiting: Pick<WaitingMessages, 'known' | 'arrived'>
  log: Pick<Logger, 'warn'>
  onMessage(message: WAMessage): void
}

export function createRecovered({ inbound, once, alongside, waiting, log, onMessage }: RecoveredDeps) {
  return async function recovered(peer: proto.IMessage): Promise<void> {
    for (const message of resentIn(peer).map(asItCame)) if (message) await appendEvent(message)
  }

  async function appendEvent(message: WAMessage): Promise<void> {
    const [mark, ...others] = messageMarks(message.key)
    const waited = waiting.arrived(message.key)
    const make = async () => [await inbound.message(message)].filter(isEvent)
    await once(mark!, make, [...waited.ops, ...(await alongside(message))], others)
    waited.applied()
    onMessage(message)
  }

  function resentIn({ protocolMessage }: proto.IMessage): proto.IWebMessageInfo[] {
    const results = protocolMessage?.peerDataOperationRequestResponseMessage?.peerDataOperationResult ?? []
    return results.flatMap(({ placeholderMessageResendResponse: resent }) => {
      if (!resent?.webMessageInfoBytes) return []
      try {
        return [proto.WebMessageInfo.decode(resent.webMessageInfoBytes)]
      } catch (error) {
        log.warn({ err: error }, 'the phone resent something that is not a valid message')
        return []
      }
    })
  }

  /**
   * Returns the message with the key of the stanza that arrived first, because the phone may use other jids. Returns
   * null if the message is no longer missing, or has no content.
   */
  function asItCame(resent: proto.IWebMessageInfo): WAMessage | null {
    const known = waiting.known(resent.key ?? {})
    if (!known || !resent.message) return null
    return {
      ...resent,
      key: known.key,
      messageTimestamp: resent.messageTimestamp || known.timestamp,
      pushName: known.pushName ?? resent.pushName ?? null,
    } as WAMessage
  }
}
