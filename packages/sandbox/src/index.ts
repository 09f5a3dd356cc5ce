/** The public API of the package: the simulated network as an object, for tests and programs in the same process. */
import type { NetworkControl } from './control/network-control.ts'
import { startSandboxNetwork } from './sandbox-network.ts'
import type { SandboxNetworkOptions, SandboxNetworkReady } from './sandbox-start.ts'
import type { StanzaMatch } from './watch/match.ts'
import type { TraceLine } from './watch/trace.ts'

export type { InboxItem, InboxReceipt, MessageInput, Stats } from './control/network-control.ts'
export type { GroupInput } from './control/schemas/chats.ts'
export type { FaultAction, FaultInput, PushInput, Settings } from './control/schemas/network.ts'
export type { ContactInput, PhoneInput } from './control/schemas/people.ts'
export type { StanzaMatch } from './watch/match.ts'
export type { StanzaJson } from './watch/stanza-json.ts'
export type { TraceLine } from './watch/trace.ts'

export interface SandboxOptions extends SandboxNetworkOptions {
  /**
   * Receives warnings for the operator, for example about a state file that cannot be written. By default, they are
   * dropped.
   */
  onWarning?: ((sentence: string) => void) | undefined
}

export interface StanzaWait {
  /** Number of stanzas to wait for; 1 by default. */
  count?: number | undefined
  /** Longest wait in ms; 10 seconds by default. */
  waitMs?: number | undefined
}

/** A running network: its address, and functions for everything that a test can do with it. */
export interface Sandbox extends Required<Omit<NetworkControl, 'picture'>> {
  /** The address of the network, and the certificates that clients must trust (`CLIENTS.md`). */
  readonly network: SandboxNetworkReady['network']
  /** Address of the control API, for programs in other languages. */
  readonly controlUrl: string
  /**
   * Waits for matching stanzas that are sent after this call. Rejects if there are too few of them within the time.
   *
   * @example await sandbox.waitForStanza({ from: 'client', tag: 'receipt', type: 'read' })
   */
  waitForStanza(match: StanzaMatch, wait?: StanzaWait): Promise<TraceLine[]>
  /** Closes all connections and frees the ports. */
  stop(): Promise<void>
}

/** Starts a network on this machine. Several networks can run at the same time. */
export async function startSandbox({ onWarning = () => {}, ...options }: SandboxOptions = {}): Promise<Sandbox> {
  const { control, network, controlUrl, stop } = await startSandboxNetwork(options, onWarning)
  return {
    ...(control as Required<NetworkControl>),
    network,
    controlUrl,
    async waitForStanza(match, { count = 1, waitMs = 10_000 } = {}) {
      const { id } = control.expect(match, count)
      const { complete, items } = await control.expected(id, waitMs)
      if (complete) return items
      throw new Error(`Of ${count} stanzas like ${JSON.stringify(match)}, ${items.length} came within ${waitMs} ms.`)
    },
    stop,
  }
}
