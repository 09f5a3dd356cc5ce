/** `instance import --from svc`: imports an instance from another server, with everything that its archive contains. */
import { resolve } from 'node:path'
import {
  type ArrivedArchive,
  type ArrivedInstance,
  archiveSentence,
  arrivedInstance,
  checkArchive,
  stageArrival,
} from '../archive/arrival.ts'
import type { Config } from '../config.ts'
import { readName } from '../domain/display-text.ts'
import { createKillAt } from '../kill-at.ts'
import { openBlobItems } from '../storage/open-store.ts'
import { UsageError } from './command.ts'
import { handOver, refuseOccupied } from './hand-over.ts'
import { readPassphrase } from './passphrase.ts'
import { withStore } from './stored.ts'
import { findWorkspace } from './workspaces.ts'

const NAME = 'instance import'

interface Call {
  config: Config
  options: Readonly<
    Record<'name' | 'workspace' | 'passphrase-file' | 'device', string | undefined> &
      Record<'dry-run' | 'same-token' | 'used-since' | 'json', boolean>
  >
  file: string
  note(line: string): void
}

export async function importArchive({ config, options, file: given, note }: Call): Promise<string> {
  if (options.device !== undefined || options['used-since'])
    throw new UsageError('--device and --used-since have no meaning with --from svc.', NAME)
  const file = resolve(given)
  const passphrase = await readPassphrase(options['passphrase-file'], { isNew: false, command: NAME })
  const found = await checkArchive(file, passphrase)
  const made = arrivedInstance(found, { name: nameOf(options.name), hasSameToken: options['same-token'] })
  const json = options.json
  return withStore(config, async (stored) => {
    const into = await findWorkspace(stored, options.workspace)
    await refuseOccupied(stored, into, found.identity, found.head.id)
    if (options['dry-run']) return shown(json, found, undefined, 'Nothing was written.')
    const target = { ...stored, blobs: await openBlobItems(config.blobs, stored.store), steps: createKillAt(config.killAt) }
    await stageArrival(target, { file, passphrase, found, made, workspace: into.record.id })
    return shown(json, found, made, await handOver(stored, found.head.id, note))
  })
}

function nameOf(given: string | undefined): string | undefined {
  if (given === undefined) return undefined
  const named = readName(given, 100)
  if ('problem' in named) throw new UsageError(`--name ${named.problem}.`, NAME)
  return named.name
}

function shown(isJson: boolean, found: ArrivedArchive, made: ArrivedInstance | undefined, outcome: string): string {
  const { head, records, blobs } = found
  const { id, kind } = head
  if (isJson)
    return `${JSON.stringify({ instance: id, token: made?.token ?? null, kind, made: new Date(head.made).toISOString(), records, media: blobs, outcome })}\n`
  const token = made === undefined || !made.isNewToken ? [] : [`Token:    ${made.token}`]
  return [archiveSentence(found), `Instance: ${id}`, ...token, outcome].map((line) => `${line}\n`).join('')
}
