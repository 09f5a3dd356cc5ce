/**
 * Holds waiting messages as the rules of send safety require, and records first contacts with new people. A first
 * contact is recorded in the commit of the message's encryption keys, so a kill cannot lose it or count it twice.
 */
import { type Clock, SECOND } from '../../../../src/domain/clock.ts'
import type { Failure } from '../../../../src/domain/failures.ts'
import { hasBudget, isSendSafetyOn, type QuietHours } from '../../../../src/domain/send-safety.ts'
import { boundedCache } from '../../../../src/lib/bounded-cache.ts'
import type { AccountDirectory } from '../../directory/account-directory.ts'
import { bare } from '../../wire/jid.ts'
import { type Queue, type SendResult, TryLater } from '../contract.ts'
import type { Waiting } from '../item.ts'
import type { ChangeListener, Hold, HoldPolicy } from '../line/holds.ts'
import { type BudgetReadings, type BudgetReportsDeps, createBudgetReports } from './budget-reports.ts'
import { createBudgetEnd, createFirstContacts } from './first-contacts.ts'
import { quietUntil } from './quiet-hours.ts'
import { createRecipients, type RecipientsDeps } from './recipients.ts'
import { refusalOf } from './refusal.ts'
import { paceWait, type QuietUntil, quietWait, type Recipient, type Wait } from './rules.ts'

const LOOK_UP_AGAIN = 5 * SECOND

/**
 * Operation of the text after a rejected call. Send safety never holds this text, because the caller has contacted the
 * account first.
 */
const CALL_ANSWER = 'instance.callReject'

/** Maximum number of entries in `otherChats`. It is the capacity of a queue. */
const MAX_OTHER_CHATS = 1_000

export interface SendSafetyDeps extends Omit<RecipientsDeps, 'directory'>, BudgetReportsDeps {
  directory: Pick<AccountDirectory, 'ready' | 'chat' | 'contacted' | 'withdrawContact' | 'contactsSince'>
}

export interface SafetyReading extends BudgetReadings {
  /** End of the current quiet hours in epoch ms; null outside of quiet hours. */
  quietUntil: number | null
}

export interface Leaving {
  svcId?: string
  operation: string
  referenceMessageId?: string | null
}

export interface SendSafety {
  readonly policies: readonly HoldPolicy[]
  /**
   * Checks the rules right before a message is sent, and counts a first contact. If the message must wait, rejects with
   * `TryLater` for a queued message, and with `held_by_send_safety` for any other. `isFurther`: the network may already
   * know the message, so the message is not held. Call the returned function if nothing was sent.
   */
  leaving(jid: string, leaving: Leaving, isFurther: boolean): Promise<() => void>
  /**
   * Adds the used-up budgets for new people to the `delivery` event of a send. The same commit records that they were
   * reported.
   */
  withUsedUp(result: SendResult, queue: Pick<Queue, 'waitingFor'>): Promise<SendResult>
  /**
   * Checks the waiting messages to this chat again. Called when somebody else, or the owner on the phone, wrote in the
   * chat, after the directory has recorded it.
   */
  heard(jid: string): void
  /**
   * Checks all waiting messages again. Called when a session has opened or the phone's history was read, because more
   * people may be known.
   */
  peopleLearned(): void
  configured(): void
  reading(): Promise<SafetyReading>
  forget(): Promise<void>
}

export function createSendSafety(deps: SendSafetyDeps): SendSafety {
  const { clock, steady, settings, directory, told, steps } = deps
  const recipients = createRecipients(deps)
  const contacts = createFirstContacts(deps)
  const budgets = createBudgetEnd(deps, contacts.times)
  const reports = createBudgetReports(deps, contacts, recipients)
  const quietNow = memo(quietUntil)
  const listeners: ChangeListener[] = []
  /**
   * The chats to which private answers are sent, by `svcId`. Such an item names the group of the answered message, not
   * this chat.
   */
  const otherChats = boundedCache<string, string>(MAX_OTHER_CHATS)
  const recipientOf = ({ svcId, phone }: Pick<Waiting, 'svcId' | 'phone'>) => otherChats.get(svcId) ?? phone

  const changed: ChangeListener = (concerns) => {
    for (const listener of listeners) listener(concerns)
  }
  const changedIfOn: ChangeListener = (concerns) => {
    if (isSendSafetyOn(settings())) changed(concerns)
  }
  recipients.onFound((phones) => changed((item) => phones.has(recipientOf(item))))
  contacts.onLoaded(() => changed())

  const quiet = (): QuietUntil | undefined => {
    const hours = settings().quiet_hours
    return hours === null ? undefined : quietNow(hours)
  }
  const isNight = () => quiet()?.(clock.now()) != null
  const isPaced = () => hasBudget(settings()) || settings().pause_after_unanswered !== null

  /**
   * Whether the rules do not apply to the item: it changes or answers another message, answers a call, or may have left
   * already.
   */
  const isExempt = ({ operation, referenceMessageId, mayHaveLeft }: Waiting) =>
    mayHaveLeft === true || referenceMessageId !== null || operation === CALL_ANSWER

  const policyOf = (policyClock: Clock, isOn: () => boolean, waitOf: (recipient: Recipient) => Wait | undefined) => {
    const holding = (item: Waiting): Hold | undefined => {
      const recipient = contacts.isLoaded() ? recipients.of(recipientOf(item)) : undefined
      if (!recipient) return { reason: 'pacing', until: policyClock.now() + LOOK_UP_AGAIN }
      const wait = waitOf(recipient)
      if (wait) void steps('safety:held', item.svcId)
      // The other person may never answer. So an item that waits for an answer must age, or it might wait forever.
      return wait && { ...wait, stopsAge: wait.reason !== 'unanswered' }
    }
    const policy: HoldPolicy = {
      clock: policyClock,
      holding: (item) => (!isOn() || isExempt(item) ? undefined : holding(item)),
      onChange: (listener) => void listeners.push(listener),
    }
    return policy
  }

  const pace = policyOf(steady, isPaced, (recipient) => paceWait(settings(), recipient, budgets.freeAt))
  const byNight = policyOf(clock, isNight, (recipient) => quietWait(recipient, clock.now(), quiet()!))

  function waitNow(recipient: Recipient): Wait | undefined {
    const wait = paceWait(settings(), recipient, budgets.freeAt)
    const night = quiet()
    if (!wait) return night && quietWait(recipient, clock.now(), night)
    return { ...wait, until: wait.until === null ? null : clock.now() + wait.until - steady.now() }
  }

  /** Returns the error that holds this message. A queued item waits from now on as an item of this chat. */
  function held(wait: Wait, jid: string, svcId: string | undefined): Failure {
    if (svcId === undefined) return refusalOf(wait)
    otherChats.set(svcId, bare(jid))
    return new TryLater(LOOK_UP_AGAIN, { message: `Send safety holds messages to this person (${wait.reason}).` })
  }

  return {
    policies: [pace, byNight],
    async leaving(jid, { svcId, operation, referenceMessageId = null }, isFurther) {
      if (!(isPaced() || isNight()) || operation === CALL_ANSWER) return () => {}
      await contacts.load()
      const recipient = await recipients.at(jid)
      const wait = isFurther || referenceMessageId !== null ? undefined : waitNow(recipient)
      if (wait) throw held(wait, jid, svcId)
      // Between the check and the count there must be no `await`, because another message could be sent in between.
      if (!hasBudget(settings()) || !recipient.isPerson || recipient.isKnown) return () => {}
      directory.contacted(recipient.jids, clock.now())
      const uncount = contacts.add()
      await steps('safety:counted', svcId)
      return () => {
        directory.withdrawContact(recipient.jids)
        uncount()
        changed()
      }
    },
    withUsedUp: reports.withUsedUp,
    heard(jid) {
      if (!isSendSafetyOn(settings())) return
      const isInChat = recipients.inChat(jid)
      changed((item) => isInChat(recipientOf(item)))
    },
    peopleLearned() {
      recipients.refresh()
      budgets.forget()
      changedIfOn()
    },
    configured: () => changed(),
    reading: async () => ({ ...(await reports.reading()), quietUntil: quiet()?.(clock.now()) ?? null }),
    async forget() {
      recipients.clear()
      budgets.forget()
      contacts.forget()
      await told.forget()
    },
  }
}

function memo(make: (hours: QuietHours) => QuietUntil): (hours: QuietHours) => QuietUntil {
  let last: { hours: QuietHours; made: QuietUntil } | undefined
  return (hours) => {
    if (last?.hours !== hours) last = { hours, made: make(hours) }
    return last.made
  }
}
