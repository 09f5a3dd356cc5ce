import { iso, SECOND } from '../../../src/domain/clock.ts'
import { Failure } from '../../../src/domain/failures.ts'
import type { RuntimeState, Status } from '../../../src/domain/instance.ts'
import { renderRestriction } from '../../../src/domain/restriction.ts'
import { sentence } from '../../../src/domain/sentences.ts'
import { refuseStart } from '../lifecycle/moved.ts'
import { bare } from '../wire/jid.ts'
import type { ControlContext, Handlers } from './types.ts'

const QR_WAIT = 8 * SECOND

const NOT_RUNNING: readonly Status[] = ['created', 'logged_out', 'banned', 'stopped']
const PAIRING: readonly Status[] = ['starting', 'qr', 'connecting']

export const instance: Handlers<typeof import('../../../src/features/instance.ts')> = {
  async 'instance.qrCode'(context) {
    const { pairing } = context
    refuseStart(context.state)
    const state =
      NOT_RUNNING.includes(context.state.status) || context.state.status === 'qr'
        ? await context.request('qrRequested')
        : context.state
    const isComing = state.status === 'starting' || state.status === 'qr'
    const code = pairing.current() ?? (isComing ? await pairing.wait(QR_WAIT) : null)
    const png = code && (await pairing.png())
    const connected = context.state.status === 'connected'
    if (!code || !png) return { value: null, connected }
    return { value: `data:image/png;base64,${png.toString('base64')}`, expires_at: iso(code.expiresAt), connected }
  },

  async 'instance.qrCodeImage'(context) {
    const { pairing } = context
    if (context.state.status === 'qr') await context.request('qrRequested')
    const png = pairing.current() && (await pairing.png())
    if (!png) throw new Failure('not_found', { message: 'There is no QR code at the moment; GET /status says why.' })
    return Uint8Array.from(png)
  },

  async 'instance.phoneCode'(context, { phone }) {
    const { pairing, session, state } = context
    assertPairable(state)
    if (!session || !pairing.current()) throw new Failure('instance_starting')
    await context.request('qrRequested')
    return { value: await pairing.phoneCode(phone, () => session.pairingCode(phone)) }
  },

  async 'instance.status'({ state }) {
    const { status, phone, restriction } = state
    const connected = status === 'connected'
    const common = { status, phone, error: sentence(state), restriction: renderRestriction(restriction) }
    return { connected, smartphone_connected: connected, ...common }
  },

  async 'instance.device'({ session, state }) {
    return {
      phone: state.phone ?? '',
      jid: bare(session.me?.id ?? ''),
      name: state.profileName,
      platform: state.platform,
      connected_at: iso(state.connectedAt ?? 0),
    }
  },

  'instance.restart': async (context) => {
    refuseStart(context.state)
    return after(await context.request('restartRequested'))
  },

  /** A logout or a move may run before this request, so the state is checked after the request. */
  async 'instance.pause'({ request }) {
    const state = await request('pauseRequested')
    if (state.reason === 'paused') return after(state)
    refuseStart(state)
    throw new Failure('not_allowed', { message: whyNotPaused(state) })
  },

  /**
   * A move may run before this request, and a moved device must not start here. So the reason is read directly before
   * the change.
   */
  async 'instance.resume'(context) {
    const state = await context.request('resumeRequested', () => context.state.reason === 'paused')
    if (NOT_RUNNING.includes(state.status)) throw new Failure('not_allowed', { message: 'The instance is not paused.' })
    return after(state)
  },

  'instance.disconnect': async (context) => after(await context.request('disconnectRequested')),
}

export const moving = {
  async 'instance.move'({ state, request }: ControlContext) {
    if (!state.paired) throw new Failure('not_allowed', { message: 'The instance is not linked, so there is nothing to move.' })
    return { status: (await request('moveRequested')).status }
  },

  async 'instance.callOffMove'(context: ControlContext) {
    const isMoved = () => context.state.reason === 'moved'
    if (!isMoved()) throw new Failure('not_allowed', { message: 'The instance was not moved.' })
    return { status: (await context.request('resumeRequested', isMoved)).status }
  },
}

export const connecting = {
  'instance.pairingState': async ({ state: { status, reason, paired } }: ControlContext) => ({
    status,
    paired,
    isPaused: reason === 'paused',
    hasFailed: status === 'logged_out' && reason === 'pairing_failed',
  }),

  /** An earlier request for a code may still be waiting, so the status is read directly before the change. */
  async 'instance.endPairing'(context: ControlContext) {
    await context.request('pairingEndRequested', () => PAIRING.includes(context.state.status))
    return null
  },
}

function whyNotPaused({ paired, status, reason }: RuntimeState): string {
  if (!paired) return 'The instance is not linked, so there is nothing to pause.'
  if (status === 'banned') return 'The account is banned, so there is nothing to pause.'
  return `The session is not running (${reason}), so there is nothing to pause.`
}

const after = ({ status }: RuntimeState) => ({ value: true as const, status })

function assertPairable({ status }: ControlContext['state']) {
  if (status === 'connected') throw new Failure('instance_already_connected')
  if (status === 'starting' || status === 'connecting') throw new Failure('instance_starting')
  if (status !== 'qr') throw new Failure('instance_not_connected')
}
