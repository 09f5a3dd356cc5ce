import { extractE2ESessionFromRetryReceipt } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { type Clock, HOUR, MINUTE } from '../../../src/domain/clock.ts'
import { escalateTrap } from '../baileys/thread/trap.ts'
import type { NetworkSocket } from '../network/network-socket.ts'
import { registrationIn } from '../wire/retry-receipt.ts'
import { bounded } from './bounded.ts'
import type { RetryRequest } from './retry-receipts.ts'

/**
 * Number of the retry at which the base key of the session is remembered. At later retries the session must have
 * another base key.
 */
const BASE_KEY_CHECK_RETRY = 2
const MAX_BASE_KEYS = 1_000
const BASE_KEY_AGE = 15 * MINUTE
/**
 * Minimum time in ms between two removals of a session that seems intact, if the device sends no valid keys. Valid keys
 * replace the session each time.
 */
const RENEWED_ONCE_IN = HOUR
const MAX_RENEWED = 1_000

export interface SessionRenewalDeps {
  repository: NetworkSocket['signalRepository']
  renewSession(jid: string): Promise<void>
  clock: Clock
  log: Pick<Logger, 'warn'>
}

/**
 * Renews the session with the device. The new session uses the keys in the receipt. If the receipt has no valid keys,
 * it uses keys from the network, but only if `mayFetch` returns true.
 */
export type RenewSession = (request: RetryRequest, mayFetch: () => boolean) => Promise<void>

export function createSessionRenewal({ repository, renewSession, clock, log }: SessionRenewalDeps): RenewSession {
  const baseKeys = bounded<Uint8Array>(MAX_BASE_KEYS, BASE_KEY_AGE, clock.now)
  const renewed = bounded<true>(MAX_RENEWED, RENEWED_ONCE_IN, clock.now)

  async function inject({ id, asker, receipt }: RetryRequest): Promise<boolean> {
    const session = extractE2ESessionFromRetryReceipt(receipt)
    if (!session) return false
    try {
      await repository.injectE2ESession({ jid: asker, session })
      return true
    } catch (error) {
      escalateTrap(error)
      log.warn({ err: error, message_id: id }, 'the keys in a retry receipt are invalid')
      return false
    }
  }

  /** Whether the session still has the base key that it had at the request with the number `BASE_KEY_CHECK_RETRY`. */
  function isStuck({ id, asker, count }: RetryRequest, baseKey: Uint8Array): boolean {
    const about = `${repository.jidToSignalProtocolAddress(asker)} ${id}`
    if (count === BASE_KEY_CHECK_RETRY) baseKeys.set(about, baseKey)
    if (count <= BASE_KEY_CHECK_RETRY) return false
    const before = baseKeys.get(about)
    baseKeys.delete(about)
    return before !== undefined && Buffer.compare(before, baseKey) === 0
  }

  async function isToBeGivenUp({ asker, count }: RetryRequest): Promise<boolean> {
    if (count < 2) return false
    const { exists } = await repository.validateSession(asker)
    if (exists && renewed.get(asker)) return false
    renewed.set(asker, true)
    return true
  }

  return async function renew(request, mayFetch) {
    const { asker, receipt } = request
    const remove = () => repository.deleteSession([asker])
    const isFresh = await inject(request)
    const before = await repository.getSessionInfo(asker)
    const registration = registrationIn(receipt)
    const isOther = registration !== undefined && before && before.registrationId !== 0 && before.registrationId !== registration
    if (!isFresh && isOther) await remove()
    if (before && isStuck(request, before.baseKey)) await remove()
    if (isFresh || !mayFetch()) return
    if (await isToBeGivenUp(request)) await remove()
    await renewSession(asker)
  }
}
