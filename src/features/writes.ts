/** Declares changes of one group or channel, which the path identifies. */
import type { z } from 'zod'
import type { FailureCode } from '../domain/failures.ts'
import { action, type Route } from './endpoint.ts'
import { Done, PICTURE_DEADLINE, portrait } from './fields.ts'

export interface Place<P extends z.ZodRawShape> {
  path: P
  example: Readonly<Record<string, string>>
  notFound: FailureCode
  errors: readonly FailureCode[]
}

export interface Write<I extends z.ZodRawShape> {
  summary: string
  description?: string
  input: I
  example?: Readonly<Record<string, unknown>>
}

export function writesAt<P extends z.ZodRawShape>({ path, example: at, notFound, errors }: Place<P>) {
  const examples = (name: string, more: object = {}) => [{ name, input: { ...at, ...more }, reply: { value: true } }]
  return {
    write: <const Id extends string, I extends z.ZodRawShape>(id: Id, route: Route, { input, example, ...says }: Write<I>) =>
      action(id, route, {
        ...says,
        notFound,
        errors,
        writes: true,
        input: { ...path, ...input },
        reply: Done,
        examples: examples('write', example),
      }),
    picture: <const Id extends string>(id: Id, route: Route, summary: string) =>
      action(id, route, {
        summary,
        notFound,
        errors: [...errors, 'media_invalid', 'media_download_failed'],
        writes: true,
        deadlineMs: PICTURE_DEADLINE,
        input: { ...path, value: portrait },
        reply: Done,
        examples: examples('picture', { value: 'https://example.com/p.jpg' }),
      }),
  }
}
