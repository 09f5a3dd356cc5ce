/**
 * Send safety of one instance: it holds waiting messages as the rules require, and records the first contacts that the rules count. If all settings
 * are off, it holds no message and looks up no chat. A first contact is recorded directly before its message is sent, in the commit of the encryption
 * keys, so a kill cannot lose it or count it twice. First contacts are stored in the account's directory.
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

/** Time after which a look-up that failed is repeated. */
const LOOK_UP_AGAIN = 5 * SECOND

/** Id of the operation that answers a call with a text. Such a text is never held, because the caller has contacted the account first. */
const CALL_ANSWER = 'instance.callReject'

/** The most items to remember whose message goes to another chat than the item names: as many as a queue can hold. */
const MAX_OTHER_CHATS = 1_000

export interface SendSafetyDeps extends Omit<RecipientsDeps, 'directory'>, BudgetReportsDeps {
  directory: Pick<AccountDirectory, 'ready' | 'chat' | 'contacted' | 'withdrawContact' | 'contactsSince'>
}

export interface SafetyReading extends BudgetReadings {
  /** End of the current quiet hours in epoch ms; null outside of quiet hours. */
  quietUntil: number | null
}

/** A message that is about to be sent. `svcId` is absent if it was not in the queue. */
export interface Leaving {
  svcId?: string
  operation: string
  referenceMessageId?: string | null
}

export interface SendSafety {
  /** Policies for the queue. */
  readonly policies: readonly HoldPolicy[]
  /**
   * Called before a message to this chat is sent. A first contact is recorded in the commit of the message's keys. The message may go to another chat
   * than its item says, may not have been in the queue, or may have been converted for so long that quiet hours have begun: so the rules are checked
   * again here. If the message must wait, `TryLater` is thrown for an item, and `held_by_send_safety` for a message that was not in the queue.
   * `isFurther`: an earlier attempt of the message may have reached the network, so it does not wait. The returned function is called if nothing of
   * the message was sent: a first contact then does not count.
   */
  leaving(jid: string, leaving: Leaving, isFurther: boolean): Promise<() => void>
  /**
   * Adds the used-up budgets that were not reported yet to the result of a send. The `delivery` of the send reports
   * them, and the same commit records that they were reported, so a kill neither loses nor repeats them.
   */
  withUsedUp(result: SendResult, queue: Pick<Queue, 'waitingFor'>): Promise<SendResult>
  /** Called when somebody else, or the owner on the phone, wrote in this chat. The directory has recorded the message before. */
  heard(jid: string): void
  /** Called when more may be known about all people: a session has opened, or the phone's history was read. */
  peopleLearned(): void
  /** Called when the settings of send safety may have changed. */
  configured(): void
  /** Returns the use of the budgets. */
  reading(): Promise<SafetyReading>
  /** Called before another account is linked. */
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
  /** Chat of each item that goes to another chat than it names, by service id. Such an item is a private answer to a message in a group. */
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
   * Whether no rule holds the item. This is so if it changes or answers another message, if the recipient has called the account before, or if the
   * network may already know its message.
   */
  const isExempt = ({ operation, referenceMessageId, mayHaveLeft }: Waiting) =>
    mayHaveLeft === true || referenceMessageId !== null || operation === CALL_ANSWER

  /** Creates a policy. `waitOf` decides from the facts about the recipient. */
  const policyOf = (policyClock: Clock, isOn: () => boolean, waitOf: (recipient: Recipient) => Wait | undefined) => {
    const holding = (item: Waiting): Hold | undefined => {
      const recipient = contacts.isLoaded() ? recipients.of(recipientOf(item)) : undefined
      if (!recipient) return { reason: 'pacing', until: policyClock.now() + LOOK_UP_AGAIN }
      const wait = waitOf(recipient)
      if (wait) void steps('safety:held', item.svcId)
      // A wait for an answer does not stop the age of an item: only the other person can end this wait, so without the age limit it might never end.
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

  /** Returns the wait of a message that is about to be sent, with its end in epoch ms. */
  function waitNow(recipient: Recipient): Wait | undefined {
    const wait = paceWait(settings(), recipient, budgets.freeAt)
    const night = quiet()
    if (!wait) return night && quietWait(recipient, clock.now(), night)
    return { ...wait, until: wait.until === null ? null : clock.now() + wait.until - steady.now() }
  }

  /** Creates the error for a message that must wait. An item waits in the queue from now on, for the reason of the rule. */
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
