/**
 * Attributes the CPU time of a shard thread to its instances. `begin` is called where something arrives for one
 * instance. The busy time of the event loop until the next call belongs to that instance, scaled to the CPU time of the
 * thread.
 */
import { performance } from 'node:perf_hooks'
import { threadCpuMs } from './thread-cpu.ts'

export interface WorkMeter {
  begin(instance: string): void
  /** CPU time in ms that an instance has used since the thread began. */
  cpuMs(instance: string): number
  /** Converts the busy time since the last call to CPU time. Call it before `cpuMs` is read. */
  settle(): void
  forget(instance: string): void
}

export interface MeterClocks {
  /** Time in ms that the event loop was not waiting. */
  busyMs(): number
  cpuMs(): number | undefined
}

interface Account {
  busyMs: number
  cpuMs: number
}

const THREAD: MeterClocks = { busyMs: () => performance.eventLoopUtilization().active, cpuMs: threadCpuMs }

export function createWorkMeter(clocks: MeterClocks = THREAD): WorkMeter {
  const accounts = new Map<string, Account>()
  /** Counts work that belongs to no instance. */
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
