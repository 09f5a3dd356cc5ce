/**
 * One attempt to link with a passkey. If this device cannot prove to the phone that it had the accepted code, the owner
 * compares another code on both sides.
 */
import type { AuthenticationCreds } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { MINUTE } from '../../../../src/domain/clock.ts'
import { Failure } from '../../../../src/domain/failures.ts'
import type { Assertion, PasskeyError, PasskeyStage } from '../../../../src/domain/passkey.ts'
import { nonceQuery, type PrimaryIdentity, prologueQuery, refIn, refQuery, sealedRequestQuery } from '../../wire/passkey.ts'
import { assertionJson } from './passkey-assertion.ts'
import { type Agreement, createPasskeyAttempt, type PasskeyAttempt } from './passkey-attempt.ts'
import type { PasskeyDeadline } from './passkey-deadline.ts'
import type { PasskeyHandoff } from './passkey-handoff.ts'
import { ConnectionLost, type PasskeyQuery } from './passkey-query.ts'

/** Deadline in ms of each wait: for the phone's keys, for the owner's confirmation, and for `pair-success`. */
const WAIT = 2 * MINUTE

export interface ExchangeDeps {
  query: PasskeyQuery
  creds: AuthenticationCreds
  settled(): Promise<void>
  handoff: Pick<PasskeyHandoff, 'proofOf' | 'forget'>
  deadline: PasskeyDeadline
  log: Logger
  onAccepted(): void
  onUnanswered(): void
  onFailed(error: PasskeyError): void
  onRefused(error: unknown, sentence: string): void
}

export type PasskeyExchange = ReturnType<typeof createPasskeyExchange>

export function createPasskeyExchange(deps: ExchangeDeps) {
  const { query, creds, settled, handoff, deadline, log } = deps
  let stage: Exclude<PasskeyStage, 'none'> = 'awaiting_response'
  let keys: PasskeyAttempt | null = null
  /** Whether the stanza with the assertion proves to the phone that this device had the code. */
  let hasProof = false
  let taken: Promise<void> = Promise.resolve()
  /** Whether the phone's key and nonce have arrived. A second notification with them is ignored. */
  let isContinued = false
  let agreement: Agreement | null = null
  let needsConfirmation = false
  let isOver = false

  function accepted() {
    if (isOver) throw new ConnectionLost()
    stage = 'awaiting_confirmation'
    deadline.set(WAIT, deps.onUnanswered)
    deps.onAccepted()
  }

  async function goOn(own: PasskeyAttempt, primary: PrimaryIdentity | null): Promise<void> {
    // If the assertion was refused, its attempt has already ended.
    if (!(await succeeds(taken)) || isOver) return
    deadline.clear()
    const found = primary && agreed(own, primary)
    if (!found) return deps.onUnanswered()
    try {
      await query(nonceQuery(own.nonce))
    } catch (error) {
      // The phone may already have the nonce. A comparison of codes in another attempt would not be safe, so the
      // pairing ends.
      return deps.onRefused(error, 'the network refused the nonce')
    }
    if (isOver) return
    agreement = found
    if (hasProof) return seal(found)
    needsConfirmation = true
    deadline.set(WAIT, () => deps.onFailed('timed_out'))
  }

  function agreed(own: PasskeyAttempt, primary: PrimaryIdentity): Agreement | null {
    try {
      return own.agree(primary)
    } catch (error) {
      log.warn({ err: error }, 'passkey linking: the phone sent an invalid key')
      return null
    }
  }

  async function seal(found: Agreement): Promise<void> {
    needsConfirmation = false
    stage = 'linking'
    deadline.set(WAIT, () => deps.onFailed('no_answer_from_phone'))
    try {
      // `pair-success` is verified with the new secret, and can arrive before the result of the query below. So
      // the secret must be on disk first.
      await settled()
      // If the attempt has ended by now, its keys were overwritten and must not be used.
      if (isOver) return
      await query(sealedRequestQuery(found.seal(creds)))
    } catch (error) {
      deps.onRefused(error, 'the sealed request could not be delivered')
    }
  }

  return {
    stage: () => stage,
    code: () => agreement?.code ?? null,
    needsConfirmation: () => needsConfirmation,

    async send(assertion: Assertion): Promise<void> {
      const json = assertionJson(assertion)
      try {
        const ref = refIn(await query(refQuery()))
        if (ref === null) throw new Failure('action_failed', { message: 'The network named no reference for the answer.' })
        if (isOver) throw new ConnectionLost()
        const own = createPasskeyAttempt(ref)
        const proof = handoff.proofOf(own.payload)
        hasProof = proof !== null
        const credentialId = Buffer.from(assertion.rawId, 'base64url')
        taken = query(prologueQuery({ credentialId, assertion: json, payload: own.payload, proof })).then(accepted)
        // The phone can continue before the network's answer arrives, so the keys are set first.
        keys = own
        await taken
      } finally {
        json.fill(0)
        handoff.forget()
      }
    },

    continued(primary: PrimaryIdentity | null): void {
      if (!keys || isContinued) return
      isContinued = true
      void goOn(keys, primary)
    },

    confirm(matches: boolean): void {
      if (!needsConfirmation || !agreement) throw new Failure('passkey_not_pending')
      if (matches) void seal(agreement)
      else deps.onFailed('codes_differ')
    },

    forget(): void {
      isOver = true
      keys?.forget()
    },
  }
}

const succeeds = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  )
