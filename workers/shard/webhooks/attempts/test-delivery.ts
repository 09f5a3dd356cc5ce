/** Posts a sample event outside of the queue. Nothing is stored. */
import { Failure } from '../../../../src/domain/failures.ts'
import { urlField } from '../../../../src/domain/instance.ts'
import type { AscendingIds } from '../../../../src/storage/ascending-ids.ts'
import { validSecrets } from '../../../../src/webhooks/delivery/signature.ts'
import type { Outbox, OutboxOptions } from '../contract.ts'
import { eventBytes } from '../finished-event.ts'
import { sampleEvent } from '../sample.ts'

/** Maximum number of characters of the receiver's answer that are returned. */
const ANSWER_CHARS = 1_000
/** Maximum number of bytes that these characters can have, in any charset. */
const ANSWER_BYTES = 4 * ANSWER_CHARS

export interface TestDeliveryDeps
  extends Pick<OutboxOptions, 'instanceId' | 'clock' | 'webhooks' | 'dialect' | 'previousSecret' | 'deliver'> {
  ids: AscendingIds
  stopping: AbortSignal
}

export const testDelivery =
  ({ instanceId, clock, webhooks, dialect, previousSecret, deliver, ids, stopping }: TestDeliveryDeps): Outbox['test'] =>
  async (type) => {
    const settings = webhooks()
    const url = settings[urlField(type)]
    if (url === null) throw new Failure('not_allowed', { message: `This type has no URL; PUT /webhooks/${type} sets one.` })
    const eventId = ids.next()
    const form = { isTest: true, dialect: dialect?.() ?? null }
    const body = eventBytes(instanceId, eventId, sampleEvent(type, clock.now()), settings, form)
    const secrets = [settings.secret, ...validSecrets(previousSecret?.(), clock.now())]
    const attempt = { url, secrets, body, type, eventId, instanceId, attempt: 1, answerBytes: ANSWER_BYTES }
    const { answer, ...outcome } = await deliver(attempt, stopping)
    const shown = answer === undefined ? {} : { answer: [...answer].slice(0, ANSWER_CHARS).join('') }
    return { ...outcome, ...shown, url, eventId }
  }
