import { ofService, t } from '../texts/t.ts'

export class Refused extends Error {
  readonly status: number
  readonly code: string
  readonly issues: ReadonlyMap<string, string>

  constructor(status: number, code: string, message: string, issues: readonly Issue[] = []) {
    super(message)
    this.status = status
    this.code = code
    this.issues = new Map(issues.map(({ path, message }) => [path, message]))
  }
}

interface Issue {
  path: string
  message: string
}

interface ErrorBody {
  error?: { code?: string; message?: string; details?: { issues?: Issue[] } }
}

/** Statuses that a proxy gives if it cannot reach the service. The service uses them too, but with an error body. */
const OF_A_PROXY: ReadonlySet<number> = new Set([502, 503, 504])

/** Converts a refusal to an error. `body` is the parsed body if the response is JSON, and its text if not. */
export function refusedBy({ status, headers }: Response, body: unknown): Refused {
  const { error } = (body ?? {}) as ErrorBody
  if (error === undefined && OF_A_PROXY.has(status)) return unreachable()
  const wait = headers.get('Retry-After')
  const message =
    (error?.message && ofService(error.message)) ??
    t('The service answered {status} without a reason.', { status: String(status) })
  const more = wait ? ` ${t('Try again in {n} s.', { n: wait })}` : ''
  return new Refused(status, error?.code ?? 'unknown', message + more, error?.details?.issues)
}

export const unreachable = () =>
  new Refused(0, 'unreachable', t('The service does not answer. It may be restarting: try again in a moment.'))
