/** `instance import`: brings a linked device in from another program, without pairing it again. */
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { ReadChoice, ReadDevice } from '../../workers/portability/read-device.ts'
import { newInstanceToken } from '../account/credentials.ts'
import { importOps, refusalOf, waitingImports } from '../directory/imports.ts'
import { instanceWith } from '../directory/linked.ts'
import { MINUTE } from '../domain/clock.ts'
import { readName } from '../domain/display-text.ts'
import { visitOwner } from '../storage/owner.ts'
import { keys } from '../storage/record-keys.ts'
import { createSealer } from '../storage/seal.ts'
import { command, UsageError } from './command.ts'
import { type Stored, withStore } from './stored.ts'
import { type FoundWorkspace, findWorkspace } from './workspaces.ts'

const NAME = 'instance import'
/**
 * A program that wrote within this time may still be running. Then the copy of its files may be inconsistent, and two programs would be connected as
 * one device.
 */
const QUIET_MS = 2 * MINUTE
/** Time that the command waits for the service to take the device over, and then for the first login. */
const TAKING_MS = MINUTE
const LOGIN_MS = MINUTE
const LOOK_AGAIN_MS = 100

/** Where a first login has come to an end, and what it means there. */
const ENDS: Readonly<Record<string, string>> = {
  connected: 'The instance is connected.',
  logged_out: 'The network has removed this device from the account, so it cannot be moved. Pair the instance by its QR code.',
  banned: 'The network has banned the account.',
  stopped:
    'The instance is stopped. If the other program still runs and took the connection back, stop that program, delete this instance and import again.',
}

export const importDevice = command({
  name: NAME,
  summary: 'Import a device that is linked in another program, without pairing again',
  details: [
    'Stop the other program first, for good: a device can be connected in one place only. --from baileys reads the folder of',
    'useMultiFileAuthState (creds.json and the files beside it); whatsmeow and zapo read an SQLite file (with Node 22.13 or newer); these,',
    'evolution, fazer, openwa and waha read a file of JSON rows, or - for standard input, as docs/moving.md shows. The id and the token of the new instance are printed only once. A running',
    'service takes the device over and connects it immediately, a stopped one at its next start. --dry-run prints the same report and changes',
    'nothing. The folder itself is never changed; delete it once the instance is connected.',
  ].join('\n'),
  arguments: [{ name: 'PATH', about: 'data of the other program: its folder, its SQLite file, or a file of rows' }],
  options: {
    from: {
      value: '<program>',
      about: 'program that the device comes from: baileys, whatsmeow, zapo, evolution, fazer, openwa or waha',
      required: true,
    },
    device: { value: '<name>', about: 'device to import, if a database of whatsmeow or zapo has several' },
    name: { value: '<name>', about: 'name of the instance, 1 to 100 characters; if omitted, Imported device' },
    workspace: { value: '<id>', about: 'id of the workspace; the first one if omitted' },
    'dry-run': { about: 'check and report, change nothing' },
    'used-since': { about: 'accept data that is older than the last use of the device, for example a backup' },
    stopped: {
      about:
        'confirm that the other program is stopped, when it wrote within the last two minutes or when this cannot be checked',
    },
    json: { about: 'print JSON instead of sentences' },
  },
  async run({ config, options, arguments: [path = ''], note }) {
    const { from = '', name = 'Imported device', workspace, stopped, json } = options
    const choice = { isOld: options['used-since'], device: options.device }
    const named = readName(name, 100)
    if ('problem' in named) throw new UsageError(`--name ${named.problem}.`, NAME)
    const isDry = options['dry-run']
    const device = await readFrom(from, path, choice)
    refuseRunning(device, stopped)
    return withStore(config, async (stored) => {
      const into = await findWorkspace(stored, workspace)
      await refuseOccupied(stored, into, device)
      if (isDry) return shown(json, device, undefined, ['Nothing was written.'])
      const made = { id: randomUUID(), token: newInstanceToken() }
      await stored.store.commit({
        ops: importOps(stored.sealer, { ...made, workspace: into.record.id, name: named.name }, device.bundle),
      })
      if (!(await visitOwner(stored.store)))
        return shown(json, device, made, ['The service is not running; it takes the device over at its next start.'])
      note('The service takes the device over.')
      return shown(json, device, made, [await takenOver(stored, made.id)])
    })
  },
})

async function readFrom(from: string, path: string, choice: ReadChoice): Promise<ReadDevice> {
  // The library is loaded by this command alone.
  const { readDevice, SOURCE_NAMES } = await import('../../workers/portability/read-device.ts')
  if (!SOURCE_NAMES.includes(from))
    throw new UsageError(`--from is ${JSON.stringify(from)}; it must be one of: ${SOURCE_NAMES.join(', ')}.`, NAME)
  return readDevice(from, path, choice)
}

function refuseRunning({ writtenAt }: ReadDevice, isStopped: boolean): void {
  if (isStopped) return
  if (writtenAt === undefined)
    throw new Error(
      'A file of rows does not show whether the other program is still running. Stop that program, then add --stopped.',
    )
  if (Date.now() - writtenAt > QUIET_MS) return
  throw new Error(
    'The other program wrote these files within the last two minutes, so it may still be running. Stop it. If it is already stopped, add --stopped.',
  )
}

async function refuseOccupied(
  { store, sealer, keyOf }: Stored,
  { record }: FoundWorkspace,
  { bundle }: ReadDevice,
): Promise<void> {
  const waiting = await waitingImports(store, sealer)
  const other =
    waiting.find(({ identity }) => identity === bundle.identity)?.id ?? (await instanceWith(bundle.identity, store, keyOf))
  if (other !== undefined)
    throw new Error(
      `Instance ${other} is already linked as this device. To import the device again, first delete that instance while it is stopped: deleting a connected instance logs the device out.`,
    )
  const { instanceSlots } = record.subscription
  const used = record.instancesUsed + waiting.filter(({ workspace }) => workspace === record.id).length
  if (used >= instanceSlots) throw new Error(`All ${instanceSlots} instance slots of the workspace are in use.`)
}

/** Resolves with a sentence about where the instance has got to. */
async function takenOver(stored: Stored, id: string): Promise<string> {
  const { store } = stored
  const isTaken = await within(TAKING_MS, async () => {
    const reason = await refusalOf(store, id)
    if (reason !== undefined) throw new Error(`The service did not take the device over: ${reason}`)
    return (await store.get(keys.config(id))) !== undefined
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

function shown(
  isJson: boolean,
  { report, sentences }: ReadDevice,
  made: { id: string; token: string } | undefined,
  outcome: readonly string[],
): string {
  if (isJson)
    return `${JSON.stringify({ instance: made?.id ?? null, token: made?.token ?? null, outcome: outcome.join(' '), report })}\n`
  const ids = made === undefined ? [] : [`Instance: ${made.id}`, `Token:    ${made.token}`]
  return [...sentences, ...ids, ...outcome].map((line) => `${line}\n`).join('')
}
