/**
 * Operator commands on the store itself: a lost admin key, another workspace. Whoever may run them may read the data folder, so they
 * ask for no credential. They may run beside the service: it takes a new admin key over at once, a new workspace when it is started again.
 */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type StoredWorkspace, workspaceRecords } from './account/records.ts'
import { hashOf, newAdminKey, newWebhookSecret } from './account/secrets.ts'
import { newWebhookSettings } from './account/webhook-settings.ts'
import { complaint } from './complaint.ts'
import { readConfig } from './config.ts'
import { BRAND } from './domain/brand.ts'
import { keys } from './storage/keys.ts'
import { type OpenStore, openStore } from './storage/open.ts'
import { createSealer, type Sealer } from './storage/seal.ts'
import { checkKey, loadSecretKey } from './storage/secret-key.ts'

const USAGE = `Usage:
  npm run cli -- admin-key reset [--workspace <id>]    a new admin key; the old one is void at once
  npm run cli -- workspace create --name <name>        another workspace, with its admin key
  npm run cli -- workspace list
`

const NO_WORKSPACE = 'The store has no workspace yet; start the service once.'

type Records = ReturnType<typeof workspaceRecords>
interface Desk {
  store: OpenStore
  records: Records
}

async function allWorkspaces({ store, records }: Desk): Promise<{ bytes: Uint8Array; record: StoredWorkspace }[]> {
  const found: { bytes: Uint8Array; record: StoredWorkspace }[] = []
  for await (const [key, bytes] of store.range(keys.workspaces)) {
    if (key.endsWith(':self')) found.push({ bytes, record: records.decode(key, bytes) })
  }
  return found.sort((a, b) => a.record.createdAt - b.record.createdAt)
}

async function resetAdminKey(desk: Desk, workspace: string | undefined): Promise<string> {
  if (readConfig().config.adminKey !== null)
    throw new Error('SVC_ADMIN_KEY is set, so the environment owns the admin key; change it there.')
  const all = await allWorkspaces(desk)
  const found = workspace === undefined ? all[0] : all.find(({ record }) => record.id === workspace)
  if (found === undefined) throw new Error(workspace === undefined ? NO_WORKSPACE : `There is no workspace ${workspace}.`)
  const value = newAdminKey()
  await write(desk, { ...found.record, adminKeyHash: hashOf(value) }, found.bytes)
  return `${value}\nShown this once. The old key is void.\n`
}

async function createWorkspace(desk: Desk, name: string | undefined): Promise<string> {
  if (name === undefined || name.length < 1 || name.length > 100)
    throw new Error('A workspace needs --name with 1 to 100 characters.')
  // The first one is the service's to make: it would find this one and make none, and nobody would have the key of `default`.
  if ((await allWorkspaces(desk)).length === 0) throw new Error(NO_WORKSPACE)
  const value = newAdminKey()
  const now = new Date()
  const dueAt = new Date(now)
  dueAt.setUTCFullYear(dueAt.getUTCFullYear() + 10)
  const record: StoredWorkspace = {
    id: randomUUID(),
    name,
    createdAt: now.getTime(),
    subscription: {
      status: 'active',
      trialEndsAt: null,
      dueAt: dueAt.getTime(),
      instanceSlots: readConfig().config.instanceSlots,
    },
    security: { requireApiKey: false, requireClientToken: false, allowlist: { enabled: false, entries: [] } },
    webhooks: newWebhookSettings(newWebhookSecret()),
    instancesUsed: 0,
    adminKeyHash: hashOf(value),
  }
  await write(desk, record, null)
  return `${record.id}\n${value}\nShown this once. Start the service again for it to count.\n`
}

async function write({ store, records }: Desk, record: StoredWorkspace, before: Uint8Array | null): Promise<void> {
  const key = keys.workspace(record.id)
  const isWritten = await store.commit({ guard: { key, equals: before }, ops: [records.encode(key, record)] })
  if (!isWritten) throw new Error('The workspace was changed at the same moment; try again.')
}

async function listWorkspaces(desk: Desk): Promise<string> {
  return (await allWorkspaces(desk)).map(({ record }) => `${record.id}  ${record.name}\n`).join('')
}

async function withStore(command: (desk: Desk) => Promise<string>): Promise<string> {
  const { config } = readConfig()
  const store = await openStore(config.storeUrl)
  try {
    const file = join(config.dataDir, 'secret-key')
    const sealer: Sealer = createSealer(await loadSecretKey({ secretKey: config.secretKey ?? undefined, file, store }))
    await checkKey(store, sealer)
    return await command({ store, records: workspaceRecords(sealer) })
  } finally {
    await store.close()
  }
}

async function run(): Promise<string> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { workspace: { type: 'string' }, name: { type: 'string' } },
  })
  switch (positionals.join(' ')) {
    case 'admin-key reset':
      return withStore((desk) => resetAdminKey(desk, values.workspace))
    case 'workspace create':
      return withStore((desk) => createWorkspace(desk, values.name))
    case 'workspace list':
      return withStore(listWorkspaces)
    default:
      return USAGE
  }
}

run().then(
  (text) => process.stdout.write(text),
  (error: unknown) => {
    process.stderr.write(`${BRAND}: ${complaint(error)}`)
    process.exitCode = 1
  },
)
