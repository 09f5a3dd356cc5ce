import type { Settings } from '../control/schemas/network.ts'
import { createAnswers } from '../watch/answers.ts'
import { createExpectations } from '../watch/expectations.ts'
import { createTrace } from '../watch/trace.ts'
import { createTrust, type Trust } from '../wire/trust.ts'
import { createFaults } from './faults.ts'
import type { Network } from './model.ts'

/** Initial settings. A reset overwrites the current settings with these, so they must contain every setting. */
export const DEFAULT_SETTINGS: Required<Settings> = {
  auto_contacts: true,
  echo: true,
  receipts: 'read',
  receipt_delay_ms: 50,
  addressing: 'pn',
  mex_ids: 'today',
  snapshots_above: null,
  offline_batches: 'optional',
}

const KEPT_FAILURES = 200

export interface NetworkOptions {
  trust?: Trust
  settings?: Partial<Settings>
  mediaHost?: string | undefined
  upload?: Network['upload']
  changed?: () => void
}

/** Creates the network. `stop` clears its timers. */
export function createNetwork(options: NetworkOptions = {}): Network & { stop(): void } {
  const timers = new Set<NodeJS.Timeout>()
  const failures: string[] = []
  const trace = createTrace()
  const note = (failure: string) => {
    failures.push(failure)
    if (failures.length > KEPT_FAILURES) failures.shift()
  }
  return {
    trust: options.trust ?? createTrust(),
    settings: { ...DEFAULT_SETTINGS, ...options.settings },
    stats: { stanzasIn: 0, stanzasOut: 0, undecryptable: 0, unknownQueries: [], uploads: 0 },
    faults: createFaults(),
    trace,
    expectations: createExpectations(trace),
    answers: createAnswers(),
    calls: new Map(),
    people: new Map(),
    lids: new Map(),
    groups: new Map(),
    newsletters: new Map(),
    connections: new Set(),
    refs: new Map(),
    retiredSecrets: new Set(),
    mediaHost: options.mediaHost,
    upload: options.upload,
    isDown: false,
    forged: new Set(),
    changed: options.changed ?? (() => undefined),
    failures,
    note,
    run(job) {
      job.catch((error: unknown) => note(error instanceof Error ? (error.stack ?? error.message) : String(error)))
    },
    later(delayMs, job) {
      const timer = setTimeout(() => {
        timers.delete(timer)
        job()
      }, delayMs)
      timers.add(timer)
    },
    stop() {
      for (const timer of timers) clearTimeout(timer)
      timers.clear()
    },
  }
}
