import { seconds } from '../../wire/node.ts'
import type { Person } from '../model.ts'
import type { Document } from './document.ts'

function reachoutLock({ restrictedUntil = 0 }: Person) {
  const isActive = restrictedUntil > seconds()
  return { is_active: isActive, time_enforcement_ends: isActive ? String(restrictedUntil) : '', enforcement_type: null }
}

/** Length in seconds of the time over which new chats are counted. */
const CAPPING_CYCLE = 7 * 86_400

function cappingInfo() {
  const now = seconds()
  return {
    capping_status: 'NONE',
    cycle_start_timestamp: String(now),
    cycle_end_timestamp: String(now + CAPPING_CYCLE),
    mv_status: 'NOT_ELIGIBLE',
    ote_status: 'NOT_ELIGIBLE',
    server_sent_timestamp: String(now),
    subscription_status: null,
    total_quota: '250',
    used_quota: '0',
  }
}

export const ACCOUNT_DOCUMENTS: Document[] = [
  {
    name: 'FetchReachoutTimelock',
    ids: ['23983697327930364'],
    path: 'xwa2_fetch_account_reachout_timelock',
    answer: ({ person }) => reachoutLock(person),
  },
  {
    name: 'FetchNewChatMessageCappingInfo',
    ids: ['27910975521856601', '24503548349331633'],
    path: 'xwa2_message_capping_info',
    answer: cappingInfo,
  },
]
