/**
 * Changes of instances: each is committed and then applied in memory. A changed configuration is then sent to the shard
 * thread. Changes of one instance run one after the other.
 */
import type { Clock } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'
import type { Log } from '../domain/log.ts'
import type { Engine } from '../engine/engine.ts'
import type { KeyedMutex } from '../lib/keyed-mutex.ts'
import type { MainRecords } from '../storage/main-records/main-records.ts'
import { keys } from '../storage/record-keys.ts'
import type { HeldInstances } from './held-instances.ts'
import type { InstanceRecord } from './instance-object.ts'
import { type instanceRecords, toConfig } from './record.ts'

export interface ChangesDeps {
  main: Pick<MainRecords, 'change'>
  records: ReturnType<typeof instanceRecords>
  held: HeldInstances
  mutex: KeyedMutex
  engine: Pick<Engine, 'configure'>
  clock: Clock
  log: Log
  baseUrl: string | undefined
}

export interface Changes {
  /** Changes the record of an instance. `decide` gets the current record and may throw a `Failure`. */
  change(instance: string, decide: (record: InstanceRecord) => InstanceRecord): Promise<void>
  configure(record: InstanceRecord): Promise<void>
}

export function createChanges({ main, records, held, mutex, engine, clock, log, baseUrl }: ChangesDeps): Changes {
  /**
   * Sends a changed configuration to the shard thread. If the thread is down or does not have the instance, only a
   * warning is logged: the next start uses the stored change.
   */
  async function configure(record: InstanceRecord): Promise<void> {
    try {
      await engine.configure(toConfig(record, baseUrl))
    } catch (err) {
      const isAbsent = err instanceof Failure && (err.code === 'engine_unavailable' || err.code === 'instance_not_found')
      if (!isAbsent) throw err
      log.warn({ err, instance_id: record.id }, 'the shard is down; a configuration change takes effect when it is back')
    }
  }

  return {
    change: (instance, decide) =>
      mutex.run(instance, async () => {
        let configured: InstanceRecord | undefined
        await main.change(() => {
          const before = held.get(instance)
          const record = { ...decide(before), updatedAt: clock.now() }
          const { settings, webhooks, token } = before
          const isSame = settings === record.settings && webhooks === record.webhooks && token === record.token
          configured = isSame ? undefined : record
          return { ops: [records.encode(keys.config(instance), record)] }
        })
        if (configured) await configure(configured)
      }),
    configure,
  }
}
