/**
 * A place: a network and a service that uses it. A world (`world.ts`) is a place and a webhook receiver. The place runs
 * in this process or in a borrowed one.
 */
import type { Service } from '../../src/main.ts'
import type { SandboxNetworkReady } from './network.ts'

export interface Place extends SandboxNetworkReady {
  dir: string
  baseUrl: string
  adminKey: string
  /** Returns the service object, or null if the service runs in another process. */
  service(): Service | null
  stopService(): Promise<void>
  /** Starts the service with the same data and on the same port as before. */
  startService(): Promise<void>
  end(): Promise<void>
}

export interface PlaceOptions {
  shards?: number
  env?: Record<string, string>
  /**
   * True if the test makes the network deviate from the protocol. Then no trace is written, because the check of the
   * traces would find the deviation.
   */
  untraced?: boolean
}
