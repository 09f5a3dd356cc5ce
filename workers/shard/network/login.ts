/** The queries with which a login is completed: the one-time keys are checked, and the network begins to send stanzas. */
import type { BinaryNode } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { activeQuery, hasKeyDigest, keyDigestQuery } from '../wire/login.ts'
import type { OneTimeKeys } from './one-time-keys.ts'

export interface LoginDeps {
  query(node: BinaryNode): Promise<BinaryNode>
  oneTimeKeys: OneTimeKeys
  log: Pick<Logger, 'info'>
}

/** Never rejects: an account is logged in even if the network does not answer these queries. */
export async function login({ query, oneTimeKeys, log }: LoginDeps): Promise<void> {
  await oneTimeKeys.check()
  try {
    await query(activeQuery())
    const answer = await query(keyDigestQuery())
    // The network has lost the keys of this device.
    if (!hasKeyDigest(answer)) await oneTimeKeys.upload()
  } catch (error) {
    log.info({ err: error }, 'the network did not answer a query of the login')
  }
}
