/**
 * A place: a network and a service that uses it. A world (`world.ts`) is a place and a webhook receiver. The place runs
 * in this process or in a borrowed one.
 */
import type { Service } from '../../src/main.ts'
import type { SandboxNetworkReady } from './network.ts'

/**
 * Setting for a service that does not use ffmpeg. Most tests convert no media, and the search for ffmpeg starts both of
 * its programs, which takes half a second of CPU time.
 */
export const WITHOUT_FFMPEG = { SVC_FFMPEG: 'off' }

export interface Place extends SandboxNetworkReady {
  dir: string
  baseUrl: string
  adminKey: string
  /** Returns the service object, or null if the service runs in another process. */
  service(): Service | null
  stopService(): Promise<void>
  /** Starts the service again, with the same data and port as before. */
  startService(): Promise<void>
  end(): Promise<void>
}

export interface PlaceOptions {
  shards?: number
  env?: Record<string, string>
  /**
   * True if the test makes the network break the protocol. No trace of the stanzas is written then, because the check
   * of the traces would fail.
   */
  untraced?: boolean
}
