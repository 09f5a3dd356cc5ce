import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { Account } from '../account/account.ts'
import { SECOND } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'
import type { InstanceId, WorkspaceId } from '../domain/ids.ts'
import type { FileFound, FileToRead, ImportInstance, ImportWish } from '../domain/instance-import.ts'
import type { Log } from '../domain/log.ts'
import type { Steps } from '../domain/steps.ts'
import { createKeyedMutex } from '../lib/keyed-mutex.ts'
import { isAlone } from '../storage/beside-members.ts'
import type { StateStore } from '../storage/contract.ts'
import type { KeyRing } from '../storage/key-ring.ts'
import { PRIVATE_FILE } from '../storage/private.ts'
import { keys } from '../storage/record-keys.ts'
import type { Sealer } from '../storage/sealer.ts'
import type { OpenParts } from '../storage/store-backend.ts'
import { refusalOf, waitingImports } from './imports.ts'
import { hasItsId, instanceWith, isThere, knownKeyOf, linkedAs } from './linked.ts'

export interface InstanceImportDeps {
  store: Pick<StateStore, 'get' | 'range'> & Pick<OpenParts, 'members' | 'visitOwner'>
  sealer: Sealer
  keyRing: Pick<KeyRing, 'learn' | 'of'>
  account: Pick<Account, 'workspace' | 'refresh'>
  /** Folder for the uploaded file while it is read. A file that a kill left there is removed later. */
  tempDir: string
  read(file: string, wish: FileToRead): Promise<FileFound>
  stage(file: string, wish: Omit<ImportWish, 'isDry'> & { workspace: string }): Promise<string>
  takeImports(): Promise<void>
  steps: Steps
  log: Log
}

const TAKING = 'importing'
/**
 * Maximum time in ms for which an import waits for another service. If that service has an instance of the same device
 * or is creating one, that service must take the import.
 */
const OTHER_TAKES = 10 * SECOND
const LOOK_AGAIN = 100

/**
 * Creates the import. If the service is killed before the device is staged, no instance is created. If it is killed
 * later than that, its next start creates the instance, although the caller got no answer.
 */
export function createInstanceImport(deps: InstanceImportDeps): ImportInstance {
  const { store, sealer, keyRing, account, tempDir, read, stage, takeImports, steps, log } = deps
  /**
   * Runs one import at a time. The second of two requests with the same device must find the instance that the first
   * one created.
   */
  const mutex = createKeyedMutex()

  async function refuseOccupied(workspace: WorkspaceId, { identity, id }: FileFound): Promise<void> {
    const waiting = await waitingImports(store, sealer)
    const other =
      waiting.find((each) => each.identity === identity)?.id ?? (await instanceWith(identity, store, knownKeyOf(keyRing, store)))
    if (other !== undefined) throw new Failure('already_linked', { message: linkedAs(other) })
    if (id !== undefined && (await isThere(store, id))) throw new Failure('already_linked', { message: hasItsId(id) })
    const { subscription, instancesUsed } = account.workspace(workspace)
    const used = instancesUsed + waiting.filter((each) => each.workspace === workspace).length
    const { instanceSlots } = subscription
    if (used >= instanceSlots)
      throw new Failure('instance_limit_reached', { details: { instance_slots: instanceSlots, instances_used: used } })
  }

  /**
   * Waits until a service has taken the device, for at most `OTHER_TAKES`. Another service may have the instance of
   * this device, or may be creating it.
   */
  async function untilTaken(id: string): Promise<void> {
    if (isAlone(store)) return
    const isWaiting = async () => (await store.get(keys.import(id))) !== undefined
    const endsAt = performance.now() + OTHER_TAKES
    if (await isWaiting()) await store.visitOwner()
    while ((await isWaiting()) && performance.now() < endsAt) await pause(LOOK_AGAIN)
    await account.refresh()
  }

  async function taken(workspace: WorkspaceId, file: string, wish: ImportWish): Promise<InstanceId> {
    const { isDry: _, ...rest } = wish
    const id = await stage(file, { ...rest, workspace })
    // The file may contain the keys of the device without encryption, so it is removed as soon as they are in the
    // store.
    await rm(file)
    await takeImports()
    await untilTaken(id)
    const refusal = await refusalOf(store, id)
    if (refusal) throw refusal
    if (!(await isThere(store, id)))
      throw new Failure('engine_unavailable', {
        message: 'The device is in the store; the next start of the service makes an instance of it.',
      })
    log.info({ instance_id: id, workspace, from: wish.from }, 'an instance was imported by an administrator')
    return id as InstanceId
  }

  return async (workspace, body, wish) => {
    const file = join(tempDir, `import-${randomUUID()}`)
    try {
      await pipeline(body, createWriteStream(file, { flags: 'wx', mode: PRIVATE_FILE }))
      await steps('import:received')
      const found = await read(file, wish)
      return await mutex.run(TAKING, async () => {
        await refuseOccupied(workspace, found)
        return { instance: wish.isDry ? undefined : await taken(workspace, file, wish), report: found.report }
      })
    } finally {
      await rm(file, { force: true })
    }
  }
}
