import type { NetworkControl } from '../control/network-control.ts'
import { createFaults } from '../network/faults.ts'
import type { MediaHost, TakeFault } from './host.ts'

/**
 * Rules about uploads and downloads belong to the media host, all others to the network. This keeps the former and stands in front of the
 * network's control: `POST /faults` sorts, `DELETE /faults` and `POST /reset` clear both sides.
 */
export function withMediaFaults() {
  const rules = createFaults()
  const take: TakeFault = (on, facts) => rules.take(on, facts)

  function around(control: NetworkControl, media: MediaHost): NetworkControl {
    const isOurs = (on: string) => on === 'upload' || on === 'download'
    return Object.assign(Object.create(control) as NetworkControl, {
      addFault: (fault) => (isOurs(fault.on) ? { id: `media-${rules.add(fault).id}` } : control.addFault(fault)),
      clearFaults: () => {
        rules.clear()
        control.clearFaults()
      },
      reset: async () => {
        rules.clear()
        await control.reset()
        await media.clear()
      },
    } satisfies Partial<NetworkControl>)
  }

  return { take, around }
}
