/**
 * A member of a cluster asks another one whether that one reaches the store. The question names the run of the service
 * that is meant, and only a service with the same secret key can answer, so no other cluster does.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Agent, request } from 'node:https'
import { json } from 'node:stream/consumers'
import type { Member, MemberAnswer } from '../storage/members.ts'
import { LINK_ACTIVE, LINK_REACH } from './link-headers.ts'
import { callerTls } from './peer-key.ts'

export interface ReachCaller {
  /** Never rejects. Resolves with undefined if this run of the member gives no answer before the signal is aborted. */
  ask(member: Member, signal: AbortSignal): Promise<MemberAnswer | undefined>
  close(): void
}

export function createReachCaller(key: Buffer): ReachCaller {
  // A connection that is kept open may have been lost in the meantime, which would look like no answer.
  const agent = new Agent({ ...callerTls(key), keepAlive: false })
  return {
    ask: ({ id, host, port }, signal) =>
      new Promise((resolve) => {
        const headers = { [LINK_ACTIVE]: id, [LINK_REACH]: '1' }
        request({ host, port, agent, path: '/peer/reach', headers, signal }, (response) => {
          answerIn(response).then(resolve, () => resolve(undefined))
        })
          .once('error', () => resolve(undefined))
          .end()
      }),
    close: () => agent.destroy(),
  }
}

const ANSWERS: ReadonlySet<unknown> = new Set<MemberAnswer>(['reaches', 'away'])

async function answerIn(response: IncomingMessage): Promise<MemberAnswer | undefined> {
  const { answer } = (await json(response)) as { answer?: MemberAnswer }
  return response.statusCode === 200 && ANSWERS.has(answer) ? answer : undefined
}

export function answerReach(outgoing: ServerResponse, reachesStore: boolean): void {
  const answer: MemberAnswer = reachesStore ? 'reaches' : 'away'
  outgoing.writeHead(200, { 'Content-Type': 'application/json', Connection: 'close' }).end(JSON.stringify({ answer }))
}
