/** Dependencies that all instances of a thread share: `open-shard.ts` opens them at the start of the thread. */
import type { Logger } from 'pino'
import type { BoundedClock } from '../../src/domain/bounded-clock.ts'
import type { Clock } from '../../src/domain/clock.ts'
import type { DiskState } from '../../src/domain/disk.ts'
import type { Steps } from '../../src/domain/steps.ts'
import type { Ranges } from '../../src/egress/addresses.ts'
import type { EngineEvent, NetworkOptions } from '../../src/engine/engine.ts'
import type { LoopShare } from '../../src/lib/loop-share.ts'
import type { MediaLinks } from '../../src/media/media-links.ts'
import type { Tally } from '../../src/metrics/tally.ts'
import type { AllBlobs } from '../../src/storage/blobs.ts'
import type { StateStore } from '../../src/storage/contract.ts'
import type { BlindCaches } from '../../src/storage/sealer.ts'
import type { Deliver } from '../../src/webhooks/delivery/delivery.ts'
import type { MexIds } from './connection/mex.ts'
import type { WebVersion } from './connection/socket/client-version.ts'
import type { CountUnknown } from './connection/socket/unknown-stanzas.ts'
import type { KeyCache } from './keys/key-store.ts'
import type { RecentTotal } from './messages/recent.ts'
import type { SendFiles } from './send/contract.ts'
import type { WorkMeter } from './usage/work-meter.ts'

export interface ShardDeps {
  store: StateStore
  blinds: BlindCaches
  keyCache: KeyCache
  recentTotal: RecentTotal
  /** Limits the time in each turn of the event loop in which received messages are decrypted. */
  openingShare: LoopShare
  /** Stored media that waiting messages contain (as opposed to media given by a URL). */
  blobs: AllBlobs
  /** Current state of the disk. */
  disk(): DiskState
  media: Pick<SendFiles, 'tempDir' | 'downloadMs' | 'prepare'>
  network: NetworkOptions
  egressAllow: Ranges
  /** Document numbers of GraphQL operations, from the configuration. */
  mexIds: MexIds
  /** Whether the previous service on this store did not shut down in order, so that it may still be running somewhere. */
  hasTakenOver: boolean
  /** Posts webhooks, with a limited concurrency for the whole thread. */
  deliver: Deliver
  /** The most events of one instance that may wait for delivery. */
  outboxMax: number
  /** Web client version, the same for all instances. */
  version: WebVersion
  /**
   * Time in ms after which a connection counts as stalled, if stanzas arrive and none of them is handled. The default is in
   * `connection/socket/liveness.ts`.
   */
  stalledAfterMs?: number
  /** Creates encrypted links to received files. */
  mediaLinks: MediaLinks
  /** Whether received files are copied to a bucket. */
  copiesMedia: boolean
  /**
   * Clock with the machine's time. If the machine's clock jumps ahead, this clock follows only later
   * (`domain/bounded-clock.ts`).
   */
  clock: BoundedClock
  /** Monotonic clock for all waits; setting the clock of the machine does not change it. */
  steady: Clock
  log: Logger
  announce(event: EngineEvent): void
  /** Counters of all instances. */
  tally: Tally
  /** Measures the CPU time that each instance uses. */
  meter: WorkMeter
  countUnknown: CountUnknown
  steps: Steps
}
