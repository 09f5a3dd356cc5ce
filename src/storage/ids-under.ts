/** Lists the distinct ids that follow a prefix (`instance:<id>:…`), however many records each id has. */
import type { StateStore } from './contract.ts'

type Store = Pick<StateStore, 'range' | 'ids'>

export async function idsUnder(store: Store, prefix: string): Promise<string[]> {
  if (store.ids !== undefined) return store.ids(prefix)
  const found: string[] = []
  for (let after: string | undefined; ; ) {
    const next = await firstKey(store, prefix, after)
    if (next === undefined) return found
    const id = next.slice(prefix.length).split(':')[0]!
    found.push(id)
    // The character ";" follows ":" directly, so this key sorts after all keys of the id.
    after = `${prefix}${id};`
  }
}

async function firstKey(store: Store, prefix: string, after: string | undefined): Promise<string | undefined> {
  for await (const [key] of store.range(prefix, { limit: 1, ...(after === undefined ? {} : { after }) })) return key
  return undefined
}
