/**
 * Opens a browser tab at web.whatsapp.com with a passkey, in which the extension shows its card. Scripts cannot read
 * the card, because its shadow root is closed.
 */
import assert from 'node:assert/strict'
import type { BrowserContext, CDPSession, Page } from 'playwright-core'
import { until } from '../harness/until.ts'

const toBase64 = (text: string) => Buffer.from(text, 'base64url').toString('base64')

interface Passkey {
  credential_id: string
  private_key: string | null
  user_handle: string | null
}

export interface Tab {
  page: Page
  says(part: string): Promise<string>
  press(button: string): Promise<void>
  forgetPasskeys(): Promise<void>
  history(): Promise<string[]>
  close(): Promise<void>
}

/**
 * Gives the tab a virtual authenticator, with the passkey if there is one. `isVerified`: whether the authenticator
 * verifies the user.
 */
async function giveAuthenticator(cdp: CDPSession, passkey: Passkey | undefined, isVerified: boolean) {
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: isVerified,
      automaticPresenceSimulation: true,
    },
  })
  if (!passkey) return authenticatorId
  await cdp.send('WebAuthn.addCredential', {
    authenticatorId,
    credential: {
      credentialId: toBase64(passkey.credential_id),
      isResidentCredential: true,
      rpId: 'whatsapp.com',
      privateKey: passkey.private_key!,
      userHandle: toBase64(passkey.user_handle!),
      signCount: 0,
    },
  })
  return authenticatorId
}

export async function tabOf(page: Page, passkey: Passkey | undefined, { isVerified = true } = {}): Promise<Tab> {
  const cdp = await page.context().newCDPSession(page)
  const authenticatorId = await giveAuthenticator(cdp, passkey, isVerified)
  /** Returns the nodes of the accessibility tree. The content of a closed shadow root cannot be read in another way. */
  const nodes = async () => (await cdp.send('Accessibility.getFullAXTree')).nodes
  const text = async () =>
    (await nodes())
      .filter(({ role, ignored }) => role?.value === 'StaticText' && !ignored)
      .map(({ name }) => name?.value)
      .join(' ')
  return {
    page,
    says: (part) => until(text, (shown) => shown.includes(part)),
    async press(button) {
      const node = (await nodes()).find(({ role, name }) => role?.value === 'button' && name?.value === button)
      assert.ok(node, button)
      const { model } = await cdp.send('DOM.getBoxModel', { backendNodeId: node.backendDOMNodeId! })
      const [left, top, , , right, bottom] = model.content as [number, number, number, number, number, number]
      await page.mouse.click((left + right) / 2, (top + bottom) / 2)
    },
    async forgetPasskeys() {
      await cdp.send('WebAuthn.clearCredentials', { authenticatorId })
    },
    history: async () => (await cdp.send('Page.getNavigationHistory')).entries.map(({ url }) => url),
    close: () => page.close(),
  }
}

/** Opens a tab, with a passkey if one is given. The passkey exists before the page is loaded. */
export async function openTab(
  context: BrowserContext,
  url: string,
  passkey: Passkey | undefined,
  options?: { isVerified: boolean },
): Promise<Tab> {
  const tab = await tabOf(await context.newPage(), passkey, options)
  await tab.page.goto(url)
  return tab
}
