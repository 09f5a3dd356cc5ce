/** Begins the stop of the process on a signal, or when a handover to a standby or to other members was requested. */
import type { Config } from '../config.ts'
import type { Log } from '../domain/log.ts'
import { endNow } from '../storage/end-now.ts'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/**
 * Calls `stop` once, at the first signal or when `handover` is aborted. A second signal, or the deadline, ends the
 * process immediately. The first signal during a handover has no effect, because it probably comes from a supervisor.
 * Returns a function that removes the listeners of the signals.
 */
export function onStopRequest(
  { shutdownMs }: Pick<Config, 'shutdownMs'>,
  log: Log,
  stop: () => void,
  handover?: AbortSignal,
): () => void {
  let isStopping = false
  let signals = 0
  function begin(why: object) {
    if (isStopping) return
    isStopping = true
    log.info(why, 'stopping')
    setTimeout(() => {
      log.error({}, 'the service did not stop before its deadline; exiting')
      endNow()
    }, shutdownMs + 1_000).unref()
    stop()
  }
  function act(signal: NodeJS.Signals) {
    signals++
    if (signals > 1) endNow()
    else begin({ signal })
  }
  for (const signal of SIGNALS) process.on(signal, act)
  const handOver = () => begin({ handover: true })
  // A handover may be requested before the start has ended.
  if (handover?.aborted) handOver()
  handover?.addEventListener('abort', handOver)
  return () => {
    for (const signal of SIGNALS) process.off(signal, act)
  }
}
