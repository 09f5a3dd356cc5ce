/** Dependencies that all instances of a thread share: `open.ts` opens them, once. */
import type { Logger } from 'pino'
import type { BoundedClock } from '../../src/domain/bounded-clock.ts'
import type { Clock } from '../../src/domain/clock.ts'
import type { DiskState } from '../../src/domain/disk.ts'
import type { Steps } from '../../src/domain/steps.ts'
import type { Ranges } from '../../src/egress/addresses.ts'
import type { EngineEvent, NetworkOptions } from '../../src/engine/engine.ts'
import type { LoopShare } from '../../src/lib/loop-share.ts'
import type { MediaLinks } from '../../src/media/links.ts'
import type { Tally } from '../../src/metrics/tally.ts'
import type { BlobFiles } from '../../src/storage/blobs.ts'
import type { StateStore } from '../../src/storage/contract.ts'
import type { BlindCache } from '../../src/storage/seal.ts'
import type { Deliver } from '../../src/webhooks/delivery/delivery.ts'
import type { WebVersion } from './baileys/version.ts'
import type { RecentTotal } from './chats/recent.ts'
import type { MexIds } from './connection/mex.ts'
import type { CountUnknown } from './connection/socket/unknown-stanzas.ts'
import type { KeyCache } from './keys/key-store.ts'
import type { SendFiles } from './send/contract.ts'

export interface ShardDeps {
  store: StateStore
  blinds: BlindCache
  keyCache: KeyCache
  recentTotal: RecentTotal
  /** Of the loop's turns, for opening received messages. */
  openingShare: LoopShare
  /** Inline media of waiting items. */
  blobs: BlobFiles
  /** How full the disk is, at this moment. */
  disk(): DiskState
  media: Pick<SendFiles, 'tempDir' | 'downloadMs' | 'prepare'>
  network: NetworkOptions
  egressAllow: Ranges
  /** Numbers of GraphQL operations, from the configuration. */
  mexIds: MexIds
  /** Posts webhooks, a bounded number at a time for the whole thread. */
  deliver: Deliver
  /** Events of one instance that may wait to be delivered. */
  outboxMax: number
  /** The web client version, one for all. */
  version: WebVersion
  /** How long stanzas may come without one being handled, in ms; absent: as `connection/socket/liveness.ts` has it. */
  stalledAfterMs?: number
  /** Seals links to received files. */
  mediaLinks: MediaLinks
  /** The machine's, which is not followed when it jumps ahead. */
  clock: BoundedClock
  /** Every wait is measured by it: it does not step when the system's clock is set. */
  steady: Clock
  log: Logger
  announce(event: EngineEvent): void
  /** The counters of all instances. */
  tally: Tally
  countUnknown: CountUnknown
  steps: Steps
}
