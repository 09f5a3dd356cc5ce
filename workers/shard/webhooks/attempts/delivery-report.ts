/** Reports each delivery attempt to the operator's log and to the metrics. */
import type { LogRow } from '../../../../src/webhooks/log.ts'
import type { DeliveryResult, OutboxOptions } from '../contract.ts'

const SENTENCES = {
  delivered: 'webhook delivered',
  discarded: 'webhook discarded, because its type no longer has a URL',
  retry: 'webhook attempt failed',
  failed: 'webhook attempt failed',
} as const satisfies Record<DeliveryResult, string>

export const deliveryReport =
  ({ instanceId, log, onResult }: Pick<OutboxOptions, 'instanceId' | 'log' | 'onResult'>) =>
  (eventId: string, { type, attempts, code, error, requestId, ...row }: LogRow, result: DeliveryResult): void => {
    // A discarded event was not posted. The duration in its row is that of an earlier attempt.
    const durationMs = result === 'discarded' ? null : row.durationMs
    const outcome = { event: type, result, attempt: attempts, code, error, duration_ms: durationMs }
    const line = { instance_id: instanceId, event_id: eventId, ...outcome, request_id: requestId }
    // A thousand messages per second may be posted, and a log line would cost as much as the POST. So a successful
    // first attempt without a request id is logged only at the level `debug`.
    const isExpected = attempts === 1 && requestId === undefined
    const level = result !== 'delivered' ? 'warn' : isExpected ? 'debug' : 'info'
    log[level](line, SENTENCES[result])
    onResult?.(type, result, durationMs)
  }
