/** A network and a service that uses it: what a world is made of besides its receiver, in this process or in one that is borrowed. */
import type { Service } from '../../src/main.ts'
import type { SandboxNetworkReady } from './network.ts'

export interface Place extends SandboxNetworkReady {
  dir: string
  baseUrl: string
  adminKey: string
  /** The service's inside; null: it runs in another process. */
  service(): Service | null
  stopService(): Promise<void>
  /** On the same data and the same port. */
  startService(): Promise<void>
  end(): Promise<void>
}

export interface PlaceOptions {
  shards?: number
  env?: Record<string, string>
  /** What the network is made to say is not as specified: nothing is written for the check of the wire. */
  untraced?: boolean
}
