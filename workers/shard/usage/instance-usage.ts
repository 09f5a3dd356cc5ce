import type { Clock } from '../../../src/domain/clock.ts'
import type { InstanceWork } from '../../../src/domain/readings.ts'
import type { CounterName, LabelsOf } from '../../../src/metrics/table.ts'
import type { Tally } from '../../../src/metrics/tally.ts'

export type CountedWork = Omit<InstanceWork, 'cpuMs' | 'heldBytes'>

/** `tally` counts for the thread and for this instance; `work` returns the numbers of this instance. */
export function createInstanceUsage(shared: Tally, clock: Clock): { tally: Tally; work(): CountedWork } {
  const work: CountedWork = {
    since: clock.now(),
    sent: 0,
    received: 0,
    reconnects: 0,
    lastSentAt: null,
    lastReceivedAt: null,
  }

  const counts: { readonly [N in CounterName]?: (labels: LabelsOf<N>) => void } = {
    svc_queue_sent_total() {
      work.sent++
      work.lastSentAt = clock.now()
    },
    svc_messages_received_total() {
      work.received++
      work.lastReceivedAt = clock.now()
    },
    // The first connection after the pairing or a start has no reason, and is not a reconnection.
    svc_engine_reconnects_total({ reason }) {
      if (reason !== 'none') work.reconnects++
    },
  }

  return {
    tally: {
      ...shared,
      add(name, labels) {
        shared.add(name, labels)
        counts[name]?.(labels)
      },
    },
    work: () => ({ ...work }),
  }
}
