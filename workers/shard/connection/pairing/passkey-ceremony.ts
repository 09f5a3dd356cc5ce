/**
 * Links a device to an account that requires its passkey (`wire/passkey.ts` has the stanzas). It begins after the phone has accepted a code: the
 * network requests an assertion, a person creates it in a browser, and the API submits it minutes later.
 *
 *   awaiting_response       the network's options must be signed; each sent assertion uses one of three attempts
 *   awaiting_confirmation   the network accepted the assertion; the phone continues by itself, or the owner compares the codes and confirms on
 *                           both sides
 *   linking                 keys and secret were sent to the phone, encrypted; `pair-success` follows, as after a scan
 *
 * A ceremony belongs to one socket and ends with it. Only the new secret is stored, in the credentials.
 */
import { randomUUID } from 'node:crypto'
import type { BinaryNode, WASocket } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { type Clock, iso, MINUTE } from '../../../../src/domain/clock.ts'
import { Failure } from '../../../../src/domain/failures.ts'
import {
  type Assertion,
  PASSKEY_ATTEMPTS,
  type PasskeyError,
  type PasskeyStage,
  type PasskeyState,
} from '../../../../src/domain/passkey.ts'
import { rotateSecret } from '../../baileys/companion-refresh.ts'
import { boundedQuery } from '../../baileys/query.ts'
import {
  nonceQuery,
  optionsQuery,
  type PrimaryIdentity,
  primaryIdentityIn,
  prologueQuery,
  type RequestOptions,
  refIn,
  refQuery,
  requestOptionsIn,
  sealedRequestQuery,
} from '../../wire/passkey.ts'
import { actionFailure, networkCodeOf } from '../failures.ts'
import { QUERY_DEADLINE } from '../within.ts'
import { assertionJson, problemOf } from './passkey-assertion.ts'
import { type Agreement, createPasskeyAttempt, type PasskeyAttempt } from './passkey-attempt.ts'
import { handoffKey, handoffProof } from './passkey-keys.ts'

/** Options expire this long after their arrival; the network refuses an older challenge. */
const OPTIONS_LIFE = 10 * MINUTE
/** The phone accepts the proof that we are the device whose code it accepted only for this long after the network's request. */
const PROOF_LIFE = 5 * MINUTE
/** Deadline of each of the three waits: for the phone's keys, for the owner's confirmation of the code, for `pair-success`. */
const WAIT = 2 * MINUTE
/** Number of assertions that may be refused locally, before they are sent. */
const MAX_REFUSED = 10

/** Events for the table of states. `lifeMs`: time left to sign. */
export interface PasskeyEvents {
  passkeyAsked(lifeMs: number): void
  passkeyAccepted(): void
  passkeyTryAgain(lifeMs: number): void
  passkeyEnded(): void
}

export interface CeremonyDeps {
  sock: Pick<WASocket, 'authState' | 'ev' | 'query'>
  /** Resolves when every change of the credentials is on disk. */
  settled(): Promise<void>
  events: PasskeyEvents
  clock: Clock
  steady: Clock
  log: Logger
  /** The ceremony has ended. `error` is null if the device is linked or the socket was closed on purpose. */
  onEnd(error: PasskeyError | null): void
  /** An attempt failed, and another one follows. */
  onError(error: PasskeyError): void
}

/** `ceremony`: id of the ceremony. */
export type CeremonyState = Omit<PasskeyState, 'last_error'> & { ceremony: string }

export interface Ceremony {
  state(): CeremonyState
  /** The network requests the passkey, for the first time or again. Resolves when the new secret is on disk. */
  asked(notice: BinaryNode): Promise<void>
  /** The phone's key and nonce have arrived. */
  continued(notice: BinaryNode): void
  /** Resolves when the network has accepted the assertion. Rejects with a `Failure`. */
  respond(assertion: Assertion): Promise<PasskeyStage>
  /** The owner states whether the phone shows the same code. */
  confirm(matches: boolean): void
  end(error: PasskeyError | null): void
}

/** The network's error codes are not documented, so each one fails the attempt. */
const ANY_CODE = { otherwise: 'action_failed' } as const

export function createPasskeyCeremony(deps: CeremonyDeps): Ceremony {
  const { sock, events, clock, steady, log } = deps
  const id = randomUUID()
  const { creds } = sock.authState
  let stage: Exclude<PasskeyStage, 'none'> = 'awaiting_response'
  let options: RequestOptions | null = null
  let endsAt = steady.now() + OPTIONS_LIFE
  let attemptsLeft = PASSKEY_ATTEMPTS
  let refused = 0
  let handoff: { key: Buffer; since: number } | null = null
  /** Secret that this ceremony has put into the credentials. */
  let ownSecret: string | null = null
  /** An assertion was submitted and its attempt has not ended. */
  let isGiven = false
  /** Set when the assertion is sent. */
  let attempt: UnderWay | null = null
  let timer: NodeJS.Timeout | undefined
  let isOver = false

  interface UnderWay {
    keys: PasskeyAttempt
    hasProof: boolean
    /** The phone's key and nonce have arrived; a second notification is ignored. */
    isContinued: boolean
    /** Resolves when the network has accepted the assertion. */
    taken: Promise<void>
    agreement: Agreement | null
    needsConfirmation: boolean
  }

  /** Rejects with `ConnectionLost` if the socket has ended, which is handled elsewhere; otherwise with the network's error. */
  async function query(node: BinaryNode): Promise<BinaryNode> {
    try {
      return await boundedQuery(sock, node, QUERY_DEADLINE)
    } catch (error) {
      const failure = actionFailure(error, ANY_CODE)
      throw failure.code === 'instance_not_connected' ? new ConnectionLost() : failure
    }
  }

  /**
   * Derives the handoff key from the secret in the code that the phone accepted, and replaces that secret; the new one is sent to the phone at the
   * end. A repeated request changes nothing, because the phone does not know the new secret yet.
   */
  function handOver() {
    if (creds.advSecretKey === ownSecret) return
    handoff?.key.fill(0)
    handoff = { key: handoffKey(Buffer.from(creds.advSecretKey, 'base64')), since: steady.now() }
    rotateSecret(sock)
    ownSecret = creds.advSecretKey
  }

  function takeHandoff(payload: Uint8Array): Buffer | null {
    const isFresh = handoff !== null && steady.now() - handoff.since <= PROOF_LIFE
    return handoff && isFresh ? handoffProof(handoff.key, payload) : null
  }

  /** A proof is valid for one assertion; later attempts have none. */
  function forgetHandoff() {
    handoff?.key.fill(0)
    handoff = null
  }

  function wait(ms: number, onTimeout: () => void) {
    clearTimeout(timer)
    endsAt = steady.now() + ms
    timer = setTimeout(onTimeout, ms)
  }

  function forgetAttempt() {
    attempt?.keys.forget()
    attempt = null
    isGiven = false
  }

  function offer(found: RequestOptions) {
    options = found
    endsAt = steady.now() + OPTIONS_LIFE
  }

  /** The answer replaces the options that were known before. */
  async function fetchOptions(): Promise<void> {
    try {
      const found = requestOptionsIn(await query(optionsQuery()))
      if (isOver || isGiven) return
      if (found === null) throw new Failure('action_failed')
      offer(found)
      events.passkeyAsked(OPTIONS_LIFE)
    } catch (error) {
      refuse(error, 'the network sent no usable passkey options')
    }
  }

  async function tryAgain(error: PasskeyError): Promise<void> {
    if (isOver) return
    forgetAttempt()
    if (attemptsLeft === 0) return fail(error)
    clearTimeout(timer)
    stage = 'awaiting_response'
    options = null
    endsAt = steady.now() + OPTIONS_LIFE
    deps.onError(error)
    events.passkeyTryAgain(OPTIONS_LIFE)
    await fetchOptions()
  }

  /** Also ends the pairing. */
  function fail(error: PasskeyError) {
    if (isOver) return
    end(error)
    events.passkeyEnded()
  }

  function end(error: PasskeyError | null) {
    if (isOver) return
    isOver = true
    clearTimeout(timer)
    forgetAttempt()
    forgetHandoff()
    options = null
    deps.onEnd(error)
  }

  async function send(assertion: Assertion): Promise<void> {
    const json = assertionJson(assertion)
    try {
      const ref = refIn(await query(refQuery()))
      if (ref === null) throw new Failure('action_failed', { message: 'The network named no reference for the answer.' })
      if (isOver) throw new ConnectionLost()
      const keys = createPasskeyAttempt(ref)
      const proof = takeHandoff(keys.payload)
      const credentialId = Buffer.from(assertion.rawId, 'base64url')
      const taken = query(prologueQuery({ credentialId, assertion: json, payload: keys.payload, proof })).then(accepted)
      // Set before the result arrives, because the phone's continuation can overtake it.
      attempt = { keys, hasProof: proof !== null, isContinued: false, taken, agreement: null, needsConfirmation: false }
      await taken
    } finally {
      json.fill(0)
      forgetHandoff()
    }
  }

  function accepted() {
    if (isOver) throw new ConnectionLost()
    stage = 'awaiting_confirmation'
    wait(WAIT, () => void tryAgain('no_answer_from_phone'))
    events.passkeyAccepted()
  }

  async function goOn(current: UnderWay, primary: PrimaryIdentity | null): Promise<void> {
    // A refused assertion has already ended its attempt.
    if (!(await succeeds(current.taken)) || current !== attempt) return
    clearTimeout(timer)
    const agreement = primary && agreed(current, primary)
    if (!agreement) return tryAgain('no_answer_from_phone')
    try {
      await query(nonceQuery(current.keys.nonce))
    } catch (error) {
      // The phone may have received the nonce, so the codes of another attempt could not be compared safely.
      return refuse(error, 'the network refused the nonce')
    }
    if (current !== attempt) return
    current.agreement = agreement
    if (current.hasProof) return seal(current, agreement)
    current.needsConfirmation = true
    wait(WAIT, () => fail('timed_out'))
  }

  function agreed({ keys }: UnderWay, primary: PrimaryIdentity): Agreement | null {
    try {
      return keys.agree(primary)
    } catch (error) {
      log.warn({ err: error }, 'passkey linking: the phone sent an invalid key')
      return null
    }
  }

  async function seal(current: UnderWay, agreement: Agreement): Promise<void> {
    current.needsConfirmation = false
    stage = 'linking'
    wait(WAIT, () => fail('no_answer_from_phone'))
    try {
      // `pair-success` is verified with the new secret, and can overtake the result of this query.
      await deps.settled()
      // A ceremony that ended in the meantime has overwritten its keys, so nothing may be encrypted with them.
      if (current !== attempt) return
      await query(sealedRequestQuery(agreement.seal(creds)))
    } catch (error) {
      refuse(error, 'the sealed request could not be delivered')
    }
  }

  function refuse(error: unknown, sentence: string) {
    if (isOver || error instanceof ConnectionLost) return
    logFailure(error, sentence)
    fail('refused')
  }

  const logFailure = (error: unknown, sentence: string) =>
    log.warn({ code: error instanceof Failure ? error.code : null, network_code: networkCodeOf(error) }, sentence)

  return {
    state() {
      return {
        ceremony: id,
        stage,
        public_key: stage === 'awaiting_response' ? (options?.publicKey ?? null) : null,
        expires_at: iso(clock.now() + endsAt - steady.now()),
        attempts_left: attemptsLeft,
        code: attempt?.agreement?.code ?? null,
        needs_confirmation: attempt?.needsConfirmation ?? false,
      }
    },

    async asked(notice) {
      // The current secret is about to be sent to the phone, so it must not change.
      if (isGiven) return
      const isAgain = ownSecret !== null
      handOver()
      await deps.settled()
      if (isOver || isGiven) return
      const found = requestOptionsIn(notice)
      if (found) offer(found)
      log.info({ again: isAgain }, 'the network requires the passkey of the account to link this device')
      events.passkeyAsked(endsAt - steady.now())
      if (!options) void fetchOptions()
    },

    continued(notice) {
      if (!attempt || attempt.isContinued) return
      attempt.isContinued = true
      void goOn(attempt, primaryIdentityIn(notice))
    },

    async respond(assertion) {
      if (isGiven || options === null) throw new Failure('passkey_not_pending')
      if (refused >= MAX_REFUSED) throw new Failure('rate_limited', { message: TOO_MANY })
      const problem = problemOf(assertion, options)
      if (problem) {
        refused += 1
        throw Failure.invalid(problem)
      }
      isGiven = true
      attemptsLeft -= 1
      // A challenge is valid for one assertion.
      options = null
      try {
        await send(assertion)
        return stage
      } catch (error) {
        if (isOver || error instanceof ConnectionLost) throw new Failure('passkey_not_pending')
        logFailure(error, 'the network refused the assertion')
        await tryAgain('refused')
        throw error
      }
    },

    confirm(matches) {
      const current = attempt
      if (!current?.needsConfirmation || !current.agreement) throw new Failure('passkey_not_pending')
      if (matches) void seal(current, current.agreement)
      else fail('codes_differ')
    },

    end,
  }
}

/** The socket of the ceremony has ended. */
class ConnectionLost extends Error {}

const TOO_MANY = `${MAX_REFUSED} assertions were refused; restart the pairing.`

const succeeds = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  )
