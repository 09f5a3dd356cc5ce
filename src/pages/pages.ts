import type { Pages } from '../features/parts.ts'
import { connectPage, connectRefusalPage } from './connect.ts'
import { consentPage } from './consent.ts'
import { docsAssets, docsPage } from './docs.ts'
import { createExtension } from './extension.ts'
import { homePage } from './home.ts'
import { pairingPage } from './pairing.ts'
import { pairingRefusalPage } from './pairing-refusal.ts'
import { unknownAddressPage } from './unknown-address.ts'

export const createPages = ({ hasDocs, hasDashboard }: { hasDocs: boolean; hasDashboard: boolean }): Pages => ({
  home: homePage({ hasDocs, hasDashboard }),
  pairing: pairingPage,
  pairingRefusal: pairingRefusalPage,
  connect: connectPage,
  connectRefusal: connectRefusalPage,
  consent: consentPage,
  unknownAddress: unknownAddressPage({ hasDocs, hasDashboard }),
  docs: docsPage(),
  asset: hasDocs ? docsAssets() : async () => undefined,
  extension: createExtension(),
})
