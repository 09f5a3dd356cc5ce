/**
 * Send safety of one instance: it holds waiting messages as the rules demand, and records the first contacts that the rules count. While all its
 * settings are off, it holds no message and looks up no chat. A first contact is recorded when its message is about to be sent, in the commit of the
 * keys, so after a kill no contact is lost or counted twice. First contacts are stored in the account's directory.
 */
import { type Clock, DAY, HOUR, iso, SECOND } from '../../../../src/domain/clock.ts'
import type { InstanceSettings } from '../../../../src/domain/instance.ts'
import { hasBudget, isSendSafetyOn, type QuietHours } from '../../../../src/domain/send-safety.ts'
import type { Steps } from '../../../../src/domain/steps.ts'
import { boundedCache } from '../../../../src/lib/bounded-cache.ts'
import type { AccountDirectory } from '../../directory/account-directory.ts'
import { bare } from '../../wire/jid.ts'
import { type Queue, type SendResult, TryLater } from '../contract.ts'
import type { Waiting } from '../item.ts'
import type { ChangeListener, Hold, HoldPolicy } from '../line/holds.ts'
import { quietUntil } from './quiet-hours.ts'
import { createRecipients, type RecipientsDeps } from './recipients.ts'
import {
  type Budget,
  budgetsFreeAt,
  budgetsOf,
  type Moment,
  paceWait,
  type QuietUntil,
  quietWait,
  type Recipient,
  type Wait,
} from './rules.ts'
import type { ToldBudgets } from './told-budgets.ts'

/** Time after which a look-up that failed is repeated. */
const LOOK_UP_AGAIN = 5 * SECOND

/** Operation of texts that answer a call. They are never held, because the caller has contacted the account first. */
const CALL_ANSWER = 'instance.callReject'

/** The most items whose message goes to another chat than the item says: as many as a queue can hold. */
const MAX_OTHER_CHATS = 1_000

export interface SendSafetyDeps extends Omit<RecipientsDeps, 'directory'> {
  clock: Clock
  steady: Clock
  settings(): InstanceSettings
  directory: Pick<AccountDirectory, 'ready' | 'chat' | 'contacted' | 'contactsSince'>
  /** Time at which the device was linked, in epoch ms; null if unknown. */
  linkedAt(): number | null
  told: ToldBudgets
  /** Whether anybody receives `delivery` events, which report used-up budgets. */
  isTold(): boolean
  onUntold(error: unknown): void
  /** Steps at which fault tests stop. */
  steps: Steps
}

export interface BudgetReading {
  most: number
  used: number
  /** Time in epoch ms at which the next first contact is possible; null if it is possible now, or never. */
  freeAt: number | null
}

export interface SafetyReading {
  /** Budgets of the last hour and of the last 24 hours; null if there is no limit. */
  hour: BudgetReading | null
  day: BudgetReading | null
  linkedAt: number | null
  /** End of the current quiet hours in epoch ms; null outside of quiet hours. */
  quietUntil: number | null
}

/** A message that is about to be sent; `svcId` is absent for a message that was not in the queue. */
export interface Leaving {
  svcId?: string
  operation: string
  referenceMessageId?: string | null
}

export interface SendSafety {
  /** Policies of the queue. */
  readonly policies: readonly HoldPolicy[]
  /**
   * Called before a message to this chat is sent. A first contact is recorded in the commit of the message's keys. The message may go to another chat
   * than its item says, or may not have been in the queue: so the rules for the budgets and for the pause are checked again here, and `TryLater` is
   * thrown if the message must wait. `isFurther`: an earlier attempt of the message may have reached the network, so it does not wait.
   */
  leaving(jid: string, leaving: Leaving, isFurther: boolean): Promise<void>
  /**
   * Adds the used-up budgets that were not reported yet to the result of a send. The `delivery` of the send reports
   * them, and the same commit records that they were reported, so a kill neither loses nor repeats them.
   */
  withUsedUp(result: SendResult, queue: Pick<Queue, 'waitingFor'>): Promise<SendResult>
  /** Called when somebody else, or the owner on the phone, wrote in this chat. The directory has recorded the message before. */
  heard(jid: string): void
  /** Called when more may be known about all people: a session has opened, or the phone's history was read. */
  peopleLearned(): void
  /** Called when the settings may have changed. */
  configured(): void
  /** Returns the use of the budgets. */
  reading(): Promise<SafetyReading>
  /** Called before another account is linked. */
  forget(): Promise<void>
}

export function createSendSafety(deps: SendSafetyDeps): SendSafety {
  const { clock, steady, settings, directory, linkedAt, told, isTold, onUntold, steps } = deps
  const recipients = createRecipients(deps)
  const contacts = createContacts(deps)
  const budgets = createBudgetEnd(deps, contacts.times)
  const quietNow = memo(quietUntil)
  const listeners: ChangeListener[] = []
  /** Chats of items that go to another chat than they say, by service id: answers in private to a message in a group. */
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
  const state = () => ({ contacts: contacts.times(), linkedAt: linkedAt() })
  const moment = () => ({ at: clock.now(), steady: steady.now() })
  const isPaced = () => hasBudget(settings()) || settings().pause_after_unanswered !== null

  /**
   * Whether no rule holds the item: it refers to another message, which it changes or answers, the caller has contacted the account first, or the
   * network may know it already.
   */
  const isExempt = ({ operation, referenceMessageId, mayHaveLeft }: Waiting) =>
    mayHaveLeft === true || referenceMessageId !== null || operation === CALL_ANSWER

  async function usedUpResult(result: SendResult, queue: Pick<Queue, 'waitingFor'>): Promise<SendResult> {
    await contacts.load()
    const now = moment()
    const spent = budgetsOf(settings(), state(), now).filter(({ used, freeAt }) => used > 0 && freeAt !== undefined)
    if (spent.length === 0) return result
    const { due, op } = await told.due(spent, now.at)
    if (due.length === 0) return result
    const waitingNow = () => queue.waitingFor(['first_contact_budget']).first_contact_budget
    // The first count starts the look-ups of all recipients; until a look-up has ended, its message counts as one that waits for its turn.
    waitingNow()
    await recipients.settled()
    const waiting = waitingNow()
    await steps('safety:told')
    return {
      ...result,
      usedUpBudgets: due.map((budget) => usedUp(budget, waiting, now)),
      commit: () => [...result.commit(), op],
    }
  }

  /** Creates a policy. `waitOf` decides with the facts about the recipient. */
  const policyOf = (policyClock: Clock, isOn: () => boolean, waitOf: (recipient: Recipient) => Wait | undefined) => {
    const holding = (item: Waiting): Hold | undefined => {
      const recipient = contacts.isLoaded() ? recipients.of(recipientOf(item)) : undefined
      if (!recipient) return { reason: 'pacing', until: policyClock.now() + LOOK_UP_AGAIN }
      const wait = waitOf(recipient)
      if (wait) void steps('safety:held', item.svcId)
      // The age of an item is not stopped while it waits for an answer: only a person can end this wait, so without the age limit it might never end.
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
  const byNight = policyOf(
    clock,
    () => quiet()?.(clock.now()) != null,
    (recipient) => quietWait(recipient, clock.now(), quiet()!),
  )

  /** Creates the error for a message that must wait. An item waits in the queue from now on, for the reason of the rule. */
  function held({ reason }: Wait, jid: string, svcId: string | undefined): TryLater {
    if (svcId !== undefined) otherChats.set(svcId, bare(jid))
    return new TryLater(LOOK_UP_AGAIN, {
      message: `Send safety holds messages to this person (${reason}); GET /send-safety says until when.`,
      details: { waiting_reason: reason },
    })
  }

  return {
    policies: [pace, byNight],
    async leaving(jid, { svcId, operation, referenceMessageId = null }, isFurther) {
      if (!isPaced() || operation === CALL_ANSWER) return
      await contacts.load()
      const recipient = await recipients.at(jid)
      const wait = isFurther || referenceMessageId !== null ? undefined : paceWait(settings(), recipient, budgets.freeAt)
      if (wait) throw held(wait, jid, svcId)
      // Nothing may be awaited between the check and the count, because another message may leave meanwhile.
      if (!hasBudget(settings()) || !recipient.isPerson || recipient.isKnown) return
      directory.contacted(recipient.jids, clock.now())
      contacts.add()
      await steps('safety:counted', svcId)
    },
    async withUsedUp(result, queue) {
      if (!hasBudget(settings()) || !isTold()) return result
      try {
        return await usedUpResult(result, queue)
      } catch (error) {
        // The message was sent, so its result counts; the next send reports the budget.
        onUntold(error)
        return result
      }
    },
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
    async reading() {
      await contacts.load()
      const now = moment()
      const used = budgetsOf(settings(), state(), now)
      return {
        hour: readingOf(used, HOUR, now),
        day: readingOf(used, DAY, now),
        linkedAt: linkedAt(),
        quietUntil: quiet()?.(now.at) ?? null,
      }
    },
    async forget() {
      recipients.clear()
      budgets.forget()
      contacts.forget()
      await told.forget()
    },
  }
}

/** Returns a used-up budget in the form of the event. */
const usedUp = ({ ms, most, used, freeAt = Number.POSITIVE_INFINITY }: Budget, waiting: number, { at, steady }: Moment) => ({
  period: ms === HOUR ? ('hour' as const) : ('day' as const),
  limit: most,
  used,
  free_at: Number.isFinite(freeAt) ? iso(at + (freeAt - steady)) : null,
  waiting,
})

function readingOf(budgets: readonly Budget[], ms: number, { at, steady }: Moment): BudgetReading | null {
  const budget = budgets.find((each) => each.ms === ms)
  if (budget === undefined) return null
  const { most, used, freeAt = Number.POSITIVE_INFINITY } = budget
  return { most, used, freeAt: Number.isFinite(freeAt) ? at + (freeAt - steady) : null }
}

/** The first contacts of the last day, as times of the steady clock. The contacts of earlier runs are read from the directory once. */
function createContacts({ clock, steady, directory, onError }: SendSafetyDeps) {
  let times: number[] | undefined
  let loading: Promise<void> | undefined
  let onLoaded = () => {}

  async function read() {
    await directory.ready()
    const now = clock.now()
    // A contact that was recorded while the clock was ahead has a time in the future. It then counts as made now.
    times = directory.contactsSince(now - DAY).map((at) => steady.now() - Math.max(0, now - at))
    onLoaded()
  }

  /** Reads the contacts once. Reading them again would lose those that were counted while the clock was behind. */
  const load = async () => {
    if (times !== undefined) return
    loading ??= read().finally(() => {
      loading = undefined
    })
    await loading
  }

  return {
    load,
    onLoaded(listener: () => void) {
      onLoaded = listener
    },
    isLoaded() {
      // Many items ask at once, and one failure is reported once.
      if (times === undefined && loading === undefined) load().catch(onError)
      return times !== undefined
    },
    times: () => times ?? [],
    add() {
      if (times === undefined) return
      const now = steady.now()
      times = [...times.filter((at) => at > now - DAY), now]
    },
    forget() {
      times = undefined
    },
  }
}

/** Keeps the end of the used-up budgets, because all held messages need it at once. */
function createBudgetEnd({ clock, steady, settings, linkedAt }: SendSafetyDeps, contacts: () => readonly number[]) {
  let last: { settings: InstanceSettings; contacts: readonly number[]; difference: number; freeAt: number } | undefined

  return {
    /** Returns the time of the steady clock at which all budgets allow a first contact; undefined if they allow one now. */
    freeAt(): number | undefined {
      const now = { at: clock.now(), steady: steady.now() }
      const difference = now.at - now.steady
      const isSame = last?.settings === settings() && last.contacts === contacts()
      if (last && isSame && Math.abs(last.difference - difference) < SECOND && now.steady < last.freeAt) return last.freeAt
      const freeAt = budgetsFreeAt(settings(), { contacts: contacts(), linkedAt: linkedAt() }, now)
      last = freeAt === undefined ? undefined : { settings: settings(), contacts: contacts(), difference, freeAt }
      return freeAt
    },
    forget() {
      last = undefined
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
