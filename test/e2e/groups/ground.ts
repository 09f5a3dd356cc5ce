/** Two accounts of the gateway in one network: what the first does to a group, the second hears of. */
import assert from 'node:assert/strict'
import type { z } from 'zod'
import { endpoints } from '../../../src/features/index.ts'
import { chatOf } from '../../harness/places.ts'
import { type Json, joinStage, type Stage, startStage } from '../../harness/stage.ts'

export const ME = '5511999990000'
/** The second account: a member like others. */
export const EVA = '5511999990001'
export const ANA = '5511988880001'
export const BEN = '5511988880002'
export const NOBODY = '5511988880000'

export interface Answer {
  status: number
  body: Json
}

export interface Ground {
  me: Stage
  eva: Stage
  /** Made by `owner`, for everybody of the two accounts unless it says otherwise. */
  group(options?: {
    owner?: string
    participants?: string[]
    settings?: Json
    subject?: string
  }): Promise<{ id: string; chat: string }>
  change(id: string, changes: Json): Promise<unknown>
  people(id: string, action: string, phones: string[], by?: string): Promise<unknown>
  /** Asks for an operation as the first account; an answer that is no failure is held against its schema. */
  ask(operation: string, input: Json): Promise<Answer>
  must(operation: string, input: Json): Promise<Json>
  /** The code of a refusal. */
  refused(operation: string, input: Json): Promise<string>
  /** What the second account hears of a group, by the notification's name. */
  heard(chat: string, notification: string): Promise<Json>
  /** The network answers the next query with such a child with this code, and does nothing. */
  refuses(child: string, code: number, times?: number): Promise<unknown>
  stop(): Promise<void>
}

export async function startGround(): Promise<Ground> {
  const me = await startStage(ME)
  const { world } = me
  const eva = await joinStage(world, EVA, { name: 'Eva' })
  const { sandbox, gateway, receiver } = world
  await sandbox.createContact(ANA, { name: 'Ana' })
  await sandbox.createContact(BEN, { name: 'Ben' })

  async function ask(operation: string, input: Json): Promise<Answer> {
    const endpoint = endpoints.find(({ id }) => id === operation)
    assert.ok(endpoint, operation)
    const rest: Json = { ...input }
    let path = endpoint.path.replace('/instances/{instance_id}/token/{token}', '')
    path = path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = String(rest[name])
      delete rest[name]
      return encodeURIComponent(value)
    })
    const inQuery = endpoint.method === 'GET' || endpoint.method === 'DELETE'
    if (inQuery && Object.keys(rest).length > 0) path += `?${new URLSearchParams(rest as Record<string, string>)}`
    const answer = (await gateway.ask(me.instance, endpoint.method, path, inQuery ? undefined : rest)) as Answer
    if (answer.status < 300) assert.deepEqual((endpoint.reply as z.ZodType).parse(answer.body), answer.body, operation)
    else
      assert.ok(endpoint.errors.includes(codeOf(answer) as never), `${operation} does not declare ${JSON.stringify(answer.body)}`)
    return answer
  }

  return {
    me,
    eva,
    ask,
    async group({ owner = ME, participants = [ME, EVA, ANA], settings, subject = 'Team' } = {}) {
      const { id } = await sandbox.createGroup({ subject, owner, participants, ...(settings ? { settings } : {}) })
      return { id, chat: chatOf(id) }
    },
    change: (id, changes) => sandbox.put(`/groups/${id}`, { by: ANA, ...changes }),
    people: (id, action, phones, by = ANA) => sandbox.post(`/groups/${id}/participants`, { by, action, phones }),
    async must(operation, input) {
      const { status, body } = await ask(operation, input)
      assert.equal(status, 200, `${operation}: ${JSON.stringify(body)}`)
      return body
    },
    async refused(operation, input) {
      const answer = await ask(operation, input)
      assert.ok(answer.status >= 400, `${operation}: ${JSON.stringify(answer.body)}`)
      return codeOf(answer)
    },
    heard: (chat, notification) =>
      receiver.waitFor(
        `${notification} in ${chat}`,
        (event) => event.instance_id === eva.instance.id && event.phone === chat && event.notification === notification,
      ) as Promise<Json>,
    refuses: (child, code, times = 1) =>
      sandbox.fault({ on: 'query', match: { child, phone: ME }, do: { query_error: [code, 'refused'] }, times }),
    stop: () => world.stop(),
  }
}

export const codeOf = ({ body }: Answer): string => (body.error as { code: string } | undefined)?.code ?? ''
export const detailsOf = ({ body }: Answer): Json => (body.error as { details: Json }).details
