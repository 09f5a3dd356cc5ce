/** Determines the dialect of a request: the header `X-Dialect` names it, or else the settings of the instance. */
import type { Directory } from '../directory/directory.ts'
import { DIALECTS, type Dialect, OWN_WORDS } from '../domain/dialect.ts'
import { Failure } from '../domain/failures.ts'

export const DIALECT_HEADER = 'X-Dialect'

export interface Dialects {
  /** Returns the dialect of a request; undefined if it uses none. Throws if the header names an unknown dialect. */
  of(path: string, headers: Headers): Dialect | undefined
  ofRefused(path: string, headers: Headers): Dialect | undefined
}

const INSTANCE_PATH = /^\/instances\/([^/]+)\/token\/([^/]+)(?:\/|$)/

const isDialect = (word: string): word is Dialect => (DIALECTS as readonly string[]).includes(word)

export function createDialects(directory: Pick<Directory, 'authenticate' | 'dialect'>): Dialects {
  /**
   * Returns the dialect in the settings of the instance. Returns undefined to a caller without the instance's token,
   * because such a caller must not learn the setting.
   */
  function ofInstance(path: string): Dialect | undefined {
    const [, instance, token] = INSTANCE_PATH.exec(path) ?? []
    const dialect = instance === undefined ? null : directory.dialect(instance)
    // Most instances have no dialect, and checking the token takes time.
    return dialect !== null && directory.authenticate(instance!, token!) ? dialect : undefined
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
