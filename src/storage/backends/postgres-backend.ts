/**
 * Backend for a PostgreSQL server. Records are rows of one schema; keys and media are rows, too, unless the operator
 * names another place for them.
 */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { VERSION } from '../../domain/brand.ts'
import { blobRows } from '../drivers/postgres/blob-rows.ts'
import { keyRows } from '../drivers/postgres/key-rows.ts'
import { connect } from '../drivers/postgres/link.ts'
import { createMemberList } from '../drivers/postgres/owner/member-list.ts'
import { NODES, nodeOf, nodesIn } from '../drivers/postgres/owner/node-rows.ts'
import type { SchemaTurn } from '../drivers/postgres/owner/schema-lock.ts'
import { joinSchema } from '../drivers/postgres/owner/schema-member.ts'
import { isOwned, ownSchema } from '../drivers/postgres/owner/schema-owner.ts'
import { waitForTurn } from '../drivers/postgres/owner/schema-turn.ts'
import { standbyQuestions } from '../drivers/postgres/owner/standbys.ts'
import { tablesExist } from '../drivers/postgres/tables.ts'
import { type Target, targetOf, threadUrl } from '../drivers/postgres/target.ts'
import { END_THREADS } from '../drivers/postgres/writer.ts'
import { openPostgres } from '../drivers/postgres.ts'
import { keyFiles } from '../key-files.ts'
import { makeDataDir } from '../private.ts'
import type { Backend } from '../store-backend.ts'

/** Time limit in ms for the query whether the store exists. */
const PATIENCE = 60_000
/** Time limit in ms for a statement that may wait for a commit that the server still carries out. */
const LOCKED_WITHIN = 10_000
const SIZE = 'SELECT pg_total_relation_size($1::regclass)'
const TABLE = ['svc_state']
const ALL_NODES = { text: `SELECT ${NODES}` }

export function postgresBackend(url: string): Backend {
  const target = targetOf(url)
  const { shown } = target
  return {
    shown,
    needsSecretKey: true,
    makeFolders: (dataDir) => makeDataDir(dataDir),
    exists: () => exists(target).catch(() => false),
    refuseDamaged: async () => {},
    async check() {
      const driver = await openPostgres({ url, mustExist: true, isReader: true })
      try {
        const [[bytes]] = (await driver.ask({ text: SIZE, values: TABLE })) as [[number]]
        return { records: await driver.count(''), bytes }
      } finally {
        await driver.dispose()
      }
    },
    waitForTurn: (options) => waitForTurn(target, options),
    async open(options) {
      const driver = await openPostgres({ url, ...options })
      // A command that owns the store for a moment gives no node.
      const { node = { id: randomUUID(), name: hostname(), release: VERSION } } = options
      const { cluster } = options
      const members = cluster && createMemberList()
      let isClosing = false
      let hasTakenOver = false
      return {
        ...driver,
        shown,
        threadUrl: threadUrl(url, driver.writer),
        size: () =>
          driver.ask({ text: SIZE, values: TABLE }).then(
            ([row]) => row![0] as number,
            () => 0,
          ),
        keyTable: options.keysDir === undefined ? keyRows(driver, `svc_key of ${shown}`) : keyFiles(options.keysDir),
        blobDriver: blobRows(driver),
        own(onVisit) {
          const holding = {
            writer: driver.writer!,
            threads: options.claims?.all.length ?? 1,
            node,
            ask: driver.ask,
            isClosing: () => isClosing,
            onTakenOver() {
              hasTakenOver = true
            },
            onVisit: onVisit ?? (() => {}),
            onOver: options.onOver ?? (() => {}),
            onUnreached: options.onUnreached ?? (() => {}),
            onUnlisted: options.onUnlisted ?? (() => {}),
            onNodes: options.onNodes ?? (() => {}),
            onHeld: options.onHeld ?? (() => {}),
          }
          return cluster && members
            ? joinSchema(target, { ...holding, cluster, members })
            : ownSchema(target, { ...holding, turn: options.turn as SchemaTurn | undefined })
        },
        members,
        ownerId: driver.writer,
        hasTakenOver: () => hasTakenOver,
        nodes: () => driver.ask(ALL_NODES).then(([row]) => nodesIn(row![0]).map((each) => nodeOf(each, node.id))),
        waitsForTurn: async (standby) => driver.writer !== undefined && standbyQuestions(driver.writer).waitsForTurn(standby),
        endThreads: (thread) => endThreads(target, driver.writer, thread),
        visitOwner: () => isOwned(target),
        async backup() {
          throw new Error(`The store in ${shown} is copied with PostgreSQL's own programs: pg_basebackup or pg_dump.`)
        },
        dispose() {
          isClosing = true
          return driver.dispose()
        },
      }
    },
  }
}

/**
 * Ends the writer of a thread, or those of all threads except the main one if there is no number. It uses a connection
 * of its own, because the statement may wait for a lock, and reads on the same connection would wait, too.
 */
async function endThreads(target: Target, service: string | undefined, thread: number | undefined): Promise<void> {
  const link = await connect(target)
  try {
    await link.ask({ text: END_THREADS, values: [service, thread] }, LOCKED_WITHIN)
  } finally {
    await link.end()
  }
}

async function exists(target: Target): Promise<boolean> {
  const link = await connect(target)
  try {
    const { rows } = await link.ask(tablesExist(target.schema), PATIENCE)
    return rows[0]![1] as boolean
  } finally {
    await link.end()
  }
}
