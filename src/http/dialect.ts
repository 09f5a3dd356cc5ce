/** In whose words a request to an instance is: those of its header `X-Dialect`, else those that the instance is set to. */
import type { Directory } from '../directory/directory.ts'
import { DIALECTS, type Dialect, OWN_WORDS } from '../domain/dialect.ts'
import { Failure } from '../domain/failures.ts'

export const DIALECT_HEADER = 'X-Dialect'

export interface Dialects {
  /** Undefined: ours. Throws when the header names none. */
  of(path: string, headers: Headers): Dialect | undefined
  /** The same for the answer to a request that was refused, whatever its header says. */
  ofRefused(path: string, headers: Headers): Dialect | undefined
}

const INSTANCE_PATH = /^\/instances\/([^/]+)\/token\/([^/]+)(?:\/|$)/

const isDialect = (word: string): word is Dialect => (DIALECTS as readonly string[]).includes(word)

export function createDialects(directory: Pick<Directory, 'authenticate' | 'dialect'>): Dialects {
  /** A setting of the instance, which is no business of a caller without its token. */
  function ofInstance(path: string): Dialect | undefined {
    const [, instance, token] = INSTANCE_PATH.exec(path) ?? []
    const caller = instance === undefined ? undefined : directory.authenticate(instance, token!)
    return caller && (directory.dialect(caller.instance) ?? undefined)
  }

  function wanted(path: string, headers: Headers): string | undefined {
    return headers.get(DIALECT_HEADER)?.toLowerCase() ?? ofInstance(path)
  }

  return {
    of(path, headers) {
      const word = wanted(path, headers)
      if (word === undefined || word === OWN_WORDS) return undefined
      if (isDialect(word)) return word
      throw Failure.invalid({ path: DIALECT_HEADER, message: `must be ${[...DIALECTS, OWN_WORDS].join(' or ')}` })
    },
    ofRefused(path, headers) {
      if (!INSTANCE_PATH.test(path)) return undefined
      const word = wanted(path, headers)
      return word !== undefined && isDialect(word) ? word : undefined
    },
  }
}
