import type { operations } from './generated/schema.ts'
import type { CallOptions, SendOptions } from './request.ts'

export type OperationId = keyof operations

type Part<O, Name extends string> = O extends { parameters: { [N in Name]?: infer P } }
  ? [P] extends [undefined]
    ? object
    : NonNullable<P>
  : object
type Body<O> = O extends { requestBody?: infer R } ? ([R] extends [undefined] ? object : BodyIn<NonNullable<R>>) : object
type BodyIn<R> = R extends { content: { 'application/json': infer B } }
  ? B
  : { body: Uint8Array<ArrayBuffer> | Blob | ReadableStream }
type Flat<T> = { [K in keyof T]: T[K] } & unknown

/** The fields of the path, the query and the body of an operation, in one object. */
export type InputOf<Id extends OperationId> = Flat<
  Part<operations[Id], 'path'> & Part<operations[Id], 'query'> & Part<operations[Id], 'header'> & Body<operations[Id]>
>

type Success<O> = O extends { responses: infer R }
  ? R extends { 200: infer A }
    ? A
    : R extends { 201: infer A }
      ? A
      : never
  : never

/** Answer of an operation: the parsed JSON, a text, or the bytes of a file. */
export type OutputOf<Id extends OperationId> =
  Success<operations[Id]> extends { content: infer C }
    ? C extends { 'application/json': infer J }
      ? J
      : [keyof C] extends [`text/${string}`]
        ? string
        : Uint8Array
    : undefined

type HasRequired<T> = Partial<T> extends T ? false : true

/** Parameters of a method: the input may be omitted if none of its fields is required. */
type Args<Input, Options> =
  HasRequired<Input> extends true ? [input: Input, options?: Options] : [input?: Input, options?: Options]

export type Method<Id extends OperationId> = (...args: Args<InputOf<Id>, CallOptions>) => Promise<OutputOf<Id>>

export type SendMethod<Id extends OperationId> = (...args: Args<InputOf<Id>, SendOptions>) => Promise<OutputOf<Id>>
