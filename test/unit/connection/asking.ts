/** Creates the queries of a session, over a socket that the test controls. */
import { EventEmitter } from 'node:events'
import type { WASocket } from '@whiskeysockets/baileys'
import { type Ask, type AskOptions, createAsk } from '../../../workers/shard/connection/ask.ts'
import { actionFailure } from '../../../workers/shard/connection/failures.ts'
import { createMex } from '../../../workers/shard/connection/mex.ts'
import { QUERY_DEADLINE } from '../../../workers/shard/connection/within.ts'

export function askOver(
  played: object,
  ended: AbortSignal = new AbortController().signal,
  options: Partial<AskOptions> = {},
): Ask {
  // The socket uses the object `played` itself, so the test may change its functions later.
  const sock = Object.setPrototypeOf(played, { generateMessageTag: () => 'tag', ws: new EventEmitter() }) as WASocket
  const usual: AskOptions = { deadline: { eachMs: QUERY_DEADLINE }, toFailure: actionFailure }
  return createAsk({ owner: 'test', sock, mex: createMex(sock, {}), ended }, { ...usual, ...options })
}
