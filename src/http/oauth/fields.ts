/** Parses the small bodies of OAuth requests. Each parameter may appear only once (RFC 6749, 3.1 and 3.2). */
import { type Clock, steadyClock } from '../../domain/clock.ts'
import { receiveText } from '../body.ts'
import { OauthError } from './answers.ts'

const MAX_BODY = 65_536
const FORM = /^application\/x-www-form-urlencoded\s*(;|$)/i
const JSON_TYPE = /^application\/json\s*(;|$)/i

const bad = (description: string) => new OauthError('invalid_request', description)

async function textOf(request: Request, type: RegExp, name: string, clock: Clock): Promise<string> {
  if (!type.test(request.headers.get('Content-Type') ?? '')) throw bad(`must be sent with Content-Type: ${name}`)
  return await receiveText(request, { most: MAX_BODY, tooLong: () => bad('the body is too large'), clock })
}

export interface Fields {
  /** Returns undefined if the parameter is absent or empty. Throws if it is repeated. */
  get(name: string): string | undefined
  must(name: string): string
}

export function fieldsOf(params: URLSearchParams): Fields {
  const get = (name: string) => {
    const values = params.getAll(name)
    if (values.length > 1) throw bad(`${name} must be given once`)
    return values[0] || undefined
  }
  return {
    get,
    must(name) {
      const value = get(name)
      if (value === undefined) throw bad(`${name} is required`)
      return value
    },
  }
}

export const formOf = async (request: Request, clock = steadyClock): Promise<Fields> =>
  fieldsOf(new URLSearchParams(await textOf(request, FORM, 'application/x-www-form-urlencoded', clock)))

export async function jsonOf(request: Request, clock = steadyClock): Promise<Record<string, unknown>> {
  const text = await textOf(request, JSON_TYPE, 'application/json', clock)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw bad('the body must be JSON')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw bad('the body must be a JSON object')
  return value as Record<string, unknown>
}
