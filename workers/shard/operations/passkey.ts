import type { PasskeyReport } from '../../../src/domain/passkey.ts'
import type { ControlContext, Handlers } from './types.ts'

export const passkey = {
  'instance.passkeyState': async ({ passkeys }: ControlContext): Promise<PasskeyReport> => passkeys.state(),

  async 'instance.passkeyResponse'({ passkeys }, { assertion }) {
    return { value: true, stage: await passkeys.respond(assertion) }
  },

  async 'instance.passkeyConfirm'({ passkeys }, { matches }) {
    passkeys.confirm(matches)
    return { value: true }
  },
} satisfies Handlers<typeof import('../../../src/features/passkey.ts')> & Record<string, unknown>
