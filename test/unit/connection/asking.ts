import { type Ask, type AskOptions, createAsk } from '../../../workers/shard/connection/ask.ts'
import { actionFailure } from '../../../workers/shard/connection/failures.ts'
import { createMex } from '../../../workers/shard/connection/mex.ts'
import { QUERY_DEADLINE } from '../../../workers/shard/connection/within.ts'
import type { NetworkSocket } from '../../../workers/shard/network/network-socket.ts'

export function askOver(
  played: object,
  ended: AbortSignal = new AbortController().signal,
  options: Partial<AskOptions> = {},
): Ask {
  // The object `played` itself becomes the socket, so a test may replace its functions later.
  const sock = Object.setPrototypeOf(played, { generateMessageTag: () => 'tag' }) as NetworkSocket
  const usual: AskOptions = { deadline: { eachMs: QUERY_DEADLINE }, toFailure: actionFailure }
  return createAsk({ owner: 'test', sock, mex: createMex(sock, {}), ended }, { ...usual, ...options })
}
