/** The addresses of a name that somebody else chose. */
import { lookup } from 'node:dns/promises'

/** Rejects with a code that `networkError` knows. */
export type Resolve = (hostname: string) => Promise<string[]>

export const systemResolve: Resolve = async (hostname) => (await lookup(hostname, { all: true })).map(({ address }) => address)
