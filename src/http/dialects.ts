/**
 * Determines the dialect of a request to an instance: the dialect in the header `X-Dialect`, or without this header the dialect in the settings of
 * the instance.
 */
import type { Directory } from '../directory/directory.ts'
import { DIALECTS, type Dialect, OWN_WORDS } from '../domain/dialect.ts'
import { Failure } from '../domain/failures.ts'

export const DIALECT_HEADER = 'X-Dialect'

export interface Dialects {
  /** Returns the dialect of a request; undefined for none. Throws if the header names an unknown dialect. */
  of(path: string, headers: Headers): Dialect | undefined
  /** Returns the dialect for the answer to a refused request; an invalid header does not matter. */
  ofRefused(path: string, headers: Headers): Dialect | undefined
}

const INSTANCE_PATH = /^\/instances\/([^/]+)\/token\/([^/]+)(?:\/|$)/

const isDialect = (word: string): word is Dialect => (DIALECTS as readonly string[]).includes(word)

export function createDialects(directory: Pick<Directory, 'authenticate' | 'dialect'>): Dialects {
  /** Returns the dialect setting of the instance. Undefined for a caller without the token of the instance, who must not learn the setting. */
  function ofInstance(path: string): Dialect | undefined {
    const [, instance, token] = INSTANCE_PATH.exec(path) ?? []
    const dialect = instance === undefined ? null : directory.dialect(instance)
    // The token is checked again only if the instance has a dialect, because the check takes time.
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
