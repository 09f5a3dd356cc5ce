/** Queries that the web client sends after each login. The answer about blocked people is not used. */
import type { AuthenticationCreds, BinaryNode } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { keepFacts, ownFacts } from '../keys/own-facts.ts'
import type { NetworkSocket } from '../network/network-socket.ts'
import { blocklistQuery } from '../wire/blocklist.ts'
import { type PrivacySettings, settingsIn, settingsQuery } from '../wire/privacy.ts'
import { completeProps, INITIAL_PROPS, propsIn, propsQuery, type ServerProps } from '../wire/server-props.ts'

export interface LoginQueries {
  readonly props: Readonly<ServerProps>
  privacySettings(): Promise<PrivacySettings>
  showsReads(): Promise<boolean>
}

export interface LoginQueriesDeps {
  sock: Pick<NetworkSocket, 'ev'>
  creds: AuthenticationCreds
  save(): void
  query(node: BinaryNode): Promise<BinaryNode>
  log: Pick<Logger, 'info'>
}

export function createLoginQueries({ sock, creds, save, query, log }: LoginQueriesDeps): LoginQueries {
  const stored = completeProps(ownFacts(creds).serverProps)
  const props: ServerProps = { ...(stored?.values ?? INITIAL_PROPS) }
  let settings: PrivacySettings | null = null

  async function readProps() {
    const { hash, props: sent } = propsIn(await query(propsQuery(stored?.hash)))
    Object.assign(props, sent)
    if (!hash) return
    keepFacts(creds, { serverProps: { hash, values: { ...props } } })
    save()
  }

  async function privacySettings() {
    settings = settingsIn(await query(settingsQuery()))
    return settings
  }

  sock.ev.on('connection.update', ({ connection }) => {
    if (connection !== 'open') return
    Promise.all([readProps(), query(blocklistQuery()), privacySettings()]).catch((error) =>
      log.info({ err: error }, 'the settings of the account could not be read after the login'),
    )
  })

  return {
    props,
    privacySettings,
    showsReads: async () => (settings ?? (await privacySettings())).readreceipts === 'all',
  }
}
