/** `instance import`: imports a linked device from another program, without pairing it again. */
import { randomUUID } from 'node:crypto'
import type { ProgramName, ReadChoice, ReadDevice } from '../../workers/portability/read-device.ts'
import { newInstanceToken } from '../account/credentials.ts'
import { importOps } from '../directory/imports.ts'
import { MINUTE } from '../domain/clock.ts'
import { IMPORT_SOURCES, type ImportSource } from '../domain/device-bundle.ts'
import { readName } from '../domain/display-text.ts'
import { command, UsageError } from './command.ts'
import { handOver, refuseOccupied } from './hand-over.ts'
import { importArchive } from './import-archive.ts'
import { withStore } from './stored.ts'
import { findWorkspace } from './workspaces.ts'

const NAME = 'instance import'
/**
 * A file that was changed less than this many ms ago counts as in use. The other program may still be running, and both
 * programs would then connect with the same device.
 */
const QUIET_MS = 2 * MINUTE
export const importDevice = command({
  name: NAME,
  summary: 'Import a device that is linked in another program, without pairing again',
  details: [
    'Stop the other program first, for good: a device can be connected in one place only. --from baileys reads the folder of',
    'useMultiFileAuthState (creds.json and the files beside it); whatsmeow and zapo read an SQLite file (with Node 22.13 or newer); these,',
    'evolution, fazer, openwa and waha read a file of JSON rows, or - for standard input, as docs/moving.md shows. --from svc reads an archive of',
    '`instance export`, and the instance keeps its id and, unless it comes from a backup, its token. The id and the token of a new instance are printed',
    'only once. A running service takes the device over and connects it immediately, a stopped one at its next start. --dry-run prints the same',
    'report and changes nothing. The data itself is never changed; delete it once the instance is connected.',
  ].join('\n'),
  arguments: [{ name: 'PATH', about: 'data of the other program: its folder, its SQLite file, a file of rows, or an archive' }],
  options: {
    from: {
      value: '<program>',
      about: 'program that the device comes from: svc, baileys, whatsmeow, zapo, evolution, fazer, openwa or waha',
      required: true,
    },
    device: { value: '<name>', about: 'device to import, if a database of whatsmeow or zapo has several' },
    name: {
      value: '<name>',
      about: 'name of the instance, 1 to 100 characters; if omitted, Imported device, or the name in the archive',
    },
    workspace: { value: '<id>', about: 'id of the workspace; the first one if omitted' },
    'dry-run': { about: 'check and report, change nothing' },
    'used-since': { about: 'accept data that is older than the last use of the device, for example a backup' },
    stopped: {
      about:
        'confirm that the other program is stopped, when it wrote within the last two minutes or when this cannot be checked',
    },
    'passphrase-file': { value: '<file>', about: 'with --from svc: file with the passphrase of the archive; typed if omitted' },
    'same-token': { about: 'with --from svc: keep the token of a backup, too' },
    json: { about: 'print JSON instead of sentences' },
  },
  async run({ config, options, arguments: [path = ''], note }) {
    const { name = 'Imported device', workspace, stopped, json } = options
    const from = programNamed(options.from ?? '')
    if (from === 'svc') return importArchive({ config, options, file: path, note })
    const choice = { isOld: options['used-since'], device: options.device }
    const named = readName(name, 100)
    if ('problem' in named) throw new UsageError(`--name ${named.problem}.`, NAME)
    const isDry = options['dry-run']
    const device = await readFrom(from, path, choice)
    refuseRunning(device, stopped)
    return withStore(config, async (stored) => {
      const into = await findWorkspace(stored, workspace)
      await refuseOccupied(stored, into, device.bundle.identity)
      if (isDry) return shown(json, device, undefined, ['Nothing was written.'])
      const made = { id: randomUUID(), token: newInstanceToken() }
      await stored.store.commit({
        ops: importOps(stored.sealer, { ...made, workspace: into.record.id, name: named.name, from }, device.bundle),
      })
      return shown(json, device, made, [await handOver(stored, made.id, note)])
    })
  },
})

async function readFrom(from: ProgramName, path: string, choice: ReadChoice): Promise<ReadDevice> {
  const { readDevice } = await import('../../workers/portability/read-device.ts')
  return readDevice(from, path, choice)
}

function programNamed(from: string): ImportSource {
  const found = IMPORT_SOURCES.find((name) => name === from)
  if (found === undefined)
    throw new UsageError(`--from is ${JSON.stringify(from)}; it must be one of: ${IMPORT_SOURCES.join(', ')}.`, NAME)
  return found
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
