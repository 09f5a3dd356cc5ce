/**
 * First and last step of each import by a command. The first checks that no instance has the device or the id, and that
 * the workspace can have one more instance. The last waits up to a minute until the service has created the instance,
 * and up to another minute for its login.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { refusalOf, waitingImports } from '../directory/imports.ts'
import { hasItsId, instanceWith, isThere, linkedAs } from '../directory/linked.ts'
import { MINUTE } from '../domain/clock.ts'
import { keys } from '../storage/record-keys.ts'
import { createSealer } from '../storage/sealer.ts'
import type { Stored } from './stored.ts'
import type { FoundWorkspace } from './workspaces.ts'

const TAKING_MS = MINUTE
const LOGIN_MS = MINUTE
const LOOK_AGAIN_MS = 100

const ENDS: Readonly<Record<string, string>> = {
  connected: 'The instance is connected.',
  logged_out: 'The network has removed this device from the account, so it cannot be moved. Pair the instance by its QR code.',
  banned: 'The network has banned the account.',
  stopped:
    'The instance is stopped. If the other program still runs and took the connection back, stop that program, delete this instance and import again.',
}

/** Throws if an instance already has this device or this id, or if the workspace can have no more instances. */
export async function refuseOccupied(
  { store, sealer, keyOf }: Stored,
  { record }: FoundWorkspace,
  identity: string,
  id?: string,
): Promise<void> {
  const waiting = await waitingImports(store, sealer)
  const other = waiting.find((each) => each.identity === identity)?.id ?? (await instanceWith(identity, store, keyOf))
  if (other !== undefined)
    throw new Error(
      `${linkedAs(other)} To import the device again, first delete that instance while it is stopped: deleting a connected instance logs the device out.`,
    )
  if (id !== undefined && (await isThere(store, id))) throw new Error(`${hasItsId(id)} Delete that instance, then import again.`)
  const { instanceSlots } = record.subscription
  const used = record.instancesUsed + waiting.filter(({ workspace }) => workspace === record.id).length
  if (used >= instanceSlots) throw new Error(`All ${instanceSlots} instance slots of the workspace are in use.`)
}

/**
 * Tells a running service that a device waits for it, and waits for the result. Resolves with a sentence about the
 * state of the instance.
 */
export async function handOver(stored: Stored, id: string, note: (line: string) => void): Promise<string> {
  const { store } = stored
  if (!(await store.visitOwner())) return 'The service is not running; it takes the device over at its next start.'
  note('The service takes the device over.')
  const isTaken = await within(TAKING_MS, async () => {
    const refusal = await refusalOf(store, id)
    if (refusal !== undefined) throw new Error(`The service did not take the device over: ${refusal.message}`)
    return isThere(store, id)
  })
  if (!isTaken) return 'The service has not taken the device over yet; its log says why.'
  let end: string | undefined
  await within(LOGIN_MS, async () => {
    end = ENDS[(await statusOf(stored, id)) ?? '']
    return end !== undefined
  })
  return end ?? 'The instance is not connected yet; GET /status reports its progress.'
}

async function statusOf({ store, keyOf }: Stored, id: string): Promise<string | undefined> {
  const record = keys.runtime(id)
  const sealed = await store.get(record)
  const key = sealed && (await keyOf(id))
  if (!sealed || !key) return undefined
  return (JSON.parse(createSealer(key).open(record, sealed).toString()) as { status: string }).status
}

async function within(ms: number, isDone: () => Promise<boolean>): Promise<boolean> {
  const endsAt = Date.now() + ms
  while (Date.now() < endsAt) {
    if (await isDone()) return true
    await pause(LOOK_AGAIN_MS)
  }
  return false
}
