/** `instance import --from svc`: an instance from another server, with everything that its archive has. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { newInstanceToken } from '../account/credentials.ts'
import { readInstanceArchive } from '../archive/instance-archive.ts'
import type { Config } from '../config.ts'
import { stageArchive } from '../directory/imports.ts'
import { identityIn } from '../directory/linked.ts'
import { archivedRecord } from '../directory/record.ts'
import type { ArchiveParts } from '../domain/archive.ts'
import { readName } from '../domain/display-text.ts'
import { syncFolder } from '../storage/durable-files.ts'
import { PRIVATE_FILE, PRIVATE_FOLDER } from '../storage/private.ts'
import { keys } from '../storage/record-keys.ts'
import { createSealer } from '../storage/sealer.ts'
import { stagedDir } from '../storage/staged-blobs.ts'
import { UsageError } from './command.ts'
import { handOver, refuseOccupied } from './hand-over.ts'
import { readPassphrase } from './passphrase.ts'
import { type Stored, withStore } from './stored.ts'
import { findWorkspace } from './workspaces.ts'

const NAME = 'instance import'
/** Record of the credentials, which is written last at the target. */
const CREDS = 'creds'

interface Call {
  config: Config
  options: Readonly<
    Record<'name' | 'workspace' | 'passphrase-file' | 'device', string | undefined> &
      Record<'dry-run' | 'same-token' | 'used-since' | 'json', boolean>
  >
  file: string
  note(line: string): void
}

interface FoundArchive extends ArchiveParts {
  records: number
  blobs: number
  /** Sealed, as in the archive. */
  creds: Uint8Array
  identity: string
}

export async function importArchive({ config, options, file: given, note }: Call): Promise<string> {
  if (options.device !== undefined || options['used-since'])
    throw new UsageError('--device and --used-since have no meaning with --from svc.', NAME)
  const file = resolve(given)
  const passphrase = await readPassphrase(options['passphrase-file'], { isNew: false, command: NAME })
  // The whole archive is read before anything is written, so that a damaged one changes nothing.
  const found = await checked(file, passphrase)
  const made = instanceOf(found, options)
  const json = options.json
  return withStore(config, async (stored) => {
    const into = await findWorkspace(stored, options.workspace)
    await refuseOccupied(stored, into, found.identity, found.head.id)
    if (options['dry-run']) return shown(json, found, undefined, 'Nothing was written.')
    await stage(stored, config, { file, passphrase, found, made: { ...made, workspace: into.record.id } })
    return shown(json, found, made, await handOver(stored, found.head.id, note))
  })
}

async function checked(file: string, passphrase: string): Promise<FoundArchive> {
  let creds: Uint8Array | undefined
  const parts = await readInstanceArchive(file, passphrase, {
    record(name, value) {
      if (name === CREDS) creds = Buffer.from(value)
    },
    blob() {},
  })
  if (creds === undefined) throw new Error(`The archive ${file} has no credentials, so its instance cannot be connected.`)
  const record = keys.creds(parts.head.id)
  return { ...parts, creds, identity: identityIn(createSealer(parts.ringKey).open(record, creds)) }
}

interface Made {
  name: string
  token: string
  isNewToken: boolean
}

/** Others may have seen a backup since it was made, so its token is only used again if the operator wants that. */
function instanceOf({ head, config }: FoundArchive, options: Call['options']): Made {
  const archived = archivedRecord(Buffer.from(config).toString())
  const isNewToken = head.kind === 'backup' && !options['same-token']
  if (options.name === undefined)
    return { name: archived.name, token: isNewToken ? newInstanceToken() : archived.token, isNewToken }
  const named = readName(options.name, 100)
  if ('problem' in named) throw new UsageError(`--name ${named.problem}.`, NAME)
  return { name: named.name, token: isNewToken ? newInstanceToken() : archived.token, isNewToken }
}

interface Staging {
  file: string
  passphrase: string
  found: FoundArchive
  made: Made & { workspace: string }
}

async function stage({ store, sealer }: Stored, config: Config, { file, passphrase, found, made }: Staging): Promise<void> {
  const { head, ringKey, identity, creds } = found
  const dir = stagedDir(join(config.dataDir, 'blobs'), head.id)
  await rm(dir, { recursive: true, force: true })
  const staged = stageArchive(store, sealer, head.id)
  await readInstanceArchive(file, passphrase, {
    async record(name, value) {
      if (name !== CREDS) await staged.add(name, value)
    },
    async blob(name, bytes) {
      await mkdir(dir, { recursive: true, mode: PRIVATE_FOLDER })
      await writeFile(join(dir, name), bytes, { mode: PRIVATE_FILE, flush: true })
    },
  })
  if (found.blobs > 0) await syncFolder(dir)
  const archive = { config: Buffer.from(found.config).toString(), ringKey: Buffer.from(ringKey).toString('base64') }
  const { workspace, name, token } = made
  await store.commit({ ops: await staged.ops({ workspace, name, token, from: 'svc', identity, archive }, creds) })
}

function shown(isJson: boolean, { head, records, blobs }: FoundArchive, made: Made | undefined, outcome: string): string {
  const { id, kind } = head
  if (isJson)
    return `${JSON.stringify({ instance: id, token: made?.token ?? null, kind, made: new Date(head.made).toISOString(), records, media: blobs, outcome })}\n`
  const token = made === undefined || !made.isNewToken ? [] : [`Token:    ${made.token}`]
  return [
    `The archive has ${records} records and ${blobs} media files, as of ${new Date(head.made).toISOString()}.`,
    `Instance: ${id}`,
    ...token,
    outcome,
  ]
    .map((line) => `${line}\n`)
    .join('')
}
