/**
 * Checks the connection to the proxy of an instance. A user chose its address, which could be any port of our own
 * network, so the rules for webhook URLs apply.
 */
import { isIPv6, type LookupFunction } from 'node:net'
import type { Ranges } from './addresses.ts'
import { EgressBlocked } from './egress.ts'
import { NameUnresolved, type Resolve, systemResolve } from './resolve.ts'
import { checkProxyAddress, judge } from './targets.ts'

export interface ProxyRoute {
  url: string
  lookup: LookupFunction
}

const REFUSED = 'the address of the proxy is private, loopback or reserved'

/**
 * Returns the URL of the proxy and a look-up that checks its addresses. Throws `EgressBlocked` if the URL contains a
 * refused address, for which no look-up is made.
 */
export function proxyRoute(url: string, allow: Ranges, resolve: Resolve = systemResolve): ProxyRoute {
  if (checkProxyAddress(new URL(url), allow) !== undefined) throw new EgressBlocked(REFUSED)

  async function checked(hostname: string): Promise<{ address: string; family: number }[]> {
    const addresses = await resolve(hostname).catch((cause: unknown) => {
      throw new NameUnresolved('the host name of the proxy could not be resolved', { cause })
    })
    if (addresses.some((address) => judge(address, allow) === 'refused')) throw new EgressBlocked(REFUSED)
    return addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
  }

  return {
    url,
    lookup(hostname, wanted, done) {
      checked(hostname).then(
        (all) => (wanted.all ? done(null, all) : done(null, all[0]!.address, all[0]!.family)),
        (error: Error) => done(error, ''),
      )
    },
  }
}
