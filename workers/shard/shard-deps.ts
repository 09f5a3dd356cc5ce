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
import type { NetworkReturn } from './lifecycle/network-return.ts'
import type { RecentTotal } from './messages/recent.ts'
import type { SendFiles } from './send/contract.ts'
import type { WorkMeter } from './usage/work-meter.ts'

export interface ShardDeps {
  store: StateStore
  blinds: BlindCaches
  keyCache: KeyCache
  recentTotal: RecentTotal
  openingShare: LoopShare
  /** For the ends of sessions and for new ones. */
  sessionShare: LoopShare
  networkReturn: NetworkReturn
  /** Media that waiting messages contain. */
  blobs: AllBlobs
  disk(): DiskState
  media: Pick<SendFiles, 'tempDir' | 'downloadMs' | 'prepare'>
  network: NetworkOptions
  egressAllow: Ranges
  mexIds: MexIds
  /**
   * Whether this process may still send. False if another process may have replaced it, so that nothing may
   * be sent.
   */
  isHeld(): boolean
  deliver: Deliver
  outboxMax: number
  version: WebVersion
  stalledAfterMs?: number
  mediaLinks: MediaLinks
  copiesMedia: boolean
  /** A clock that does not follow a jump of the machine's clock immediately. */
  clock: BoundedClock
  steady: Clock
  log: Logger
  announce(event: EngineEvent): void
  tally: Tally
  meter: WorkMeter
  countUnknown: CountUnknown
  steps: Steps
}
