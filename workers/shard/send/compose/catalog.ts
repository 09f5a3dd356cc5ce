/** What is asked of catalogues and orders of the network before something about them is sent. */
import type { Product } from '@whiskeysockets/baileys'
import { SECOND } from '../../../../src/domain/clock.ts'
import { Failure } from '../../../../src/domain/failures.ts'
import { bounded } from '../../baileys/query.ts'
import type { Session } from '../../chats/session.ts'
import { networkCode, sendFailure } from '../../connection/failures.ts'
import { within } from '../../connection/within.ts'
import { resolveDestination } from '../destination.ts'

/** Deadline of a single network query: shared/api/auth-and-limits.md. */
const QUERY_DEADLINE = 20 * SECOND
/** Products of a page, and pages, that are looked through for one (shared/api/interactive.md, send.sendProduct). */
const PAGE = 50
const MAX_PAGES = 20

/** Catalogues belong to numbers: of the two names of a business the one by number, in the form that is registered. */
export async function catalogOwner(session: Session, digits: string): Promise<string> {
  const { jid, other } = await resolveDestination(session, { kind: 'user', space: 'phone', digits })
  return [jid, other].find((name) => name?.endsWith('@s.whatsapp.net')) ?? jid
}

/** There is no query for one product of somebody else, so the catalogue is read until it is found. */
export async function findProduct(session: Session, owner: string, productId: string): Promise<Product> {
  let cursor: string | undefined
  for (let page = 0; page < MAX_PAGES; page++) {
    const { products, nextPageCursor } = await readPage(session, owner, cursor)
    const found = products.find(({ id }) => id === productId)
    if (found) return found
    if (!nextPageCursor) break
    cursor = nextPageCursor
  }
  throw new Failure('product_not_found')
}

const readPage = (session: Session, jid: string, cursor: string | undefined) =>
  within(
    session,
    QUERY_DEADLINE,
    bounded(QUERY_DEADLINE, () => session.sock.getCatalog({ jid, limit: PAGE, ...(cursor ? { cursor } : {}) })),
  ).catch((error) => {
    throw sendFailure(error, 'product_not_found')
  })

/** Refusals that say nothing about the order. */
const NOT_ABOUT_IT = new Set([429, 500, 503])

/** Throws unless the network knows the order by this token. */
export async function assertOrder(session: Session, orderId: string, token: string): Promise<void> {
  const { products } = await within(
    session,
    QUERY_DEADLINE,
    bounded(QUERY_DEADLINE, () => session.sock.getOrderDetails(orderId, token)),
  ).catch((error) => {
    const failure = sendFailure(error, 'order_not_found')
    const code = networkCode(error)
    if (failure.code === 'instance_not_connected' || code === null || NOT_ABOUT_IT.has(code)) throw failure
    throw new Failure('order_not_found', { cause: error })
  })
  // The library reads an answer that never came, or is no order, as one without products.
  if (products.length === 0) throw new Failure('order_not_found')
}
