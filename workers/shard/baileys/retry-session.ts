/**
 * What becomes of the session with a device that could not read a message, before it is answered: as the library does it
 * (Socket/messages-recv.js, sendMessagesAgain), from whom its retry receipts are taken (`retry-receipt.ts`).
 */
import { extractE2ESessionFromRetryReceipt, type WASocket } from '@whiskeysockets/baileys'
import { getBinaryNodeChildUInt } from '@whiskeysockets/baileys/lib/WABinary/index.js'
import type { Logger } from 'pino'
import { SECOND } from '../../../src/domain/clock.ts'
import { withDeadline } from './query.ts'
import type { RetryRequest } from './retry-receipt.ts'
import { escalateTrap } from './trap.ts'

/** At this retry the session is remembered, at later ones it must be another. As the library. */
const BASE_KEY_CHECK_RETRY = 2
const KEYS_DEADLINE = 20 * SECOND
/** Bytes of a registration id. */
const REGISTRATION_BYTES = 4

type SessionSocket = Pick<WASocket, 'signalRepository' | 'messageRetryManager' | 'assertSessions'>

/** A session the asking device can read: from the keys in the receipt, else from the network, unless `mayFetch` then says no. */
export async function renewSession(
  { signalRepository: repository, messageRetryManager: manager, assertSessions }: SessionSocket,
  { id, asker, count, receipt }: RetryRequest,
  { mayFetch, log }: { mayFetch(): boolean; log: Pick<Logger, 'warn'> },
): Promise<void> {
  const remove = () => repository.deleteSession([asker])

  async function inject(): Promise<boolean> {
    const session = extractE2ESessionFromRetryReceipt(receipt)
    if (!session) return false
    try {
      await repository.injectE2ESession({ jid: asker, session })
      return true
    } catch (error) {
      escalateTrap(error)
      log.warn({ err: error, message_id: id }, 'the keys in a retry receipt are of no use')
      return false
    }
  }

  const isFresh = await inject()
  const before = await repository.getSessionInfo(asker)
  const registration = getBinaryNodeChildUInt(receipt, 'registration', REGISTRATION_BYTES)
  const isOther = registration !== undefined && before && before.registrationId !== 0 && before.registrationId !== registration
  if (!isFresh && isOther) await remove()
  if (manager && before) {
    const address = repository.jidToSignalProtocolAddress(asker)
    if (count === BASE_KEY_CHECK_RETRY) manager.saveBaseKey(address, id, before.baseKey)
    if (count > BASE_KEY_CHECK_RETRY) {
      if (manager.hasSameBaseKey(address, id, before.baseKey)) await remove()
      manager.deleteBaseKey(address, id)
    }
  }
  if (isFresh || !mayFetch()) return
  const { exists } = await repository.validateSession(asker)
  if (count > 1 && manager?.shouldRecreateSession(asker, exists).recreate) await remove()
  await withDeadline(KEYS_DEADLINE, () => assertSessions([asker], true))
}
