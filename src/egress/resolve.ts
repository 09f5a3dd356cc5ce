/**
 * Resolves a name that a user chose, within a deadline. It uses c-ares, because the system's own look-up occupies one
 * of the four threads of the process until a silent name server times out. The hosts file and the search list are read
 * here.
 */
import { Resolver } from 'node:dns/promises'
import { SECOND } from '../domain/clock.ts'
import { canonicalAddress } from './addresses.ts'
import { cachedFile } from './cached-file.ts'

/** Resolves with at least one address, or rejects with `NameUnresolved`. */
export type Resolve = (hostname: string) => Promise<string[]>

export class NameUnresolved extends Error {
  readonly code = 'NAME_UNRESOLVED'
}

export interface ResolveOptions {
  servers?: readonly string[]
  hostsFile?: string
  resolverFile?: string
  deadlineMs?: number
}

/**
 * Initial time limit in ms for one query to one server; c-ares adapts it. Each server is queried up to `QUESTIONS`
 * times, within the deadline.
 */
const QUESTION = 1.5 * SECOND
const QUESTIONS = 3
/**
 * Time in ms that the second of the two queries (IPv4 and IPv6) has after the answer to the first. Some servers never
 * answer one of the two.
 */
const OTHER_FAMILY = 250
const NO_SUCH_NAME: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA'])

export function createResolve(options: ResolveOptions = {}): Resolve {
  const { servers, hostsFile = '/etc/hosts', resolverFile = '/etc/resolv.conf', deadlineMs = 5 * SECOND } = options
  const hosts = cachedFile(hostsFile, parseHosts)
  const search = cachedFile(resolverFile, parseSearch)

  async function ask(name: string, resolver: Resolver): Promise<string[]> {
    const found: string[][] = [[], []]
    const problems: Error[] = []
    let timer: NodeJS.Timeout | undefined
    const questions = [resolver.resolve4(name), resolver.resolve6(name)].map(async (question, index) => {
      try {
        found[index] = await question
        timer ??= setTimeout(() => resolver.cancel(), OTHER_FAMILY)
      } catch (error) {
        problems.push(error as Error)
      }
    })
    await Promise.all(questions)
    clearTimeout(timer)
    const addresses = found.flat()
    const problem = problems.find((error) => !NO_SUCH_NAME.has(String((error as NodeJS.ErrnoException).code)))
    if (addresses.length === 0 && problem) throw new NameUnresolved('the name servers did not answer', { cause: problem })
    return addresses
  }

  return async (hostname) => {
    const name = hostname.toLowerCase().replace(/\.$/, '')
    const known = (await hosts()).get(name)
    if (known) return known
    // `localhost` and names below it are never sent to a name server (RFC 6761).
    if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1', '::1']
    const endsAt = performance.now() + deadlineMs
    for (const candidate of candidates(hostname, await search())) {
      const left = endsAt - performance.now()
      if (left <= 0) break
      const resolver = new Resolver({ timeout: QUESTION, tries: QUESTIONS })
      if (servers) resolver.setServers(servers)
      const deadline = setTimeout(() => resolver.cancel(), left)
      try {
        const addresses = await ask(candidate, resolver)
        if (addresses.length > 0) return addresses
      } finally {
        clearTimeout(deadline)
      }
    }
    throw new NameUnresolved('the host name could not be resolved')
  }
}

export const systemResolve: Resolve = createResolve()

/** Parses the format of hosts(5). Returns the addresses by lower-case name. */
export function parseHosts(text: string): ReadonlyMap<string, string[]> {
  const hosts = new Map<string, string[]>()
  for (const line of text.split('\n')) {
    const [written = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    const address = canonicalAddress(written)
    if (address === undefined) continue
    for (const name of names) {
      const key = name.toLowerCase()
      hosts.set(key, [...(hosts.get(key) ?? []), address])
    }
  }
  return hosts
}

interface Search {
  domains: readonly string[]
  /** Minimum number of dots of a name that is first looked up unchanged. */
  dots: number
}

export function parseSearch(text: string): Search {
  let domains: string[] = []
  let dots = 1
  for (const line of text.split('\n')) {
    const [keyword, ...values] = line
      .replace(/[#;].*/, '')
      .trim()
      .split(/\s+/)
    if (keyword === 'search' || keyword === 'domain') domains = values.map((domain) => domain.replace(/\.$/, '')).filter(Boolean)
    if (keyword !== 'options') continue
    for (const value of values) dots = Number(/^ndots:(\d{1,2})$/.exec(value)?.[1] ?? dots)
  }
  return { domains, dots }
}

function candidates(hostname: string, { domains, dots }: Search): string[] {
  if (hostname.endsWith('.')) return [hostname.slice(0, -1)]
  const completed = domains.map((domain) => `${hostname}.${domain}`)
  return hostname.split('.').length > dots ? [hostname, ...completed] : [...completed, hostname]
}
