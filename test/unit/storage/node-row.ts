import type { NodeRow } from '../../../src/storage/drivers/postgres/owner/node-rows.ts'

/** Returns the row of a standby that was seen a moment ago, with these changes. */
export const nodeRow = (change: Partial<NodeRow>): NodeRow => ({
  id: 'row',
  writer: null,
  name: 'node',
  release: '1.0.0',
  state: 'standby',
  host: '10.0.0.2',
  port: 80,
  peerPort: null,
  beat: 0,
  since: 0,
  seenAt: 0,
  silentMs: 900,
  former: null,
  takeover: null,
  ...change,
})
