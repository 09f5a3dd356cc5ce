/**
 * Links a device to an account that requires its passkey. After the phone has accepted a code, the network requests an
 * assertion, which a person creates in a browser.
 *   awaiting_response       the network's options must be signed; each sent assertion uses one of three attempts
 *   awaiting_confirmation   the network accepted the assertion; the phone continues, or the owner compares the codes and confirms on both sides
 *   linking                 keys and secret were sent to the phone, encrypted; `pair-success` follows, as after a scan
 * The ceremony ends at the latest with the socket. Only the new secret is stored, in the credentials.
 */
import { randomUUID } from 'node:crypto'
import type { BinaryNode } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { type Clock, iso } from '../../../../src/domain/clock.ts'
import { Failure } from '../../../../src/domain/failures.ts'
import type { Assertion, PasskeyError, PasskeyStage, PasskeyState } from '../../../../src/domain/passkey.ts'
import type { NetworkSocket } from '../../network/network-socket.ts'
import { optionsQuery, primaryIdentityIn, requestOptionsIn } from '../../wire/passkey.ts'
import { networkCodeOf } from '../failures.ts'
import { createPasskeyDeadline } from './passkey-deadline.ts'
import { createPasskeyExchange, type PasskeyExchange } from './passkey-exchange.ts'
import { createPasskeyHandoff } from './passkey-handoff.ts'
import { createPasskeyOffer, OPTIONS_LIFE } from './passkey-offer.ts'
import { ConnectionLost, passkeyQuery } from './passkey-query.ts'

/** `lifeMs`: time in ms that is left to sign. */
export interface PasskeyEvents {
  passkeyAsked(lifeMs: number): void
  passkeyAccepted(): void
  passkeyTryAgain(lifeMs: number): void
  passkeyEnded(): void
}

export interface CeremonyDeps {
  sock: Pick<NetworkSocket, 'authState' | 'ev' | 'query'>
  settled(): Promise<void>
  events: PasskeyEvents
  clock: Clock
  steady: Clock
  log: Logger
  /** `error`: the failure to report; null if there is none. */
  onEnd(error: PasskeyError | null): void
  onError(error: PasskeyError): void
}

export type CeremonyState = Omit<PasskeyState, 'last_error'> & { ceremony: string }

export interface Ceremony {
  state(): CeremonyState
  asked(notice: BinaryNode): Promise<void>
  continued(notice: BinaryNode): void
  /** Sends the assertion. Resolves when the network has accepted it. Rejects with a `Failure`. */
  respond(assertion: Assertion): Promise<PasskeyStage>
  confirm(matches: boolean): void
  end(error: PasskeyError | null): void
}

export function createPasskeyCeremony(deps: CeremonyDeps): Ceremony {
  const { sock, events, settled, clock, steady, log } = deps
  const id = randomUUID()
  const query = passkeyQuery(sock)
  const handoff = createPasskeyHandoff(sock, steady)
  const deadline = createPasskeyDeadline(steady)
  const offer = createPasskeyOffer(deadline)
  let exchange: PasskeyExchange | null = null
  let isOver = false

  async function fetchOptions(): Promise<void> {
    try {
      const found = requestOptionsIn(await query(optionsQuery()))
      if (isOver || exchange) return
      if (found === null) throw new Failure('action_failed')
      offer.replace(found)
      events.passkeyAsked(OPTIONS_LIFE)
    } catch (error) {
      refuse(error, 'the network sent no usable passkey options')
    }
  }

  function forgetExchange() {
    exchange?.forget()
    exchange = null
  }

  async function tryAgain(error: PasskeyError): Promise<void> {
    if (isOver) return
    forgetExchange()
    if (offer.attemptsLeft() === 0) return fail(error)
    offer.renew()
    deps.onError(error)
    events.passkeyTryAgain(OPTIONS_LIFE)
    await fetchOptions()
  }

  function fail(error: PasskeyError) {
    if (isOver) return
    end(error)
    events.passkeyEnded()
  }

  function end(error: PasskeyError | null) {
    if (isOver) return
    isOver = true
    deadline.clear()
    forgetExchange()
    handoff.forget()
    offer.withdraw()
    deps.onEnd(error)
  }

  function refuse(error: unknown, sentence: string) {
    if (isOver || error instanceof ConnectionLost) return
    logFailure(log, error, sentence)
    fail('refused')
  }

  const begin = () =>
    createPasskeyExchange({
      query,
      creds: sock.authState.creds,
      settled,
      handoff,
      deadline,
      log,
      onAccepted: events.passkeyAccepted,
      onUnanswered: () => void tryAgain('no_answer_from_phone'),
      onFailed: fail,
      onRefused: refuse,
    })

  return {
    state: () => ({ ceremony: id, expires_at: iso(clock.now() + deadline.leftMs()), ...offer.shown(), ...shown(exchange) }),

    async asked(notice) {
      // A running exchange is about to send the current secret to the phone, so the secret must not change.
      if (exchange) return
      const isAgain = handoff.hasBegun
      handoff.begin()
      await settled()
      if (isOver || exchange) return
      const found = requestOptionsIn(notice)
      if (found) offer.replace(found)
      log.info({ again: isAgain }, 'the network requires the passkey of the account to link this device')
      events.passkeyAsked(deadline.leftMs())
      if (!offer.options()) void fetchOptions()
    },

    continued: (notice) => exchange?.continued(primaryIdentityIn(notice)),

    async respond(assertion) {
      if (exchange) throw new Failure('passkey_not_pending')
      offer.take(assertion)
      const own = begin()
      exchange = own
      try {
        await own.send(assertion)
        return own.stage()
      } catch (error) {
        if (isOver || error instanceof ConnectionLost) throw new Failure('passkey_not_pending')
        logFailure(log, error, 'the network refused the assertion')
        await tryAgain('refused')
        throw error
      }
    },

    confirm(matches) {
      if (!exchange) throw new Failure('passkey_not_pending')
      exchange.confirm(matches)
    },

    end,
  }
}

const shown = (exchange: PasskeyExchange | null) => ({
  stage: exchange?.stage() ?? 'awaiting_response',
  code: exchange?.code() ?? null,
  needs_confirmation: exchange?.needsConfirmation() ?? false,
})

const logFailure = (log: Logger, error: unknown, sentence: string) =>
  log.warn({ code: error instanceof Failure ? error.code : null, network_code: networkCodeOf(error) }, sentence)
