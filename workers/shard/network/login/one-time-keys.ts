/**
 * The one-time keys of this device on the network. Another device needs one of them to begin a session. They are on
 * disk before they are uploaded.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { AuthenticationCreds, BinaryNode, SignalKeyStoreWithTransaction } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { SECOND } from '../../../../src/domain/clock.ts'
import { Failure } from '../../../../src/domain/failures.ts'
import { nextOneTimeKeys } from '../../keys/next-one-time-keys.ts'
import { keyUpload } from '../../wire/key-upload.ts'
import { keyCountIn, keyCountQuery } from '../../wire/login.ts'
import { QueryRefused } from '../queries.ts'

export interface OneTimeKeys {
  upload(): Promise<void>
  check(): Promise<void>
}

export interface OneTimeKeysDeps {
  creds: AuthenticationCreds
  keys: SignalKeyStoreWithTransaction
  query(node: BinaryNode): Promise<BinaryNode>
  changed(update: Partial<AuthenticationCreds>): void
  saved(): Promise<void>
  log: Pick<Logger, 'info'>
}

/** Number of keys that are uploaded if the network has none left, as in the library. */
const FIRST = 812
const FEW = 5
/** Maximum number of attempts of an upload. The pause before each further attempt doubles. */
const TRIES = 4
const FIRST_PAUSE = SECOND
const DEADLINE = 30 * SECOND

export function createOneTimeKeys({ creds, keys, query, changed, saved, log }: OneTimeKeysDeps): OneTimeKeys {
  let running: Promise<void> | undefined

  /**
   * Creates keys, waits until the credentials that count them are on disk, and returns the query that uploads the keys.
   * If a kill lost that count, new keys would get the ids of uploaded ones, and first messages could not be read.
   */
  async function nextKeys(count: number): Promise<BinaryNode> {
    const upload = await keys.transaction(async () => {
      const next = await nextOneTimeKeys({ creds, keys }, count)
      changed(next.update)
      return keyUpload(creds, next.keys)
    }, creds.me?.id ?? 'upload-pre-keys')
    await saved()
    return upload
  }

  /**
   * An upload is repeated only if the network refused it. If its outcome is unknown, the next login counts the keys
   * that have arrived.
   */
  async function attempts(count: number, isOver: () => boolean): Promise<void> {
    const upload = await nextKeys(count)
    for (let tries = 1; !isOver(); tries++) {
      try {
        await query(upload)
        return
      } catch (error) {
        if (!(error instanceof QueryRefused) || tries === TRIES) throw error
      }
      await pause(FIRST_PAUSE * 2 ** (tries - 1))
    }
  }

  async function uploaded(count: number): Promise<void> {
    let isOver = false
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Failure('send_timeout')), DEADLINE)
    })
    try {
      await Promise.race([attempts(count, () => isOver), late])
    } finally {
      isOver = true
      clearTimeout(timer)
    }
  }

  const upload = (count: number) => {
    running ??= uploaded(count).finally(() => {
      running = undefined
    })
    return running
  }

  async function isNewestStored() {
    const newest = String(creds.nextPreKeyId - 1)
    return creds.nextPreKeyId <= 1 || (await keys.get('pre-key', [newest]))[newest] !== undefined
  }

  return {
    upload: () => upload(FEW),
    async check() {
      try {
        const answer = await query(keyCountQuery())
        const left = keyCountIn(answer)
        const count = left === 0 ? FIRST : FEW
        if (left <= count || !(await isNewestStored())) await upload(count)
      } catch (error) {
        log.info({ err: error }, 'one-time keys could not be checked or uploaded')
      }
    },
  }
}
