/**
 * Stores records in the memory of this process, for a sandbox that keeps nothing. The thread that opens `memory:new`
 * owns the records; other threads open the store by the name in `threadUrl`.
 */
import { randomUUID } from 'node:crypto'
import { type Asked, openSharedRows, shareRows } from '../drivers/memory/shared-rows.ts'
import { createSortedRows, type SortedRows } from '../drivers/memory/sorted-rows.ts'
import { memoryDriver } from '../drivers/memory.ts'
import type { KeyTable, Places } from '../key-table.ts'
import { makeDataDir } from '../private.ts'
import { type Backend, NoStore } from '../store-backend.ts'

const NEW = 'new'
const SHOWN = 'the memory of the service'
const NOT_HERE = 'The store is in the memory of the service (SVC_SANDBOX_KEEP=off), so a command cannot open it.'

const refuse = async (): Promise<never> => {
  throw new NoStore(NOT_HERE)
}

export function memoryBackend(name: string): Backend {
  return {
    shown: SHOWN,
    needsSecretKey: false,
    makeFolders: (dataDir) => makeDataDir(dataDir),
    exists: async () => false,
    refuseDamaged: async () => {},
    check: refuse,
    async open(options) {
      if (name === NEW && options.mustExist) return refuse()
      const { rows, threadName, close } = name === NEW ? hold() : await held(name)
      return {
        ...memoryDriver({ rows, onCommit: options.onCommit, close }),
        shown: SHOWN,
        threadUrl: `memory:${threadName}`,
        hasRoom: () => true,
        size: () => rows.size(),
        keyTable: createKeyTable(),
        own: async () => async () => {},
        visitOwner: async () => false,
        backup: refuse,
      }
    },
  }
}

interface Opened {
  rows: Asked
  threadName: string
  close(): void
}

function hold(): Opened {
  const threadName = randomUUID()
  const rows = createSortedRows()
  return { rows: inTurn(rows), threadName, close: shareRows(threadName, rows) }
}

async function held(threadName: string): Promise<Opened> {
  const { close, ...rows } = await openSharedRows(threadName)
  return { rows, threadName, close }
}

const inTurn = (rows: SortedRows): Asked => ({
  get: async (key) => rows.get(key),
  commit: async (batch) => rows.commit(batch),
  page: async (prefix, options) => rows.page(prefix, options),
  count: async (prefix, options) => rows.count(prefix, options),
  size: async () => rows.size(),
})

function createKeyTable(): KeyTable {
  const places = new Map<string, Places>()
  return {
    where: SHOWN,
    whereIs: (name) => `${name} in ${SHOWN}`,
    names: async () => [...places.keys()],
    get: async (name) => places.get(name),
    all: async () => new Map(places),
    async add(name, both) {
      if (!places.has(name)) places.set(name, both)
    },
    async set(name, place, value) {
      const found = places.get(name)
      if (found) places.set(name, place === 0 ? [value, found[1]] : [found[0], value])
    },
    remove: async (name) => void places.delete(name),
    removeDrafts: async () => {},
  }
}
