/**
 * Attributes the CPU time of a shard thread to its instances. All instances share one event loop, so the operating system cannot measure them
 * separately. A piece of work begins where something arrives for one instance: a frame of its socket, a command of the main thread, the end of one of
 * its commits, or the answer to one of its webhooks. `begin` is called at these places. The busy time of the event loop from there to the next such
 * place is attributed to that instance. Other work, such as a timer of the library, is attributed to the instance that was active before it.
 *
 * Busy time is wall-clock time: on a busy machine it includes the time of waiting for a CPU. So it is scaled to the CPU time of the thread.
 */
import { performance } from 'node:perf_hooks'
import { threadCpuMs } from './thread-cpu.ts'

export interface WorkMeter {
  /** Called when the thread begins to work for this instance. */
  begin(instance: string): void
  /** CPU time in ms that an instance has used since the thread began. */
  cpuMs(instance: string): number
  /** Converts the busy time since the last call to CPU time. Called before `cpuMs` is read. */
  settle(): void
  /** Removes an instance that the thread no longer hosts. */
  forget(instance: string): void
}

export interface MeterClocks {
  /** Time in ms that the event loop was not waiting. */
  busyMs(): number
  /** CPU time of the thread in ms; undefined if the platform does not state it. */
  cpuMs(): number | undefined
}

interface Account {
  /** Busy time of the event loop since the last call of `settle`. */
  busyMs: number
  cpuMs: number
}

const THREAD: MeterClocks = { busyMs: () => performance.eventLoopUtilization().active, cpuMs: threadCpuMs }

export function createWorkMeter(clocks: MeterClocks = THREAD): WorkMeter {
  const accounts = new Map<string, Account>()
  /** Counts work that began at none of these places. */
  const nobody: Account = { busyMs: 0, cpuMs: 0 }
  let current = nobody
  let begunAt = clocks.busyMs()
  let settled = { busyMs: begunAt, cpuMs: clocks.cpuMs() }

  function accountOf(instance: string): Account {
    let account = accounts.get(instance)
    if (account === undefined) {
      account = { busyMs: 0, cpuMs: 0 }
      accounts.set(instance, account)
    }
    return account
  }

  function charge() {
    const now = clocks.busyMs()
    current.busyMs += now - begunAt
    begunAt = now
  }

  return {
    begin(instance) {
      charge()
      current = accountOf(instance)
    },
    cpuMs: (instance) => accounts.get(instance)?.cpuMs ?? 0,
    settle() {
      charge()
      const now = { busyMs: begunAt, cpuMs: clocks.cpuMs() }
      const busyMs = now.busyMs - settled.busyMs
      const cpuMs = now.cpuMs === undefined || settled.cpuMs === undefined ? busyMs : now.cpuMs - settled.cpuMs
      settled = now
      for (const account of [nobody, ...accounts.values()]) {
        if (busyMs > 0) account.cpuMs += (account.busyMs / busyMs) * cpuMs
        account.busyMs = 0
      }
    },
    forget(instance) {
      const account = accounts.get(instance)
      if (account === current) {
        charge()
        current = nobody
      }
      accounts.delete(instance)
    },
  }
}
