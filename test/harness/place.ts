/**
 * A network and a service that uses it. They are the parts of a world without the receiver, and run in this process or
 * in a borrowed one.
 */
import type { Service } from '../../src/main.ts'
import type { SandboxNetworkReady } from './network.ts'

export interface Place extends SandboxNetworkReady {
  dir: string
  baseUrl: string
  adminKey: string
  /** The object of the service; null if the service runs in another process. */
  service(): Service | null
  stopService(): Promise<void>
  /** Starts the service on the same data and the same port. */
  startService(): Promise<void>
  end(): Promise<void>
}

export interface PlaceOptions {
  shards?: number
  env?: Record<string, string>
  /** True if the test makes the network deviate from the protocol. Then no trace is written for the wire check. */
  untraced?: boolean
}
