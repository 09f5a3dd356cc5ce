import { ControlError } from '../control/control-error.ts'
import { link } from './link.ts'
import type { Ceremony } from './model.ts'
import { discard } from './passkey-ceremony.ts'

export function linkWith(ceremony: Ceremony, secret: Buffer) {
  const { network, phone, connection, handedSecret, passkey } = ceremony
  ceremony.stage = 'linking'
  const used = passkey.bend.pair_success === 'old_secret' ? handedSecret : secret
  const linking = link(network, phone, connection, used).then(
    ({ device }) => {
      ceremony.device = device
      ceremony.stage = 'linked'
    },
    (error: unknown) => {
      if (!(error instanceof ControlError)) throw error
      discard(ceremony, error.message)
    },
  )
  network.run(linking)
}
