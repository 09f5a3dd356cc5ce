/**
 * Builds `<ib><unified_session id/></ib>`. The id is the time in ms within a week; the weeks are counted from three
 * days before the epoch.
 */
import type { BinaryNode } from '@whiskeysockets/baileys'
import { DAY } from '../../../src/domain/clock.ts'

export const unifiedSession = (now: number): BinaryNode => ({
  tag: 'ib',
  attrs: {},
  content: [{ tag: 'unified_session', attrs: { id: String((now + 3 * DAY) % (7 * DAY)) } }],
})
