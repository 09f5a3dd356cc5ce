/** The rows of `svc_home`, which name the service that may write the records of an instance. */
import { isUuid } from '../../../lib/is-uuid.ts'
import type { Homes } from '../../homes.ts'
import { uuids } from './arrays.ts'
import type { HomeChanges } from './fenced-commit.ts'
import type { Question } from './link.ts'

/** A longer statement would delay the commits of all instances. */
const CLAIMED_AT_ONCE = 1_000
/** Nobody takes the home of a service that may write, so the answer stays true for as long as its commits succeed. */
const HELD = 'SELECT instance FROM svc_home WHERE writer = $1 AND instance = ANY ($2::uuid[])'
const ALL = 'SELECT instance FROM svc_home WHERE writer IS NOT NULL'

export interface HomesDeps {
  /** Id of the main thread's writer. Without it no thread of the service can write. */
  service: string | undefined
  commit(changes: HomeChanges): Promise<unknown>
  ask(question: Question): Promise<unknown[][]>
}

export function postgresHomes({ service, commit, ask }: HomesDeps): Homes {
  async function claimSome(instances: readonly string[]): Promise<string[]> {
    await commit({ claims: instances })
    // A commit in doubt does not say what it has claimed, so the homes are read in every case.
    return (await ask({ name: 'homes', text: HELD, values: [service, uuids(instances)] })).flat() as string[]
  }

  return {
    async claim(instances) {
      const held = new Set<string>()
      const all = instances.filter(isUuid)
      for (let from = 0; from < all.length; from += CLAIMED_AT_ONCE)
        for (const each of await claimSome(all.slice(from, from + CLAIMED_AT_ONCE))) held.add(each)
      return held
    },
    release: async (instance) => void (await commit({ releases: [instance] })),
    remove: async (instance) => void (await commit({ removals: [instance] })),
    all: async () => (await ask({ text: ALL })).flat() as string[],
  }
}
