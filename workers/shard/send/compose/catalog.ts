import { Failure } from '../../../../src/domain/failures.ts'
import type { Asker } from '../../chats/session.ts'
import type { Meanings } from '../../connection/failures.ts'
import { orderIn, orderQuery, type Product, productIn, productQuery } from '../../wire/catalog.ts'
import { resolveDestination } from '../destination.ts'

/**
 * Returns the jid of the catalog's owner, with the registered number, which the query needs. Returns the LID if the
 * number is unknown.
 */
export async function catalogOwner(asker: Asker, digits: string): Promise<string> {
  const { jid, other } = await resolveDestination(asker, { kind: 'user', space: 'phone', digits })
  return [jid, other].find((name) => name?.endsWith('@s.whatsapp.net')) ?? jid
}

/** Reads a product of a catalog. Rejects with `product_not_found`, also if there is no catalog. */
export async function findProduct({ ask }: Pick<Asker, 'ask'>, owner: string, productId: string): Promise<Product> {
  const answer = await ask.meaning({ 404: 'product_not_found' })(productQuery(owner, productId))
  const product = productIn(answer, 'product_list', productId)
  if (product === null) throw new Failure('product_not_found')
  return product
}

/** A code that is not listed means that the order or its token is wrong. */
const ABOUT_ORDER: Meanings = { 429: 'action_failed', 500: 'send_failed', 503: 'send_failed', otherwise: 'order_not_found' }

/** Rejects unless the network knows the order and accepts its token. */
export async function assertOrder({ ask }: Asker, orderId: string, token: string): Promise<void> {
  const order = orderIn(await ask.meaning(ABOUT_ORDER)(orderQuery(orderId, token)))
  if (!order?.products.length) throw new Failure('order_not_found')
}
