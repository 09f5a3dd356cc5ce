/** Builds `<ib><unified_session id/></ib>`: the id is the position in a week that begins three days before the epoch, in ms. */
import type { BinaryNode } from '@whiskeysockets/baileys'
import { DAY } from '../../../src/domain/clock.ts'

export const unifiedSession = (now: number): BinaryNode => ({
  tag: 'ib',
  attrs: {},
  content: [{ tag: 'unified_session', attrs: { id: String((now + 3 * DAY) % (7 * DAY)) } }],
})
