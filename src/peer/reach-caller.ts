/**
 * Requests of one member of a cluster to another member: to say whether it reaches the store, to leave the cluster, or
 * to look for instances that were given to it.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Agent, request } from 'node:https'
import { json } from 'node:stream/consumers'
import type { Member, MemberAnswer } from '../storage/members.ts'
import { LINK_ACTIVE, LINK_ELSEWHERE, LINK_LEAVE, LINK_LOOK, LINK_REACH } from './link-headers.ts'
import { callerTls } from './peer-key.ts'

/**
 * `leaves`: the member begins to leave. `alone`: no other member can take its instances. `stays`: it cannot end its own
 * process. `undecided`: it stays, because the database did not answer.
 */
export type LeaveAnswer = 'leaves' | 'alone' | 'stays' | 'undecided'

/** These functions never reject. They resolve with undefined if there is no answer in time. */
export interface ReachCaller {
  ask(member: Member, signal: AbortSignal): Promise<MemberAnswer | undefined>
  /** Asks the member to leave the cluster. If there is no answer, it may leave nevertheless. */
  askToLeave(member: Member, signal: AbortSignal): Promise<LeaveAnswer | undefined>
  /** Asks the member to look at once for instances that were given to it. */
  askToLook(member: Member, signal: AbortSignal): Promise<'looks' | undefined>
  close(): void
}

interface Question<A> {
  method: string
  header: string
  path: string
  answers: ReadonlySet<A>
  /** The result if the connection is refused, so nothing listens at the address. */
  refused?: A
  /** The result if another service process answers at this address, for example after a restart. */
  other?: A
}

const REACH: Question<MemberAnswer> = {
  method: 'GET',
  header: LINK_REACH,
  path: '/peer/reach',
  answers: new Set(['reaches', 'away']),
  refused: 'refused',
  other: 'other',
}
const LEAVE: Question<LeaveAnswer> = {
  method: 'POST',
  header: LINK_LEAVE,
  path: '/peer/leave',
  answers: new Set(['leaves', 'alone', 'stays', 'undecided']),
}

const LOOK: Question<'looks'> = { method: 'POST', header: LINK_LOOK, path: '/peer/look', answers: new Set(['looks']) }

export function createReachCaller(key: Buffer): ReachCaller {
  // Each request has a new connection, because the loss of an idle one would look like a service that does not answer.
  const agent = new Agent({ ...callerTls(key), keepAlive: false })

  const put =
    <A>(question: Question<A>) =>
    ({ id, host, port }: Member, signal: AbortSignal): Promise<A | undefined> =>
      new Promise((resolve) => {
        const { method, header, path, refused } = question
        const headers = { [LINK_ACTIVE]: id, [header]: '1' }
        request({ method, host, port, agent, path, headers, signal }, (response) => {
          answerIn(response, question).then(resolve, () => resolve(undefined))
        })
          .once('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ECONNREFUSED' ? refused : undefined))
          .end()
      })

  return { ask: put(REACH), askToLeave: put(LEAVE), askToLook: put(LOOK), close: () => agent.destroy() }
}

async function answerIn<A>(response: IncomingMessage, { answers, other }: Question<A>): Promise<A | undefined> {
  const { answer } = (await json(response)) as { answer?: A }
  if (response.headers[LINK_ELSEWHERE] !== undefined) return other
  return response.statusCode === 200 && answer !== undefined && answers.has(answer) ? answer : undefined
}

export function answerQuestion(outgoing: ServerResponse, answer: MemberAnswer | LeaveAnswer | 'looks'): void {
  outgoing.writeHead(200, { 'Content-Type': 'application/json', Connection: 'close' }).end(JSON.stringify({ answer }))
}
