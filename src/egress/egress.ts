/**
 * Guarded requests to addresses that somebody else chose (webhooks, media by URL, link previews). The resolved
 * addresses of a name are checked, and the connection uses exactly these addresses, so a second look-up cannot give
 * others.
 */
import { isIPv6, type LookupFunction } from 'node:net'
import type { buildConnector as Connectors, Dispatcher } from 'undici'
import { SECOND } from '../domain/clock.ts'
import { literalAddress, type Ranges } from './addresses.ts'
import { type Resolve, systemResolve } from './resolve.ts'
import { judge } from './targets.ts'
import { Agent, type AgentOptions, buildConnector } from './undici.ts'

export class EgressBlocked extends Error {
  readonly code = 'EGRESS_BLOCKED'
}

export interface EgressOptions {
  allow: Ranges
  /** `allow-listed` permits plain http only to addresses of the allow list; `public` also to public addresses. */
  plainHttp: 'allow-listed' | 'public'
  /** Time limit in ms for TCP and TLS together; the name look-up does not count. */
  connectTimeoutMs?: number
  resolve?: Resolve
  dial?: (options: Connectors.Options, addresses: readonly string[], callback: Connectors.Callback) => void
}

export function guardedConnector({
  allow,
  plainHttp,
  connectTimeoutMs = 10_000,
  resolve = systemResolve,
  dial = dialChecked(connectTimeoutMs),
}: EgressOptions): Connectors.connector {
  async function checked({ hostname, protocol }: Connectors.Options): Promise<string[]> {
    const literal = literalAddress(hostname)
    const addresses = literal === undefined ? await resolve(hostname) : [literal]
    const needsAllow = protocol !== 'https:' && plainHttp === 'allow-listed'
    for (const address of addresses) {
      const verdict = judge(address, allow)
      if (verdict === 'refused') throw new EgressBlocked('the address is private, loopback or reserved')
      if (needsAllow && verdict !== 'allowed')
        throw new EgressBlocked('plain http is only allowed to addresses in SVC_EGRESS_ALLOW')
    }
    return addresses
  }

  return (options, callback) => {
    checked(options).then(
      (addresses) => dial(options, addresses, callback),
      (error: Error) => callback(error, null),
    )
  }
}

/** Connects to the checked addresses: the look-up of the connection can return no others. The name is kept for TLS. */
const dialChecked =
  (timeout: number): NonNullable<EgressOptions['dial']> =>
  (options, addresses, callback) => {
    const all = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
    const pinned: LookupFunction = (_hostname, wanted, done) => {
      if (wanted.all) done(null, all)
      else done(null, all[0]!.address, all[0]!.family)
    }
    buildConnector({ timeout, lookup: pinned })(options, callback)
  }

export const createAgent = (options: EgressOptions, agent: AgentOptions = {}): Agent =>
  new Agent({ ...agent, connect: guardedConnector(options) })

export type NetworkError = 'timeout' | 'dns' | 'tls' | 'refused' | 'blocked' | 'connection'

const TIMEOUTS = new Set(['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT'])
const TLS_FAILURE = /^(ERR_TLS|ERR_SSL|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|INVALID_|EPROTO)/

export function networkError(error: unknown): NetworkError {
  for (const { code, name } of causes(error)) {
    if (code === 'EGRESS_BLOCKED') return 'blocked'
    if (TIMEOUTS.has(code) || name === 'TimeoutError') return 'timeout'
    if (code === 'NAME_UNRESOLVED') return 'dns'
    if (code === 'ECONNREFUSED') return 'refused'
    if (TLS_FAILURE.test(code)) return 'tls'
  }
  return 'connection'
}

function* causes(error: unknown): Generator<{ code: string; name: string }> {
  if (!(error instanceof Error)) return
  yield { code: String((error as NodeJS.ErrnoException).code ?? ''), name: error.name }
  if (error instanceof AggregateError) for (const part of error.errors) yield* causes(part)
  yield* causes(error.cause)
}

/**
 * Limits for reading the rest of a body that nobody needs. The rest is read so that the connection can be used again.
 */
const DRAIN_MS = SECOND
const DRAIN_BYTES = 64 * 1024

export async function drain(body: Dispatcher.ResponseData['body']): Promise<void> {
  await body.dump({ limit: DRAIN_BYTES, signal: AbortSignal.timeout(DRAIN_MS) }).catch(() => body.destroy())
}
