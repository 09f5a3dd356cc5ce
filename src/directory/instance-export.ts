/** Exports an instance as a stream, for the API. The command `instance export` writes a file in its own process. */
import { ARCHIVE_VERSION, type ArchiveKind, type ArchiveParts, type ExportInstance } from '../domain/archive.ts'
import { VERSION } from '../domain/brand.ts'
import type { Clock } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'
import type { InstanceId } from '../domain/ids.ts'
import type { Log } from '../domain/log.ts'
import type { Engine } from '../engine/engine.ts'
import type { StateStore } from '../storage/contract.ts'
import { keys } from '../storage/record-keys.ts'
import type { Sealer } from '../storage/sealer.ts'
import type { Directory } from './directory.ts'

export interface InstanceExportDeps {
  store: Pick<StateStore, 'get'>
  sealer: Sealer
  keyOf(instance: string): Uint8Array
  engine: Pick<Engine, 'call'>
  directory: Pick<Directory, 'state'>
  clock: Clock
  log: Log
  write(parts: ArchiveParts, passphrase: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>
}

/**
 * Creates the export. An instance that moves is stopped before the first byte and keeps all of its records, so the
 * export can be repeated. If an event still waits for its receiver, this server and the new one may both deliver it,
 * with the same `event_id`.
 */
export function createInstanceExport(deps: InstanceExportDeps): ExportInstance {
  const { store, sealer, keyOf, engine, directory, clock, log, write } = deps

  async function partsOf(id: InstanceId, kind: ArchiveKind): Promise<ArchiveParts> {
    const record = keys.config(id)
    const sealed = await store.get(record)
    if (sealed === undefined) throw new Failure('not_found', { message: 'No instance has this id.' })
    const head = { v: ARCHIVE_VERSION, kind, id, made: clock.now(), release: VERSION }
    return { head, config: sealer.open(record, sealed), ringKey: keyOf(id) }
  }

  /**
   * Whether the instance is linked. If another service has the instance, its state may not have arrived here yet, so
   * the instance is queried.
   */
  const isLinked = async (id: InstanceId): Promise<boolean> =>
    directory.state(id).paired ||
    (await engine.call(id, { kind: 'control', operation: 'instance.pairingState', input: {} })).paired

  return async (id, { kind, passphrase }, signal) => {
    if (!(await isLinked(id)))
      throw new Failure('not_allowed', { message: 'The instance is not linked, so there is nothing to export.' })
    // The records are read first, so that an export that cannot read them fails before the instance is stopped.
    const parts = await partsOf(id, kind)
    if (kind === 'move') await engine.call(id, { kind: 'control', operation: 'instance.move', input: {} })
    log.info({ instance_id: id, kind }, 'an administrator exports an instance')
    return write(parts, passphrase, signal)
  }
}
