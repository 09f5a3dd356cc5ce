/** Creates phones that require a passkey, and clients whose code such a phone has scanned. */
import assert from 'node:assert/strict'
import type { CeremonyView, PasskeyInput, SignInput } from '../../packages/sandbox/src/testing.ts'
import type { Simulator } from '../harness/network.ts'
import type { Options, Signed } from '../harness/passkey-authenticator.ts'
import { until } from '../harness/until.ts'
import { connect, jidOf, lastQr, login, received } from './client.ts'
import { type Attempt, type PasskeyClient, type PrologueOptions, passkeyClient } from './passkey-client.ts'

const ANA = '4915100000009'

export const isStage = (stage: CeremonyView['stage']) => (ceremony: CeremonyView) => ceremony.stage === stage

export const refused = (code: number) => (error: { data?: unknown }) => error.data === code

export function passkeyStage(simulator: () => Simulator, firstPhone: number) {
  let next = firstPhone
  const passkeys = () => simulator().control.passkeys
  const ceremonyOf = (phone: string) => passkeys().read(phone).ceremony!
  const open = new Set<PasskeyClient>()
  const signs =
    (phone: string, more: Partial<SignInput> = {}) =>
    (options: Options): Signed =>
      passkeys().sign(phone, { public_key: options, ...more }).assertion
  return {
    passkeys,
    ceremonyOf,
    newPhone(passkey: PasskeyInput = {}): string {
      const phone = String(next++)
      simulator().control.createPhone({ phone, name: 'Ada' })
      passkeys().set(phone, passkey)
      return phone
    },
    signs,
    async attempted(phone: string, companion: PasskeyClient, options: PrologueOptions = {}): Promise<Attempt> {
      const signed = signs(phone)(await companion.queryOptions())
      const attempt = await companion.attempt(await companion.queryRef())
      await companion.sendPrologue(attempt, signed, options)
      return attempt
    },
    /**
     * Waits until the linking has reached this state. Resolves with the problems that the phone and the network have
     * found until then.
     */
    reaches: (phone: string, fits: (ceremony: CeremonyView) => boolean) =>
      until(async () => ceremonyOf(phone), fits).then(({ problems }) => problems),
    async scanned(phone: string): Promise<PasskeyClient> {
      const client = connect(simulator())
      const companion = passkeyClient(client)
      open.add(companion)
      const taken = await simulator().control.scan(phone, await lastQr(client))
      assert.deepEqual(taken, { device: null, passkey: true })
      return companion
    },
    async works(phone: string, { client }: Pick<PasskeyClient, 'client'>) {
      assert.equal((await client.ended()).code, 515)
      const { control } = simulator()
      const again = await login(simulator(), client.auth)
      await control.sendFromContact(ANA, phone, { text: `to ${phone}` })
      await received(again, `to ${phone}`)
      const sent = await again.socket.sendMessage(jidOf(ANA), { text: `from ${phone}` })
      const hasArrived = (item: { id: string; text: string | null }) => item.id === sent?.key.id && item.text === `from ${phone}`
      await until(
        async () => (await control.inbox(ANA, 0, 0)).items,
        (items) => items.some(hasArrived),
      )
      await again.close()
    },
    async close() {
      for (const { client } of open) await client.close()
    },
  }
}
