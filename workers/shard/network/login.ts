/** The queries that follow a successful login: they check the one-time keys on the network, and tell the network to begin with the stanzas. */
import type { BinaryNode } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { activeQuery, hasKeyDigest, keyDigestQuery } from '../wire/login.ts'
import type { OneTimeKeys } from './one-time-keys.ts'

export interface LoginDeps {
  query(node: BinaryNode): Promise<BinaryNode>
  oneTimeKeys: OneTimeKeys
  log: Pick<Logger, 'info'>
}

/** Sends the queries that follow a login. Never rejects, because the account is logged in even if the network does not answer them. */
export async function login({ query, oneTimeKeys, log }: LoginDeps): Promise<void> {
  await oneTimeKeys.check()
  try {
    await query(activeQuery())
    const answer = await query(keyDigestQuery())
    // Without a digest in the answer, the network has lost the one-time keys of this device.
    if (!hasKeyDigest(answer)) await oneTimeKeys.upload()
  } catch (error) {
    log.info({ err: error }, 'the network did not answer a query of the login')
  }
}
