/**
 * The queries that follow a login: they check the one-time keys, and request that the network begins to send stanzas.
 */
import type { BinaryNode } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { activeQuery, hasKeyDigest, keyDigestQuery } from '../../wire/login.ts'
import { QueryRefused } from '../queries.ts'
import type { OneTimeKeys } from './one-time-keys.ts'

export interface LoginDeps {
  query(node: BinaryNode): Promise<BinaryNode>
  oneTimeKeys: OneTimeKeys
  log: Pick<Logger, 'info'>
}

/** Codes which mean that the network has lost the keys of this device: not found, not acceptable. */
const NO_KEYS = [404, 406]

/** Sends the queries. Never rejects, because the account is logged in even without answers. */
export async function login({ query, oneTimeKeys, log }: LoginDeps): Promise<void> {
  await oneTimeKeys.check()
  try {
    await query(activeQuery())
    if (!(await areKeysThere(query))) await oneTimeKeys.upload()
  } catch (error) {
    log.info({ err: error }, 'the network did not answer a query of the login')
  }
}

async function areKeysThere(query: LoginDeps['query']): Promise<boolean> {
  try {
    return hasKeyDigest(await query(keyDigestQuery()))
  } catch (error) {
    if (error instanceof QueryRefused && NO_KEYS.includes(error.data)) return false
    throw error
  }
}
