import { Failure } from '../../../../src/domain/failures.ts'
import type { Asker } from '../../chats/session.ts'
import type { Meanings } from '../../connection/failures.ts'
import { catalogQuery, orderIn, orderQuery, type Product, productPageIn } from '../../wire/catalog.ts'
import { resolveDestination } from '../destination.ts'

const PAGE = 50
const MAX_PAGES = 20

/** Returns the jid of the catalog's owner. The query needs the registered number of the business, not its LID. */
export async function catalogOwner(asker: Asker, digits: string): Promise<string> {
  const { jid, other } = await resolveDestination(asker, { kind: 'user', space: 'phone', digits })
  return [jid, other].find((name) => name?.endsWith('@s.whatsapp.net')) ?? jid
}

/** Reads the catalog page by page until the product is found. Rejects with `product_not_found`. */
export async function findProduct(asker: Asker, owner: string, productId: string): Promise<Product> {
  let after: string | undefined
  for (let page = 0; page < MAX_PAGES; page++) {
    const { products, next } = await readPage(asker, owner, after)
    const found = products.find(({ id }) => id === productId)
    if (found) return found
    if (next === null) break
    after = next
  }
  throw new Failure('product_not_found')
}

const readPage = async ({ ask }: Asker, jid: string, after: string | undefined) =>
  productPageIn(await ask.meaning({ 404: 'product_not_found' })(catalogQuery(jid, { limit: PAGE, after })), 'product_catalog')

/** A code that is not listed means that the order or its token is wrong. */
const ABOUT_ORDER: Meanings = { 429: 'action_failed', 500: 'send_failed', 503: 'send_failed', otherwise: 'order_not_found' }

/** Rejects unless the network knows the order and accepts its token. */
export async function assertOrder({ ask }: Asker, orderId: string, token: string): Promise<void> {
  const order = orderIn(await ask.meaning(ABOUT_ORDER)(orderQuery(orderId, token)))
  if (!order?.products.length) throw new Failure('order_not_found')
}
