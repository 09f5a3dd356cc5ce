import type { StateStore } from '../contract.ts'
import { removeAll } from '../remove-all.ts'

export function unstorageItems({ get, commit, range }: Pick<StateStore, 'get' | 'commit' | 'range'>) {
  return {
    hasItem: async (key: string) => (await get(key)) !== undefined,
    getItem: async (key: string) => {
      const found = await get(key)
      return found === undefined ? null : Buffer.from(found).toString('utf8')
    },
    getItemRaw: async (key: string) => (await get(key)) ?? null,
    setItem: async (key: string, value: string) => void (await commit({ ops: [[key, Buffer.from(value)]] })),
    setItemRaw: async (key: string, value: Uint8Array) => void (await commit({ ops: [[key, value]] })),
    removeItem: async (key: string) => void (await commit({ ops: [[key, null]] })),
    async getKeys(base = '') {
      const found: string[] = []
      for await (const [key] of range(base)) found.push(key)
      return found
    },
    clear: (base = '') => removeAll({ range, commit }, base),
  }
}
